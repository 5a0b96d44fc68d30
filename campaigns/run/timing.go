package run

import (
	"context"
	"fmt"

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

// Placed is a faithful simulator of several machines. On names that of a seed, and Tester has the random
// delays of the machine's own testers, which it does not have else.
type Placed interface {
	On(seed uint64) string
	Tester() sim.Runner
}

// testerSeeds is how often a failed run is repeated with such delays.
const testerSeeds = 2

// repeatedWork is the work in which a run of less work is repeated.
const repeatedWork = 500_000

// repeatFaithful repeats a failed run with other seeds at faithful latencies, and counts how often it
// fails the same. All repeats together take at most as much work as the run itself; one that does not
// end within that says nothing, nor does Result.Timing then if it is the first. The error is ctx's.
func (x *Executor) repeatFaithful(ctx context.Context, job sim.Job, work uint64, r *Evaluation) error {
	timed, ok := x.Runner.(Timed)
	if !x.Timings || !ok || !r.Failed() || r.Outcome == sim.Timeout {
		return nil
	}
	runner, seeds := timed.Faithful()
	if runner == nil || seeds <= 0 {
		return nil
	}
	if x.Stage != nil {
		x.Stage(fmt.Sprintf("it failed (%s); repeated at gem5's latencies up to %d times, in at most as many events as it took", r.Title, seeds))
	}
	expected := x.Check
	expected.Models = expected.Models[:min(1, len(expected.Models))]
	left, t := max(work, repeatedWork), new(Timing)
	repeat := func(on sim.Runner, seed uint64) (ended, failed, same bool, err error) {
		again := job
		again.Seed, again.Work = seed, left
		simulated, err := on.Run(ctx, again)
		if err != nil || simulated.Outcome == sim.Timeout {
			return false, false, false, err
		}
		left -= min(left, simulated.Work)
		switch r.Outcome {
		case sim.Crash, sim.Deadlock, sim.Livelock, sim.Starvation:
			if simulated.Outcome == sim.Passed {
				return true, false, false, nil // whatever its history is: checking a long one costs more than the run
			}
		}
		repeated, err := Evaluate(ctx, job.Program, job.Rounds, &simulated, expected)
		if err != nil {
			return false, false, false, err
		}
		return true, repeated.Failed(), repeated.Failure.Same(&r.Failure, diagnose.Ending), nil
	}
	placed, family := runner.(Placed)
	for t.Seeds < seeds && left > 0 {
		seed := job.Seed + uint64(t.Seeds)
		ended, failed, same, err := repeat(runner, seed)
		if err != nil {
			return err
		}
		if !ended {
			break
		}
		t.Seeds++
		if failed && !same {
			t.Otherwise++
		} else if same {
			t.Same++
			if family {
				t.shows(placed.On(seed))
			}
		}
	}
	if t.Seeds == 0 {
		return nil
	}
	for family && t.Testers < min(testerSeeds, seeds) && left > 0 {
		ended, _, same, err := repeat(placed.Tester(), job.Seed+uint64(t.Testers))
		if err != nil {
			return err
		}
		if !ended {
			break
		}
		t.Testers++
		if same {
			t.TesterSame++
		}
	}
	r.Timing = t
	return nil
}
