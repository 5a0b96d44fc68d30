package saturate_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/parse"
)

// Fence nodes have no edges that others imply: every order of a thread that a rule of a model
// makes is still a path of the static graph, also in threads of many operations.
func TestJunctionsKeepOrder(t *testing.T) {
	checked := map[string]int{}
	for seed := range many(60) {
		rng := rand.New(rand.NewPCG(seed, 41))
		h := histgen.Machine(rng, model.SC, histgen.Params{
			Threads: 2, Ops: 80, Locations: 1 + rng.IntN(8), Writes: 0.45, RMWs: 0.1, Fences: 0.15,
		}).History
		histgen.Annotate(rng, h, []float64{0.1, 0.3, 0.6}[rng.IntN(3)], false)
		for i := range h.Ops {
			if o := &h.Ops[i]; o.Kind == parse.Fence && o.Attr == 0 {
				o.Mask = parse.FenceMask(rng.IntN(16))
			}
		}
		for _, m := range model.OfInstructionSets() {
			known := m.Known(h)
			g, err := saturate.Build(known, m)
			if err != nil {
				t.Fatal(err)
			}
			got := reach(g)
			for thread := range known.Threads() {
				for a := known.Start[thread]; a < known.Start[thread+1]; a++ {
					for b := a + 1; b < known.Start[thread+1]; b++ {
						if !ruledBefore(known, m.Rules, a, b) {
							continue
						}
						u, v := g.Node(a), g.Node(b)
						if checked[m.Name]++; u == saturate.NoNode || v == saturate.NoNode || !got.has(int(u), int(v)) {
							t.Fatalf("seed %d %s: operation %d is not before %d\n%s", seed, m.Name, a, b, dump(known))
						}
					}
				}
			}
		}
	}
	if t.Log(checked); len(checked) != len(model.OfInstructionSets()) {
		t.Error("a model orders nothing")
	}
}

// ruledBefore reports whether one rule orders two accesses of a thread: one of Keeps, a fence
// between them, or what a dependency on the first one leads to.
func ruledBefore(h *parse.History, r *model.Rules, a, b parse.OpID) bool {
	from, to := &h.Ops[a], &h.Ops[b]
	if from.Kind == parse.Fence || to.Kind == parse.Fence {
		return false
	}
	if r.Orders(from, to) {
		return true
	}
	for id := a + 1; id < b; id++ {
		o := &h.Ops[id]
		if o.Kind != parse.Fence {
			continue
		}
		if from.Loads() && (to.Loads() && o.Mask&parse.LoadLoad != 0 || to.Writes() && o.Mask&parse.LoadStore != 0) ||
			from.Writes() && (to.Loads() && o.Mask&parse.StoreLoad != 0 || to.Writes() && o.Mask&parse.StoreStore != 0) {
			return true
		}
	}
	for _, d := range h.Deps {
		if d.From != a || !r.Pipeline {
			continue
		}
		starts := func(id parse.OpID) bool {
			return d.Kind&parse.DepControl != 0 && d.To <= id || d.Kind&parse.DepAddress != 0 && d.To < id
		}
		if to.Writes() && starts(b) {
			return true
		}
		for id := a + 1; r.ISync && id < b; id++ {
			if h.Ops[id].Attr&parse.ISync != 0 && starts(id) {
				return true
			}
		}
	}
	return false
}
