package cause

import (
	"context"
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

// Record repeats a run, which the witness is of, and joins the two.
func Record(ctx context.Context, r Recorder, job sim.Job, w *Witness) (*Cause, error) {
	events, err := eventsOf(ctx, r, job, w)
	if err != nil {
		return nil, err
	}
	var table Table
	if p := r.Protocol(); p != nil {
		table = p.Transition
	}
	return Find(job.Program, w, func(l gen.LocID) int64 { return r.LineOf(job.Program, l) }, events, table), nil
}

func eventsOf(ctx context.Context, r Recorder, job sim.Job, w *Witness) ([]trace.Event, error) {
	want := trace.Want{Locations: w.Locations()}
	want.First, want.Last = w.Rounds()
	var list []trace.Event
	result, err := r.Record(ctx, job, want, func(e trace.Event) {
		if len(list) < limit {
			list = append(list, e)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("record a run: %w", err)
	}
	if result.Outcome == sim.Infra {
		return nil, fmt.Errorf("record a run: %s: %s", result.Title, result.Detail)
	}
	return list, nil
}
