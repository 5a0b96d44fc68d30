package run

import (
	"context"
	"testing"
	"testing/synctest"

	"ordeal/campaigns/internal/must"
	"ordeal/gen"
	"ordeal/sim"
)

// busy exceeds the time of the machine as often as it has jobs left to.
type busy struct {
	sim.Runner
	limited int // runs that exceed the time
	runs    int
	inside  int // runs under way
	alone   bool
}

func (b *busy) Run(context.Context, sim.Job) (sim.Result, error) {
	b.runs++
	b.alone = b.inside == 0
	if b.runs <= b.limited {
		return sim.TimeLimit("too slow", "after a minute"), nil
	}
	return sim.Result{Outcome: sim.Passed}, nil
}

// A run that exceeds the time of the machine is repeated once, while nothing
// else holds a core, and is never a finding.
func TestTimeLimitIsRetriedAlone(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout packed\nlocations x\nthread 0\nstore x 1\n"))
	must.Succeed(t, err)
	for _, test := range []struct {
		limited, runs int
		outcome       sim.Outcome
	}{{0, 1, sim.Passed}, {1, 2, sim.Passed}, {5, 2, sim.Infra}} {
		synctest.Test(t, func(t *testing.T) {
			b := &busy{limited: test.limited}
			x := Executor{Runner: b, Limiter: NewCPULimiter(2)}
			release, err := x.Limiter.Acquire(t.Context(), 1)
			must.Succeed(t, err)
			b.inside = 1
			var results []sim.Result
			go func() { results, err = x.Launch(t.Context(), "builtin", []sim.Job{{Program: p, Rounds: 1}}) }()
			synctest.Wait() // for its end, or for the core that is held
			b.inside = 0
			release()
			synctest.Wait()
			must.Succeed(t, err)
			if b.runs != test.runs || results[0].Outcome != test.outcome || test.limited > 0 && !b.alone {
				t.Errorf("%d limited: %d runs, %+v, alone %v", test.limited, b.runs, results, b.alone)
			}
		})
	}
}

// TestTimeLimitOnce requires a run that had the machine to itself not to be repeated.
func TestTimeLimitOnce(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout packed\nlocations x\nthread 0\nstore x 1\n"))
	must.Succeed(t, err)
	b := &busy{limited: 1}
	results, err := (&Executor{Runner: b}).Launch(t.Context(), "builtin", []sim.Job{{Program: p, Rounds: 1}})
	if err != nil || b.runs != 1 || results[0].Outcome != sim.Infra {
		t.Errorf("%d runs, %+v, %v", b.runs, results, err)
	}
}
