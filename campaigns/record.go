package campaigns

import (
	"slices"
	"time"

	"ordeal/check"
	"ordeal/sim"
)

// RecordVersion is the version of run.json and verdict.json.
const RecordVersion = 1

// Record is run.json: everything that makes a run, written before it starts.
type Record struct {
	Version  int    `json:"version"`
	Campaign string `json:"campaign,omitempty"` // empty for ordeal run
	Seed     uint64 `json:"seed"`
	Number   int    `json:"number"`
	Sim      string `json:"sim"`
	Config   Config `json:"config"`
	// Program is the SHA-256 of program.txt, in hexadecimal.
	Program string   `json:"program"`
	Timeout Duration `json:"timeout"`
	// Memory and LogSize bound the run; see Campaign.
	Memory  Size `json:"memory,omitempty"`
	LogSize Size `json:"log_size,omitempty"`
	// Batch lists the runs that were made in one launch, in order; empty for
	// a run alone.
	Batch   []int             `json:"batch,omitempty"`
	Command []string          `json:"command"`
	Tools   map[string]string `json:"tools"`
	Started time.Time         `json:"started"`
	_       struct{}
}

// Judgement is verdict.json: what came of a run.
type Judgement struct {
	Version int         `json:"version"`
	Outcome sim.Outcome `json:"outcome"`
	// Title is one line saying what went wrong, the same for the same bug;
	// Detail is more, for people.
	Title  string `json:"title,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Executable and Log are SHA-256 sums in hexadecimal; empty where the
	// simulator left no such file.
	Executable string `json:"executable,omitempty"`
	Log        string `json:"log,omitempty"`
	// Operations counts the operations of the history.
	Operations int      `json:"operations"`
	Answers    []Answer `json:"answers"`
	// Covered is nil where there is no coherence protocol, or none that the
	// simulator counts the transitions of.
	Covered *Covered `json:"covered,omitempty"`
	// Elapsed is the time of the simulator.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Alone is what came of making a failed run of a batch again, alone; nil
	// for others.
	Alone *Alone `json:"alone,omitempty"`
	_     struct{}
}

// Alone is what came of a run of a batch when it was made alone.
type Alone struct {
	Outcome sim.Outcome `json:"outcome"`
	Title   string      `json:"title,omitempty"`
	// Recurs says that outcome, title and answers are those of the batch.
	Recurs bool `json:"recurs"`
}

// Answer is the verdict of one model, without its evidence.
type Answer struct {
	Model     string        `json:"model"`
	Answer    string        `json:"answer"`
	Procedure string        `json:"procedure,omitempty"`
	Reason    string        `json:"reason,omitempty"`
	Search    time.Duration `json:"search_ns"`
	Evidence  time.Duration `json:"evidence_ns"`
}

// answerOf strips a verdict of its evidence.
func answerOf(v *check.Verdict) Answer {
	return Answer{
		Model: v.Model, Answer: v.Answer.String(), Procedure: v.Procedure, Reason: v.Reason,
		Search: v.Stats.Search, Evidence: v.Stats.Evidence,
	}
}

// Answered reports whether model answered as given.
func (j *Judgement) Answered(model string, answer check.Answer) bool {
	for _, a := range j.Answers {
		if a.Model == model {
			return a.Answer == answer.String()
		}
	}
	return false
}

// Undecided reports whether the judging of a run that came to its end left a
// model without an answer.
func (j *Judgement) Undecided() bool {
	for _, a := range j.Answers {
		if a.Answer == check.Unknown.String() {
			return true
		}
	}
	return false
}

// Finding reports whether the outcome says something about the system under
// test.
func (j *Judgement) Finding() bool {
	switch j.Outcome {
	case sim.Violation, sim.Corrupt, sim.Crash, sim.Deadlock, sim.Timeout:
		return true
	}
	return false
}

// Same reports whether two runs did the same: outcome, title and answers.
func (j *Judgement) Same(other *Judgement) bool {
	return j.Outcome == other.Outcome && j.Title == other.Title &&
		slices.EqualFunc(j.Answers, other.Answers, func(a, b Answer) bool { return a.Model == b.Model && a.Answer == b.Answer })
}
