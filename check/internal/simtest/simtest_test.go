// Package simtest judges what the embedded simulator prints. It stands here
// because packages of the room sim may not import the checker.
package simtest

import (
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/search/conflict"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
)

// models names the model that each kind of core implements and the strongest
// one that it does not; sequential consistency has none above it.
var models = []struct {
	kind            core.Kind
	allows, forbids model.Model
}{
	{core.InOrder, model.SC, model.Model{}},
	{core.TSO, model.TSO, model.SC},
	{core.OOO, model.TSO, model.SC},
	{core.PSO, model.PSO, model.TSO},
	{core.RMO, model.RMO, model.PSO},
}

const rounds = 3

// memories are the memory systems without a coherence protocol; package
// protocoltest judges the protocols.
var memories = []string{builtin.Ideal, builtin.IdealCached}

// program is the random program of a seed, with more atomics and fences than
// usual.
func program(t *testing.T, seed uint64) *gen.Program {
	t.Helper()
	o := gen.Defaults()
	o.Ops = 60
	o.Mix = gen.Mix{Load: 45, Store: 40, Exchange: 5, Add: 5, Fence: 5}
	p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// simulate runs a program and returns what it printed.
func simulate(t *testing.T, o builtin.Options, p *gen.Program, rounds int, seed uint64) builtin.Report {
	t.Helper()
	r, err := builtin.New(o)
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Simulate(t.Context(), sim.Job{Program: p, Rounds: rounds, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	if report.Outcome != sim.Passed {
		t.Fatalf("seed %d: %s: %s\n%s", seed, report.Outcome, report.Title, report.Detail)
	}
	return report
}

// judge judges a history by the procedure of a name; empty means the default.
func judge(t *testing.T, h *parse.History, m model.Model, procedure string) check.Answer {
	t.Helper()
	v, err := check.Check(t.Context(), h, m, check.Options{Procedure: procedure})
	if err != nil {
		t.Fatal(err)
	}
	if v.Answer == check.Unknown {
		t.Fatalf("%s is undecided: %s", m.Name, v.Reason)
	}
	return v.Answer
}

// TestCoresKeepTheirModels judges many runs of each core on each memory: all
// keep the core's own model, also when the order of stores is the one in the
// log, and most break the next stronger one.
func TestCoresKeepTheirModels(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	for _, protocol := range memories {
		for _, m := range models {
			t.Run(protocol+"/"+m.kind.String(), func(t *testing.T) {
				broken, squashed := uint64(0), uint64(0)
				for seed := range seeds {
					p := program(t, seed)
					report := simulate(t, builtin.Options{Protocol: protocol, Core: m.kind}, p, rounds, seed)
					h, err := parse.Native(p, rounds, report.Log)
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					if judge(t, h, m.allows, "") != check.Allowed {
						t.Errorf("seed %d: not %s", seed, m.allows.Name)
					}
					if judge(t, h, m.allows, conflict.Name) != check.Allowed {
						t.Errorf("seed %d: not %s with the store order of the log", seed, m.allows.Name)
					}
					if m.forbids.Name != "" && judge(t, h, m.forbids, "") == check.Forbidden {
						broken++
					}
					squashed += report.Statistics.Cores.Squashed
					checkStoreOrder(t, h)
				}
				if m.forbids.Name != "" && broken < seeds/2 {
					t.Errorf("only %d of %d runs break %s", broken, seeds, m.forbids.Name)
				}
				if m.kind == core.OOO && squashed < 10*seeds {
					t.Errorf("only %d loads squashed in %d runs", squashed, seeds)
				}
			})
		}
	}
}

// TestLockedPairsAreAtomic judges the cores that perform read-modify-writes as
// locked pairs; that pairs without a lock are caught is among the planted bugs.
func TestLockedPairsAreAtomic(t *testing.T) {
	for _, protocol := range memories {
		for _, m := range models {
			o := builtin.Options{Protocol: protocol, Core: m.kind, LockedRMW: true}
			if o.Validate() != nil {
				continue // not this kind of core
			}
			for seed := range uint64(10) {
				p := program(t, seed)
				h, err := parse.Native(p, rounds, simulate(t, o, p, rounds, seed).Log)
				if err != nil {
					t.Fatalf("%s/%s, seed %d: %v", protocol, m.kind, seed, err)
				}
				if judge(t, h, m.allows, conflict.Name) != check.Allowed {
					t.Errorf("%s/%s, seed %d: not %s", protocol, m.kind, seed, m.allows.Name)
				}
			}
		}
	}
}

// checkStoreOrder checks the order of stores against what it must agree with
// in every model: a read-modify-write reads the write before it, and the last
// write is the final value.
func checkStoreOrder(t *testing.T, h *parse.History) {
	t.Helper()
	if h.StoreOrder == nil || h.Final == nil {
		t.Fatal("the log has no store order or no final values")
	}
	for loc, order := range h.StoreOrder {
		last := parse.Init
		for _, id := range order {
			if op := &h.Ops[id]; op.Kind == parse.RMW && op.RF != last {
				t.Fatalf("location %d: read-modify-write %d reads from %d and follows %d", loc, id, op.RF, last)
			}
			last = id
		}
		if h.Final[loc] != last {
			t.Fatalf("location %d: the last write is %d, the final value is that of %d", loc, last, h.Final[loc])
		}
	}
}

// TestPlantedBugsAreCaught runs each core with each of its planted bugs until
// the checker or the parser objects. That the cores pass the same seeds
// without the bug is TestCoresKeepTheirModels.
func TestPlantedBugsAreCaught(t *testing.T) {
	const seeds = 10
	for _, protocol := range memories {
		for _, m := range models {
			for _, bug := range core.Bugs(m.kind) {
				t.Run(protocol+"/"+m.kind.String()+"/"+bug.String(), func(t *testing.T) {
					o := builtin.Options{Protocol: protocol, Core: m.kind, Bugs: []core.Bug{bug}}
					for seed := range uint64(seeds) {
						p := program(t, seed)
						h, err := parse.Native(p, rounds, simulate(t, o, p, rounds, seed).Log)
						if err != nil || judge(t, h, m.allows, "") == check.Forbidden {
							return
						}
					}
					t.Errorf("%d runs keep %s", seeds, m.allows.Name)
				})
			}
		}
	}
}
