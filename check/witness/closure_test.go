package witness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// fixpoints are the models whose evidence is a closure.
var fixpoints = []model.Model{model.WSC, model.WTSO, model.WPSO, model.CCM, model.WCCM}

// decide runs the procedure that decides a fixpoint.
func decide(t testing.TB, h *parse.History, m model.Model) witness.Verdict {
	t.Helper()
	v, err := search.Auto.Run(context.Background(), h, m, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// check compares CheckClosure and its reference on a closure.
func check(t testing.TB, h *parse.History, m model.Model, c *witness.Closure) bool {
	t.Helper()
	err := witness.CheckClosure(h, m, c)
	if want := closedByDefinition(h, m, c); (err == nil) != want {
		t.Fatalf("%s: by definition closed: %v; error: %v; %+v; %+v", m.Name, want, err, c, h)
	}
	return err == nil
}

func lists(c *witness.Closure) []*[]witness.Arc {
	out := []*[]witness.Arc{&c.Arcs, &c.Conflicts}
	for t := range c.Local {
		out = append(out, &c.Local[t])
	}
	return out
}

// counts says how often closures were accepted and rejected.
type counts struct{ accepted, dropped, needed, random, wrong int }

// evidence checks a history under all fixpoints: CheckClosure accepts the
// evidence, reports which arcs it can do without, refuses cycles, and accepts
// arcs at random only where brute force allows.
func evidence(t testing.TB, rng *rand.Rand, h *parse.History, n map[string]*counts) {
	t.Helper()
	for _, m := range fixpoints {
		if n[m.Name] == nil {
			n[m.Name] = &counts{}
		}
		n := n[m.Name]
		v := decide(t, h, m)
		allowed := brute.Allowed(h, m)
		if (v.Answer == witness.Allowed) != allowed {
			t.Fatalf("%s: %v; brute force allows: %v; %+v", m.Name, v.Answer, allowed, h)
		}
		c := v.Closure
		if allowed {
			if !check(t, h, m, c) {
				t.Fatalf("%s: %v; %+v; %+v", m.Name, witness.CheckClosure(h, m, c), c, h)
			}
			n.accepted++
			for _, l := range lists(c) {
				all := *l
				for i := range all {
					*l = append(append([]witness.Arc(nil), all[:i]...), all[i+1:]...)
					n.dropped++
					if !check(t, h, m, c) {
						n.needed++
					}
				}
				*l = all
				if len(all) > 0 {
					*l = append(all[:len(all):len(all)], witness.Arc{From: all[0].To, To: all[0].From})
					if check(t, h, m, c) {
						t.Fatalf("%s: accepted with a cycle: %+v; %+v", m.Name, c, h)
					}
					*l = all
				}
			}
		} else {
			if err := witness.Verify(h, m, v.Refutation); err != nil {
				t.Fatalf("%s: %v; %+v", m.Name, err, h)
			}
			c = &witness.Closure{}
		}
		if len(c.Local) == 0 {
			c.Local = make([][]witness.Arc, h.Threads())
		}
		for range 3 {
			l := lists(c)
			l = l[:2+h.Threads()]
			at := l[rng.IntN(len(l))]
			arc := witness.Arc{From: parse.OpID(rng.IntN(len(h.Ops))), To: parse.OpID(rng.IntN(len(h.Ops)))}
			a, b := &h.Ops[arc.From], &h.Ops[arc.To]
			if a.Kind == parse.Fence || b.Kind == parse.Fence || at == &c.Conflicts && !(a.Writes() && b.Writes() && a.Loc == b.Loc) {
				continue
			}
			*at = append(*at, arc)
			if check(t, h, m, c) {
				n.random++
				if !allowed {
					t.Fatalf("%s: accepted: %+v; %+v", m.Name, c, h)
				}
			} else {
				n.wrong++
			}
		}
	}
}

func TestCheckClosureSmall(t *testing.T) {
	fences := []parse.FenceMask{parse.FullFence, parse.StoreStore, parse.StoreLoad}
	bounds := []histgen.Bound{
		{Threads: 3, Locations: 2, Ops: 3, RMW: true, Fences: fences},
		{Threads: 3, Locations: 2, Ops: 4, Exact: true, RMW: true, Fences: fences},
		{Threads: 3, Locations: 2, Ops: 5, Exact: true, RMW: true, Fences: fences},
	}
	every := scale.Of([]int{3, 51, 2003}, []int{1, 37, 1009}, []int{1, 3, 101})
	rng := rand.New(rand.NewPCG(71, 0))
	n := map[string]*counts{}
	i := 0
	for b, bound := range bounds {
		for h := range histgen.Every(every[b], histgen.All(bound)) {
			if i++; i%5 == 0 {
				h = histgen.Clone(h)
				if i%2 == 0 {
					histgen.AddFinal(rng, h)
				} else {
					histgen.AddStoreOrder(rng, h)
				}
			}
			evidence(t, rng, h, n)
		}
	}
	for _, m := range fixpoints {
		t.Logf("%s: %+v", m.Name, *n[m.Name])
	}
}

func TestCheckClosureRandom(t *testing.T) {
	totals := []model.Model{model.SC, model.TSO, model.PSO, model.RMO}
	rng := rand.New(rand.NewPCG(72, 0))
	n := map[string]*counts{}
	runs := scale.Of(150, 200, 1500)
	for i := range runs {
		p := histgen.Params{
			Threads: 1 + rng.IntN(4), Ops: 5 + rng.IntN(14), Locations: 1 + rng.IntN(3), Writes: 0.3 + 0.3*rng.Float64(),
			RMWs: 0.2 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
			Burst: 1 + rng.IntN(4),
		}
		run := histgen.Machine(rng, totals[rng.IntN(4)], p)
		h := histgen.Mutate(rng, run, rng.IntN(3))
		switch i % 10 {
		case 0:
			h = histgen.Random(rng, p)
		case 1:
			histgen.AddFinal(rng, h)
		case 2:
			histgen.AddStoreOrder(rng, h)
		case 3:
			h.Final = histgen.Final(h, run.Order)
		case 4:
			h.StoreOrder = h.Writes(run.Order)
		}
		evidence(t, rng, h, n)
	}
	for _, m := range fixpoints {
		c := *n[m.Name]
		t.Logf("%s: %+v", m.Name, c)
		for kind, count := range map[string]int{"accepted": c.accepted, "needed": c.needed, "random": c.random, "wrong": c.wrong} {
			if count == 0 {
				t.Errorf("%s: none was %s: %+v", m.Name, kind, c)
			}
		}
	}
}

// Histories of more threads than fit a slice, and of none and one operation.
func TestCheckClosureSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 0))
	for _, p := range []histgen.Params{
		{Threads: 1, Ops: 1, Locations: 1}, {Threads: 1, Ops: 4, Locations: 1, Writes: -1},
		{Threads: 40, Ops: 1200, Locations: 5, RMWs: 0.1, Fences: 0.1}, {Threads: 3, Ops: 600, Locations: 30},
	} {
		for i, m := range fixpoints {
			machine := []model.Model{model.SC, model.TSO, model.PSO, model.SC, model.TSO}[i]
			run := histgen.Machine(rng, machine, p)
			run.History.Final = histgen.Final(run.History, run.Order)
			v := decide(t, run.History, m)
			if v.Answer != witness.Allowed {
				t.Fatalf("%s forbids a run of %s", m.Name, machine.Name)
			}
			if err := witness.CheckClosure(run.History, m, v.Closure); err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
		}
	}
	none := &parse.History{Start: []parse.OpID{0}}
	for _, m := range fixpoints {
		if err := witness.CheckClosure(none, m, &witness.Closure{}); err != nil {
			t.Error(err)
		}
		if witness.CheckClosure(none, m, nil) == nil {
			t.Errorf("%s: accepts no evidence", m.Name)
		}
	}
}

