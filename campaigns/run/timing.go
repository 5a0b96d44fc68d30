package run

import (
	"context"

	"ordeal/campaigns/diagnose"
	"ordeal/sim"
)

// Timed is a simulator whose latencies explore: it has more orders of events
// than the machine that it simulates. Faithful is the simulator with latencies
// near those of that machine, nil where its own are, and seeds how often a failed
// run is to be repeated on it.
type Timed interface {
	Faithful() (runner sim.Runner, seeds int)
}

// repeatFaithful repeats a failed run with other seeds at faithful latencies, and
// counts how often it fails the same. The error is ctx's.
func (x *Executor) repeatFaithful(ctx context.Context, job sim.Job, r *Evaluation) error {
	timed, ok := x.Runner.(Timed)
	if !x.Timings || !ok || !r.Failed() || r.Outcome == sim.Timeout {
		return nil
	}
	runner, seeds := timed.Faithful()
	if runner == nil {
		return nil
	}
	t := new(Timing)
	for t.Seeds < seeds {
		again := job
		again.Seed += uint64(t.Seeds)
		simulated, err := runner.Run(ctx, again)
		if err != nil {
			return err
		}
		repeated, err := Evaluate(ctx, job.Program, job.Rounds, &simulated, x.Check)
		if err != nil {
			return err
		}
		t.Seeds++
		if repeated.Failure.Same(&r.Failure, diagnose.Ending) {
			t.Same++
		}
	}
	r.Timing = t
	return nil
}
