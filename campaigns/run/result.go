package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/internal/messages"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/parse"
	"ordeal/sim"
)

// Result is result.json: what happened in a run.
type Result struct {
	Version int         `json:"version"`
	Outcome sim.Outcome `json:"outcome"`
	// Title is one line that names the failure, the same for the same bug;
	// Detail is the longer text of it.
	Title  string `json:"title,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Failure is what went wrong, as data: its title is FindingTitle.
	Failure diagnose.Failure `json:"failure,omitzero"`
	// Signature names a violation instead of the title where more is known; see
	// package diagnose.
	Signature string `json:"signature,omitempty"`
	// ExecutableHash and LogHash are SHA-256 sums in hexadecimal; empty where
	// the simulator left no such file.
	ExecutableHash string `json:"executable_sha256,omitempty"`
	LogHash        string `json:"log_sha256,omitempty"`
	// Operations counts the operations of the history.
	Operations int      `json:"operations"`
	Answers    []Answer `json:"answers"`
	// Covered is nil where there is no coherence protocol, or none that the
	// simulator counts the transitions of.
	Covered *Covered `json:"covered,omitempty"`
	// Elapsed is the time of the simulator.
	Elapsed time.Duration `json:"elapsed_ns"`
	// Alone is the result of repeating a failed run of a batch alone; nil for
	// others.
	Alone *Alone `json:"alone,omitempty"`
	// Counterexample is the number of steps of the shortest one of a failed
	// exploration; 0 for other runs.
	Counterexample int `json:"counterexample,omitempty"`
	// Timing says how a failed run is repeated at latencies near those of the
	// simulated machine; nil for others.
	Timing *Timing `json:"timing,omitempty"`
	_      struct{}
}

// Evaluation is a run that was evaluated here: its result, and what is in no file
// but the log, or in none.
type Evaluation struct {
	*Result
	Log sim.Log
	// History is nil when the log could not be parsed.
	History *parse.History
	// Models are those that the history was checked by, the expected one
	// first; Verdicts are theirs.
	Models   []model.Model
	Verdicts []check.Verdict
	// Coverage counts the transitions of the coherence protocol.
	Coverage sim.Coverage
}

// Timing counts repetitions of failed runs at latencies near those of the simulated
// machine, with other seeds, and those of them that failed the same.
type Timing struct {
	Seeds int `json:"seeds"`
	Same  int `json:"same"`
	// Otherwise counts those that failed in another way.
	Otherwise int `json:"otherwise,omitempty"`
	// On names the machines on which they did, in the order of their names.
	On string `json:"on,omitempty"`
	// Testers counts repetitions with the random delays of the machine's own testers, TesterSame
	// likewise.
	Testers    int `json:"testers,omitempty"`
	TesterSame int `json:"tester_same,omitempty"`
}

// Add adds up the repetitions of another run.
func (t *Timing) Add(other *Timing) {
	t.Seeds, t.Same, t.Otherwise = t.Seeds+other.Seeds, t.Same+other.Same, t.Otherwise+other.Otherwise
	t.Testers, t.TesterSame = t.Testers+other.Testers, t.TesterSame+other.TesterSame
	t.shows(other.On)
}

// shows adds names of machines.
func (t *Timing) shows(names string) {
	list := append(strings.Split(t.On, ", "), strings.Split(names, ", ")...)
	slices.Sort(list)
	t.On = strings.TrimPrefix(strings.Join(slices.Compact(list), ", "), ", ")
}

// Exploring reports whether the failure needs latencies that the simulated
// machine does not have, as far as the repetitions show: none of them fails.
func (t *Timing) Exploring() bool { return t != nil && t.Seeds > 0 && t.Same+t.Otherwise == 0 }

// String says at which latencies the failure shows.
func (t *Timing) String() string {
	switch {
	case t.Exploring() && t.TesterSame > 0:
		return fmt.Sprintf("with the random delays of gem5's testers (%d of %d seeds), not seen at gem5's latencies in %s", t.TesterSame, t.Testers, messages.Plural(t.Seeds, "seed"))
	case t.Exploring():
		return "not seen at gem5's latencies in " + messages.Plural(t.Seeds, "seed")
	case t.Same == 0:
		return fmt.Sprintf("at gem5's latencies %d of %d seeds fail, in another way", t.Otherwise, t.Seeds)
	case t.On != "":
		return fmt.Sprintf("also at gem5's latencies (%d of %d seeds: %s)", t.Same, t.Seeds, t.On)
	}
	return fmt.Sprintf("also at gem5's latencies (%d of %d seeds)", t.Same, t.Seeds)
}

// Alone is the result of a run of a batch when it is repeated alone.
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
func (r *Result) Answered(model string, answer check.Answer) bool {
	for _, a := range r.Answers {
		if a.Model == model {
			return a.Answer == answer.String()
		}
	}
	return false
}

// Undecided reports whether a model left the history undecided.
func (r *Result) Undecided() bool {
	for _, a := range r.Answers {
		if a.Answer == check.Unknown.String() {
			return true
		}
	}
	return false
}

// Failed reports whether the system under test failed: not where the run
// passed, and not where it could not be executed.
func (r *Result) Failed() bool {
	switch r.Outcome {
	case sim.Violation, sim.Corrupt, sim.Crash, sim.Deadlock, sim.Livelock, sim.Starvation, sim.Timeout:
		return true
	}
	return false
}

// Diagnosed reports whether a failure is explained by what the simulator said of
// it rather than by a model.
func (r *Result) Diagnosed() bool { return r.Failed() && r.Outcome != sim.Violation && r.Detail != "" }

// FindingTitle names what the run is a case of.
func (r *Result) FindingTitle() string { return cmp.Or(r.Signature, r.Title) }

// Fail sets how the run ended, and what went wrong.
func (r *Result) Fail(outcome sim.Outcome, f sim.Failure) {
	r.Outcome, r.Title, r.Failure = outcome, f.Title(), diagnose.Failure{Outcome: outcome, Failure: f}
}

// Same reports whether two runs ended in the same way, with the same answers.
func (r *Result) Same(other *Result) bool {
	return r.Failure.Same(&other.Failure, diagnose.Ending) && r.Outcome == other.Outcome &&
		slices.EqualFunc(r.Answers, other.Answers, func(a, b Answer) bool { return a.Model == b.Model && a.Answer == b.Answer })
}

// Weak reports whether TSO allows the history and SC does not.
func (r *Result) Weak() bool {
	return r.Answered("tso", check.Allowed) && r.Answered("sc", check.Forbidden)
}

// Covered is how much of the table of a coherence protocol a run covered.
type Covered struct {
	// Taken counts the transitions that the run took, Total all of them; 0
	// where the simulator lists only what was taken.
	Taken int `json:"taken"`
	Total int `json:"total,omitempty"`
	// New counts the transitions that no earlier run of the configuration in
	// its campaign took.
	New int `json:"new,omitempty"`
}

// CoveredBy is nil for a run without a coherence protocol.
func CoveredBy(c sim.Coverage) *Covered {
	switch taken := c.Taken(); {
	case len(c) == 0:
		return nil
	case taken == len(c): // it may not be the whole table
		return &Covered{Taken: taken}
	default:
		return &Covered{Taken: taken, Total: len(c)}
	}
}
