package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// Entry is a finished run, and a line of runs.jsonl, sealed (run.Seal).
type Entry struct {
	Number int `json:"number"`
	// At is when the run was recorded, in time spent on the campaign: when it
	// had ended, and all runs of lower numbers.
	At         time.Duration `json:"at_ns"`
	ConfigName string        `json:"config"`
	Program    string        `json:"program"` // SHA-256 in hexadecimal
	// Kept says that the run's directory stayed, unless a later line Replaces it,
	// for which readers clear Kept. Quarantine is its name in
	// QuarantineDir if it was moved there.
	Kept       bool   `json:"kept"`
	Quarantine string `json:"quarantine,omitempty"`
	// Replaces is the run whose directory does not stay any more, since that of
	// this one is a better example of the finding.
	Replaces *int `json:"replaces,omitempty"`
	// Damaged says of a finding why its directory is in quarantine: its files
	// are no longer as they were written.
	Damaged string `json:"damaged,omitempty"`
	// Known is the number of transitions that earlier lines of the
	// configuration list. It shows where one of them is lost.
	Known int `json:"known,omitempty"`
	// New lists the transitions that no earlier line of the configuration
	// lists, without counts; Counts is how often the run executed each transition,
	// Stalls how often it stalled in it, in the order of all lines' New, without
	// trailing zeros.
	New    sim.Coverage `json:"new,omitempty"`
	Counts []uint64     `json:"counts,omitempty"`
	Stalls []uint64     `json:"stalls,omitempty"`
	// Drawn is what an audit keeps of the run; nil for other campaigns.
	Drawn *Drawn `json:"drawn,omitempty"`
	*run.Result

	// Coverage counts the transitions of the coherence protocol that the run took.
	Coverage sim.Coverage `json:"-"`
	// Config and Dir follow from the campaign and its directory.
	Config *config.Config `json:"-"`
	Dir    run.Dir        `json:"-"`
}

// Drawn is what an audit needs of a run to draw the next ones, beside its result.
type Drawn struct {
	// Steps were spent on the run and on its failure, CPU with them.
	Steps uint64        `json:"steps"`
	CPU   time.Duration `json:"cpu_ns"`
	// Conditions are what the machine of a failed run has that gem5's own configurations do
	// not have, Needs the features of the run without which it did not fail.
	Conditions []string `json:"conditions,omitempty"`
	Needs      []string `json:"needs,omitempty"`
	// Writers counts, for each location, the stores of other threads that reads saw.
	Writers []int `json:"writers,omitempty"`
	// States were visited by an exploration; Complete says that there are no others, Refused why
	// the machine cannot be explored. More findings of it follow, each as a run.
	States   uint64 `json:"states,omitempty"`
	Complete bool   `json:"complete,omitempty"`
	Refused  string `json:"refused,omitempty"`
	More     int    `json:"more,omitempty"`
}

// Conditions are those of Drawn.
func (e *Entry) Conditions() []string {
	if e.Drawn == nil {
		return nil
	}
	return e.Drawn.Conditions
}

// Finding reports whether the run belongs to a finding: it failed, and is not
// one of a canary, which is expected to.
func (e *Entry) Finding() bool { return e.Failed() && !e.Config.Canary() }

// Caught reports whether a run of a canary shows the injected bug.
func (e *Entry) Caught() bool {
	return e.Config.Canary() && e.Failed() && e.Config.Bug.Shows(e.Outcome)
}

// Example is a run as an example of a finding.
type Example struct {
	Number int `json:"number"`
	// Operations is the length of its program, rounds counted, or of the path of an exploration.
	Operations int `json:"operations"`
	// Recurs says that a run of a batch had the same result alone.
	Recurs bool `json:"recurs,omitempty"`
	// Conditions counts those of a run of an audit.
	Conditions int `json:"conditions,omitempty"`
}

// Better compares examples: one with fewer conditions is best, then one that is known to recur,
// then a short one, then the first.
func (x *Example) Better(other *Example) bool {
	if x.Conditions != other.Conditions {
		return x.Conditions < other.Conditions
	}
	if x.Recurs != other.Recurs {
		return x.Recurs
	}
	return cmp.Or(x.Operations-other.Operations, x.Number-other.Number) < 0
}

