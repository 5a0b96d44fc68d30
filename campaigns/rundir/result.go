package rundir

import (
	"slices"
	"time"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/parse"
	"ordeal/sim"
)

// Judgement is verdict.json: what came of a run.
type Result struct {
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

// AnswerOf strips a verdict of its evidence.
func AnswerOf(v *check.Verdict) Answer {
	return Answer{
		Model: v.Model, Answer: v.Answer.String(), Procedure: v.Procedure, Reason: v.Reason,
		Search: v.Stats.Search, Evidence: v.Stats.Evidence,
	}
}

// Answered reports whether model answered as given.
func (j *Result) Answered(model string, answer check.Answer) bool {
	for _, a := range j.Answers {
		if a.Model == model {
			return a.Answer == answer.String()
		}
	}
	return false
}

// Undecided reports whether the judging of a run that came to its end left a
// model without an answer.
func (j *Result) Undecided() bool {
	for _, a := range j.Answers {
		if a.Answer == check.Unknown.String() {
			return true
		}
	}
	return false
}

// Finding reports whether the outcome says something about the system under
// test.
func (j *Result) Finding() bool {
	switch j.Outcome {
	case sim.Violation, sim.Corrupt, sim.Crash, sim.Deadlock, sim.Timeout:
		return true
	}
	return false
}

// Same reports whether two runs did the same: outcome, title and answers.
func (j *Result) Same(other *Result) bool {
	return j.Outcome == other.Outcome && j.Title == other.Title &&
		slices.EqualFunc(j.Answers, other.Answers, func(a, b Answer) bool { return a.Model == b.Model && a.Answer == b.Answer })
}

// weak reports whether TSO allows the history and SC does not.
func (j *Result) Weak() bool {
	return j.Answered("tso", check.Allowed) && j.Answered("sc", check.Forbidden)
}

// Covered is how much of the table of a coherence protocol a run covered.
type Covered struct {
	// Taken counts the transitions that the run took, Reachable those that
	// are not known to be unreachable; 0 where the simulator lists only what
	// was taken.
	Taken     int `json:"taken"`
	Reachable int `json:"reachable,omitempty"`
	// New counts the transitions that no earlier run of the configuration in
	// its campaign took.
	New int `json:"new,omitempty"`
}

// coveredBy is nil for a run without a coherence protocol.
func CoveredBy(c sim.Coverage) *Covered {
	if len(c) == 0 {
		return nil
	}
	if !c.Whole() {
		return &Covered{Taken: c.Taken()}
	}
	return &Covered{Taken: c.Taken(), Reachable: c.Reachable()}
}

// Case is a judged run with everything known about it.
type Case struct {
	Result
	// RawLog is what the run printed.
	RawLog sim.Log
	// History is nil when the log could not be parsed.
	History *parse.History
	// Models judged the run, the expected one first; Verdicts are theirs.
	Models   []model.Model
	Verdicts []check.Verdict
	// Coverage counts the transitions of the coherence protocol.
	Coverage sim.Coverage
	_        struct{}
}