// Arcs may be anything.
func TestCheckClosureNonsense(t *testing.T) {
	h := histgen.Machine(rand.New(rand.NewPCG(74, 0)), model.SC, histgen.Params{Threads: 2, Ops: 20, Fences: 0.3}).History
	fence := parse.NoOp
	for id := range h.Ops {
		if h.Ops[id].Kind == parse.Fence {
			fence = parse.OpID(id)
		}
	}
	for _, m := range append(fixpoints, model.CC, model.SC) {
		for _, id := range []parse.OpID{parse.Init, parse.NoOp, parse.OpID(len(h.Ops)), fence} {
			for _, c := range []*witness.Closure{
				{Arcs: []witness.Arc{{From: id, To: 0}}}, {Conflicts: []witness.Arc{{From: 0, To: id}}},
				{Local: [][]witness.Arc{{{From: 0, To: id}}}}, {Local: make([][]witness.Arc, 3)},
			} {
				if len(c.Local) == 3 && m.Name != model.CCM.Name && m.Name != model.WCCM.Name {
					continue
				}
				if witness.CheckClosure(h, m, c) == nil {
					t.Errorf("%s: accepts %+v", m.Name, c)
				}
			}
		}
	}
}

// A thread's local arcs count wherever they lead: here one, by way of another,
// to a read that base edges do not join to it.
func TestCheckClosureLocalPast(t *testing.T) {
	h := cases.Compact("z?1 x?2 | y?1 | y=1 | x=1 | x=2 | z=1")
	for _, m := range []model.Model{model.CCM, model.WCCM} {
		c := &witness.Closure{
			Conflicts: []witness.Arc{{From: 4, To: 5}}, // or that would be missing, too
			Local:     [][]witness.Arc{{{From: 2, To: 6}, {From: 4, To: 3}}},
		}
		if check(t, h, m, c) {
			t.Errorf("%s: overlooks that x=1 precedes x?2", m.Name)
		}
		c.Local[0] = append(c.Local[0], witness.Arc{From: 4, To: 5})
		if !check(t, h, m, c) {
			t.Errorf("%s: %v", m.Name, witness.CheckClosure(h, m, c))
		}
	}
}

