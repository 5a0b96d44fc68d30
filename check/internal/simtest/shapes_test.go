package simtest

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/scale"
	"ordeal/gen"
	"ordeal/gen/shapes"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
)

// families maps the kinds of core to the models of package shapes.
var families = map[core.Kind]shapes.Models{
	core.InOrder: shapes.SC, core.TSO: shapes.TSO, core.OOO: shapes.TSO,
	core.PSO: shapes.PSO, core.RMO: shapes.RMO,
}

// TestShapes runs critical cycles as litmus tests: each core shows every
// outcome that its model allows, and none that it forbids.
func TestShapes(t *testing.T) {
	const enough, most = 60, 5000
	list := scale.Of(shapes.Base(), shapes.All(), shapes.All())
	onMemories(t, func(t *testing.T, memory string, p promise) {
		for _, s := range list {
			seeds, allowed := uint64(enough), s.Allowed&families[p.kind] != 0
			if allowed {
				seeds = most
			}
			if seed, ok := find(t, builtin.Options{Protocol: memory, Core: p.kind}, &s, seeds); ok != allowed {
				t.Errorf("%s: cycle closes: %v (seed %d of %d), want %v", s.Name, ok, seed, seeds, allowed)
			}
		}
	})
}

// find looks for the first seed with which a shape's cycle closes. Threads
// start after random delays.
func find(t *testing.T, o builtin.Options, s *shapes.Shape, seeds uint64) (uint64, bool) {
	t.Helper()
	r, err := builtin.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range seeds {
		p := shapeProgram(s, rand.New(rand.NewPCG(seed, 0)))
		report, err := r.Simulate(t.Context(), sim.Job{Program: p, Rounds: 1, Seed: seed})
		if err != nil || report.Outcome != sim.Passed {
			t.Fatalf("seed %d: %v %s: %s", seed, err, report.Outcome, report.Title)
		}
		h, err := parse.Native(p, 1, report.Log)
		if err != nil {
			t.Fatal(err)
		}
		if closes(s, h) {
			return seed, true
		}
	}
	return 0, false
}

// shapeProgram is a shape as a program of one round.
func shapeProgram(s *shapes.Shape, random *rand.Rand) *gen.Program {
	p := &gen.Program{Layout: gen.Spread}
	for l := range s.Locations {
		p.Locations = append(p.Locations, gen.LocationName(gen.LocID(l)))
	}
	for _, ops := range s.Threads {
		thread := []gen.Op{{Kind: gen.Delay, Value: 1 + gen.Value(random.IntN(100))}}
		for _, op := range ops {
			to := gen.Op{Loc: gen.LocID(op.Loc)}
			switch op.Kind {
			case shapes.Load:
				to.Kind = gen.Load
			case shapes.Store:
				to.Kind, to.Value = gen.Store, gen.Value(op.Write)
			case shapes.Exchange:
				to.Kind, to.Value = gen.Exchange, gen.Value(op.Write)
			case shapes.Fence:
				to = gen.Op{Kind: gen.FullFence}
			}
			thread = append(thread, to)
		}
		p.Threads = append(p.Threads, thread)
	}
	return p
}

// closes reports whether a history of a shape's program has the outcome that
// closes the shape's cycle.
func closes(s *shapes.Shape, h *parse.History) bool {
	for t, ops := range s.Threads {
		for i, op := range ops {
			got := &h.Ops[int(h.Start[t])+i]
			if got.Reads() && got.Read != gen.Value(op.Read) {
				return false
			}
		}
	}
	for l, want := range s.Final {
		if want != 0 && (h.Final[l] == parse.Init || h.Ops[h.Final[l]].Write != gen.Value(want)) {
			return false
		}
	}
	return true
}