// Example returns the run as an example of its finding.
func (e *Entry) Example() Example {
	if n := e.Counterexample; n > 0 {
		return Example{Number: e.Number, Operations: n}
	}
	x := ExampleOf(e.Number, e.Config, e.Alone != nil && e.Alone.Recurs)
	x.Conditions = len(e.Conditions())
	return x
}

// ExampleOf returns a run of a configuration as an example.
func ExampleOf(number int, c *config.Config, recurs bool) Example {
	return Example{Number: number, Operations: c.Operations(), Recurs: recurs}
}

// Quarantined reports whether the run's directory is in quarantine.
func (e *Entry) Quarantined() bool { return e.Quarantine != "" }

// NewEntry is the entry of a run that has no result yet.
func (a *Archive) NewEntry(number int) *Entry {
	cfg := a.Config(number)
	return &Entry{Number: number, ConfigName: cfg.Name, Config: cfg, Dir: a.Run(number)}
}

// encode is the line of a run.
func (e *Entry) encode() ([]byte, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("write run %d: %w", e.Number, err)
	}
	return run.Seal(text), nil
}

// inNanoseconds reads durations as encoding/json writes them. Lines are read by the module
// of the next encoding/json, since this one takes three times as long.
var inNanoseconds = jsonv1.FormatDurationAsNano(true)

// decode reads a line of the journal. It refuses a run that is not of the
// campaign, and one that c has seen; it adds the run to c.
func (a *Archive) decode(text []byte, c *Cursor) (*Entry, error) {
	if err := run.Unseal(text); err != nil {
		return nil, err
	}
	text, counts := c.cut(text, `,"counts":[`, c.counts)
	text, stalls := c.cut(text, `,"stalls":[`, c.stalls)
	e := &Entry{Result: new(run.Result)}
	if err := jsonv2.Unmarshal(text, e, inNanoseconds); err != nil {
		return nil, err
	}
	for _, l := range []struct{ to, cut, memory *[]uint64 }{{&e.Counts, &counts, &c.counts}, {&e.Stalls, &stalls, &c.stalls}} {
		switch {
		case *l.cut == nil:
			continue
		case *l.to != nil:
			return nil, errors.New("a list of counts is there twice")
		}
		*l.to, *l.memory = *l.cut, *l.cut
	}
	a.learn(e)
	c.prepare(len(a.schedule))
	if e.Number < 0 || e.Number >= len(a.schedule) || c.seen[e.Number] || a.Config(e.Number).Name != e.ConfigName {
		return nil, fmt.Errorf("run %d of configuration %q is not one that is missing in the campaign", e.Number, e.ConfigName)
	}
	if err := c.known.decode(e, c.passing); err != nil {
		return nil, err
	}
	c.seen[e.Number] = true
	a.complete(e)
	return e, nil
}

// cut takes a list of numbers out of a line, to which name leads as it is written: within a
// string the quotes would be escaped. These lists are most of the journal, and the decoder
// spends half its time on them. What is not as it was written stays in the line. The list may
// use the memory of another one.
func (c *Cursor) cut(line []byte, name string, memory []uint64) (rest []byte, list []uint64) {
	from := bytes.Index(line, []byte(name))
	if from < 0 {
		return line, nil
	}
	if c.passing {
		list = memory[:0]
	}
	var n uint64
	before := byte('[')
	for i, b := range line[from+len(name):] {
		switch digit := uint64(b - '0'); {
		case digit <= 9 && n <= (math.MaxUint64-digit)/10:
			n = 10*n + digit
		case before < '0' || before > '9' || b != ',' && b != ']':
			return line, nil
		default:
			list, n = append(list, n), 0
		}
		if b == ']' {
			c.line = append(append(c.line[:0], line[:from]...), line[from+len(name)+i+1:]...)
			return c.line, list
		}
		before = b
	}
	return line, nil
}

// complete sets the fields of e that follow from the campaign.
func (a *Archive) complete(e *Entry) {
	e.Config, e.Dir = a.Config(e.Number), a.Run(e.Number)
	if e.Quarantined() {
		e.Dir = run.Dir(filepath.Join(a.Dir, QuarantineDir, filepath.Base(e.Quarantine)))
	}
}
