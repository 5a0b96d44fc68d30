package simtest

import (
	"testing"

	"ordeal/check/internal/scale"
	"ordeal/parse"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
)

// memories are the memory systems without a coherence protocol.
var memories = []string{builtin.Ideal, builtin.IdealCached}

func onMemories(t *testing.T, test func(*testing.T, string, promise)) {
	for _, memory := range memories {
		for _, p := range promises {
			t.Run(memory+"/"+p.kind.String(), func(t *testing.T) { test(t, memory, p) })
		}
	}
}

// TestCoresKeepTheirModels requires every run to keep the core's own model and
// most runs to break the next stronger one.
func TestCoresKeepTheirModels(t *testing.T) {
	seeds := scale.Of[uint64](10, 15, 60)
	onMemories(t, func(t *testing.T, memory string, p promise) {
		squashed := uint64(0)
		s := newSubject(t, p, builtin.Options{Protocol: memory})
		broken := s.pass(t, seeds, func(_ *parse.History, r builtin.Report) { squashed += r.Statistics.Cores.Squashed })
		if p.breaks.Name != "" && broken < int(seeds/2) {
			t.Errorf("only %d of %d runs break %s", broken, seeds, p.breaks.Name)
		}
		if p.kind == core.OOO && squashed < 10*seeds {
			t.Errorf("only %d loads squashed in %d runs", squashed, seeds)
		}
	})
}

// TestPairsAreAtomic runs the cores that perform read-modify-writes as locked
// pairs, on memories, and as linked loads and conditional stores, on a protocol;
// TestCoreBugs has pairs without a lock.
func TestPairsAreAtomic(t *testing.T) {
	onMemories(t, func(t *testing.T, memory string, p promise) {
		if !p.kind.Allows(core.Locked) {
			t.Skip("read-modify-writes are one access")
		}
		newSubject(t, p, builtin.Options{Protocol: memory, Core: p.kind, RMW: core.Locked}).pass(t, 10, nil)
		newSubject(t, p, builtin.Options{Protocol: "mi", Core: p.kind, RMW: core.LinkedLoad}).pass(t, 3, nil)
	})
}

// TestCoreBugs runs each kind of core with each of its injected bugs until a
// run fails. The same seeds pass without the bug in TestCoresKeepTheirModels.
func TestCoreBugs(t *testing.T) {
	const seeds = 10
	onMemories(t, func(t *testing.T, memory string, p promise) {
		for _, bug := range core.Bugs(p.kind) {
			s := newSubject(t, p, builtin.Options{Protocol: memory, Bugs: []core.Bug{bug}})
			caught := false
			for seed := uint64(0); seed < seeds && !caught; seed++ {
				_, _, err := s.run(t, seed)
				caught = err != nil
			}
			if !caught {
				t.Errorf("%s: %d runs keep %s", bug, seeds, p.keeps.Name)
			}
		}
	})
}