// Memory that ends with the initial value was not written; only the closures
// of SC, TSO and PSO look at that.
func TestCheckClosureFinal(t *testing.T) {
	h := histgen.Machine(rand.New(rand.NewPCG(75, 0)), model.SC, histgen.Params{Threads: 1, Ops: 1, Writes: 1, Locations: 1}).History
	h.Final = []parse.OpID{parse.Init}
	for _, m := range fixpoints {
		err := witness.CheckClosure(h, m, &witness.Closure{})
		if looks := m.Name != model.CCM.Name && m.Name != model.WCCM.Name; looks == (err == nil) {
			t.Errorf("%s: %v", m.Name, err)
		}
		if brute.Allowed(h, m) != (err == nil) {
			t.Errorf("%s: brute force disagrees", m.Name)
		}
	}
}

// BenchmarkCheckClosure compares the checker with the procedure it checks.
func BenchmarkCheckClosure(b *testing.B) {
	for _, c := range []struct {
		m, machine model.Model
		p          histgen.Params
	}{
		{model.WSC, model.SC, histgen.Params{Threads: 4, Ops: 1 << 20, Locations: 16}},
		{model.WTSO, model.TSO, histgen.Params{Threads: 8, Ops: 1 << 20, Locations: 64}},
		{model.WTSO, model.TSO, histgen.Params{Threads: 64, Ops: 1 << 20, Locations: 64}},
		{model.WPSO, model.PSO, histgen.Params{Threads: 8, Ops: 1 << 18, Locations: 64}},
		{model.CCM, model.SC, histgen.Params{Threads: 8, Ops: 1 << 17, Locations: 64}},
		{model.WCCM, model.TSO, histgen.Params{Threads: 8, Ops: 1 << 17, Locations: 64}},
	} {
		name := fmt.Sprintf("%s/threads=%d/ops=%d/locations=%d", c.m.Name, c.p.Threads, c.p.Ops, c.p.Locations)
		b.Run(name, func(b *testing.B) {
			h := histgen.Machine(rand.New(rand.NewPCG(1, 1)), c.machine, c.p).History
			v := decide(b, h, c.m)
			figure := func(b *testing.B) {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.p.Ops), "ns/access")
			}
			b.Run("decide", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					decide(b, h, c.m)
				}
				figure(b)
			})
			b.Run("check", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := witness.CheckClosure(h, c.m, v.Closure); err != nil {
						b.Fatal(err)
					}
				}
				figure(b)
			})
		})
	}
}
