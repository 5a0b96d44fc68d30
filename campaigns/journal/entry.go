package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// Entry is a line of runs.jsonl: a run that ended.
type Entry struct {
	Number int `json:"number"`
	// At is when the run was recorded, in time spent on the campaign: when it
	// had ended, and all runs of lower numbers.
	At      time.Duration `json:"at_ns"`
	Config  string        `json:"config"`
	Program string        `json:"program"` // SHA-256 in hexadecimal
	// Kept says that the run's directory stayed, Quarantine is its name in
	// quarantineDir if it was moved there.
	Kept       bool   `json:"kept"`
	Quarantine string `json:"quarantine,omitempty"`
	// Known is the number of transitions that earlier lines of the
	// configuration list. It tells where one of them is lost.
	Known int `json:"known,omitempty"`
	// New lists the transitions that no earlier line of the configuration
	// lists, counts left out; Counts how often the run took each transition,
	// in the order of all lines' New, zeros at the end left out.
	New    sim.Coverage `json:"new,omitempty"`
	Counts []uint64     `json:"counts,omitempty"`
	*rundir.Result
	// Coverage is what New and Counts say together.
	Coverage sim.Coverage `json:"-"`
}

// encode says Coverage by Known, New and Counts, in terms of the lines that t
// knows.
func (e *Entry) Encode(t TransitionTables) {
	known := len(t[e.Config])
	e.New, e.Counts = t.EncodeCoverage(e.Config, e.Coverage)
	if e.Known = known; len(e.Coverage) == 0 {
		e.Known = 0
	}
}

// decodeEntry reads a line of the journal of c, which is not that of a run seen
// before, in terms of the lines that known knows.
func DecodeEntry(text []byte, c *config.Campaign, schedule []int, seen func(number int) bool, known TransitionTables) (*Entry, error) {
	e := &Entry{Result: &rundir.Result{}}
	if err := json.Unmarshal(bytes.TrimSpace(text), e); err != nil {
		return nil, err
	}
	if e.Number < 0 || e.Number >= len(schedule) || seen(e.Number) || c.Config(schedule, e.Number).Name != e.Config {
		return nil, fmt.Errorf("run %d of configuration %s is not one that is missing in the campaign", e.Number, e.Config)
	}
	if n := len(known[e.Config]); e.Known > 0 && e.Known != n {
		return nil, fmt.Errorf("earlier lines of %s list %d transitions, not %d: one is lost", e.Config, n, e.Known)
	}
	var err error
	e.Coverage, err = known.DecodeCoverage(e.Config, e.New, e.Counts)
	return e, err
}

// run is the run that an entry tells of.
func (e *Entry) Run(cfg *config.Config, dir string) *Run {
	r := &Run{
		Number: e.Number, Config: cfg, Dir: rundir.Dir(filepath.Join(dir, rundir.Pad(e.Number))), At: e.At, Kept: e.Kept,
		Case: &rundir.Case{Result: *e.Result, Coverage: e.Coverage},
	}
	if e.Quarantine != "" {
		r.Dir, r.Quarantined = rundir.Dir(filepath.Join(dir, QuarantineDir, filepath.Base(e.Quarantine))), true
	}
	return r
}
