package diagnose

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/slicc/types"
	"ordeal/sim/trace"
)

// Recorder is a simulator that can repeat a run and record what happens in its
// memory system.
type Recorder interface {
	Version(ctx context.Context) string
	Record(ctx context.Context, job sim.Job, want trace.Want, record func(trace.Event)) (sim.Result, error)
	// LineOf is the address of the line that holds a location.
	LineOf(p *gen.Program, l gen.LocID) int64
	// Protocol is the coherence protocol; nil where it is not known.
	Protocol() *types.Protocol
}

// limit bounds the events that are kept.
const limit = 4 << 20

// Record repeats a run, which the witness is of, and joins the two. The trace has
// what the filter is about, too.
func Record(ctx context.Context, r Recorder, job sim.Job, w *Witness, f Filter) (*Cause, error) {
	lineOf := func(l gen.LocID) int64 { return r.LineOf(job.Program, l) }
	want := trace.Want{Locations: w.Locations()}
	want.First, want.Last = w.Rounds()
	whole := trace.Want{Locations: want.Locations, Last: job.Rounds - 1}
	if f.elsewhere() {
		whole.Locations = everywhere(job.Program)
		want = whole
	}
	find := func(want trace.Want) (*Cause, error) {
		events, log, err := eventsOf(ctx, r, job, want)
		if err != nil {
			return nil, err
		}
		c := Find(job.Program, w, lineOf, events, TableOf(r.Protocol()))
		c.LogHash = log
		return c, nil
	}
	c, err := find(want)
	if err == nil && !c.complete() && (want.First > 0 || want.Last < whole.Last) {
		// The rounds were not where they were looked for, or a value is older.
		c, err = find(whole)
	}
	return c, err
}

// everywhere lists all locations of a program.
func everywhere(p *gen.Program) []gen.LocID {
	list := make([]gen.LocID, len(p.Locations))
	for l := range list {
		list[l] = gen.LocID(l)
	}
	return list
}

// complete reports whether all accesses of the witness are in the trace.
func (c *Cause) complete() bool {
	for i, op := range c.Witness.Operations {
		if op.Loc >= 0 && c.Joined[i].Access < 0 {
			return false
		}
	}
	return true
}

// eventsOf records a run, and gives the hash of its log.
func eventsOf(ctx context.Context, r Recorder, job sim.Job, want trace.Want) (list []trace.Event, log string, err error) {
	result, err := r.Record(ctx, job, want, func(e trace.Event) {
		if len(list) < limit {
			list = append(list, e)
		}
	})
	if err != nil {
		return nil, "", fmt.Errorf("record a run: %w", err)
	}
	if result.Outcome == sim.Infra {
		return nil, "", fmt.Errorf("record a run: %s: %s", result.Title, result.Detail)
	}
	sum := sha256.Sum256(result.Log)
	return list, hex.EncodeToString(sum[:]), nil
}
