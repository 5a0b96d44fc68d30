package saturate_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// contradictory draws a history that saturation refutes.
func contradictory(t testing.TB, rng *rand.Rand, m model.Model, p func(*rand.Rand) histgen.Params) *saturate.Graph {
	t.Helper()
	for {
		h := draw(rng, p(rng))
		if g, ok := saturated(t, h, m); !ok {
			return g
		}
	}
}

// names lists the operations that a refutation of one leaf names, and what
// they read from.
func names(h *parse.History, ref *witness.Refutation) []parse.OpID {
	var out []parse.OpID
	for e := range ref.Edges() {
		for _, id := range []parse.OpID{e.From, e.To, e.Via} {
			for id >= 0 && !slices.Contains(out, id) {
				out = append(out, id)
				if o := &h.Ops[id]; o.Reads() {
					id = o.RF
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// without is h without operation dropped, its readers, theirs where they write,
// and with the dependencies that led through these.
func without(h *parse.History, kept []parse.OpID, dropped parse.OpID) *parse.History {
	in := make([]bool, len(h.Ops))
	for _, id := range kept {
		in[id] = id != dropped
	}
	for more := true; more; {
		more = false
		for id, o := range h.Ops {
			if in[id] && o.Reads() && o.RF >= 0 && !in[o.RF] {
				in[id], more = false, true
			}
		}
	}
	out := &parse.History{Start: []parse.OpID{0}, Locations: h.Locations}
	to := make([]parse.OpID, len(h.Ops))
	for thread := range h.Threads() {
		for id := h.Start[thread]; id < h.Start[thread+1]; id++ {
			to[id] = parse.NoOp
			if in[id] {
				to[id] = parse.OpID(len(out.Ops))
				out.Ops = append(out.Ops, h.Ops[id])
			}
		}
		out.Start = append(out.Start, parse.OpID(len(out.Ops)))
	}
	moved := func(id parse.OpID) parse.OpID {
		if id >= 0 {
			return to[id]
		}
		return id
	}
	for i := range out.Ops {
		out.Ops[i].RF = moved(out.Ops[i].RF)
	}
	for _, f := range h.Final {
		out.Final = append(out.Final, moved(f))
	}
	for _, order := range h.StoreOrder {
		var rest []parse.OpID
		for _, w := range order {
			if in[w] {
				rest = append(rest, to[w])
			}
		}
		out.StoreOrder = append(out.StoreOrder, rest)
	}
	deps := newRelation(len(h.Ops))
	for _, d := range h.Deps {
		deps.add(int(d.From), int(d.To))
	}
	deps.transitive()
	for a := range h.Ops {
		for b := range h.Ops {
			if in[a] && in[b] && deps.has(a, b) {
				out.Deps = append(out.Deps, parse.Dep{From: to[a], To: to[b]})
			}
		}
	}
	return out
}

// Every contradiction gives a refutation that the proof checker accepts, and
// so does every shrunk one; no part of a proof visits a chain twice, so that
// it has at most two edges to a chain, and there is at most one lemma to an
// inferred edge, and one about an initial write.
func TestRefute(t *testing.T) {
	rules := map[witness.Rule]int{}
	for seed := range many(4000) {
		rng := rand.New(rand.NewPCG(seed, 51))
		m := totals[seed%4]
		p := small
		if seed%40 == 0 {
			p = func(rng *rand.Rand) histgen.Params {
				return histgen.Params{Threads: 2 + rng.IntN(40), Ops: 200, Locations: 1 + rng.IntN(8)}
			}
		}
		g := contradictory(t, rng, m, p)
		h := g.History()
		ref := g.Refute()
		if err := witness.Verify(h, m, ref); err != nil {
			t.Fatalf("seed %d %s: %v\n%s", seed, m.Name, err, dump(h))
		}
		if len(ref.Lemmas) > g.Inferred()+1 {
			t.Errorf("seed %d %s: %d lemmas of %d inferred edges", seed, m.Name, len(ref.Lemmas), g.Inferred())
		}
		air := slices.ContainsFunc(ref.Root.Cycle, func(e witness.Edge) bool { return e.Rule == witness.Dependency })
		if len(ref.Root.Cycle) > 2*g.Chains()+1 && !air {
			t.Errorf("seed %d %s: a cycle of %d edges through %d chains", seed, m.Name, len(ref.Root.Cycle), g.Chains())
		}
		for e := range ref.Edges() {
			rules[e.Rule]++
		}
		for _, l := range ref.Lemmas {
			if len(l.Premise) > 2*g.Chains() {
				t.Errorf("seed %d %s: a premise of %d edges through %d chains", seed, m.Name, len(l.Premise), g.Chains())
			}
		}
		shrunk := saturate.Shrink(t.Context(), h, m, ref)
		if err := witness.Verify(h, m, shrunk); err != nil {
			t.Fatalf("seed %d %s: shrunk: %v\n%s", seed, m.Name, err, dump(h))
		}
		if a, b := len(names(h, shrunk)), len(names(h, ref)); a > b {
			t.Errorf("seed %d %s: shrunk from %d operations to %d", seed, m.Name, b, a)
		}
	}
	for r := witness.PPO; r <= witness.StoreOrder; r++ {
		if rules[r] == 0 && r != witness.Assumed && !testing.Short() {
			t.Errorf("no refutation uses rule %v", r)
		}
	}
}

// No operation that a shrunk refutation names can be left out: what remains
// is consistent by the definitions.
func TestShrinkIsMinimal(t *testing.T) {
	most := 0
	for seed := range many(2000) {
		rng := rand.New(rand.NewPCG(seed, 52))
		m := totals[seed%4]
		g := contradictory(t, rng, m, small)
		h := g.History()
		used := names(h, saturate.Shrink(t.Context(), h, m, g.Refute()))
		most = max(most, len(used))
		if part := without(h, used, parse.NoOp); fixpoint(part, m).acyclic() && !absurd(part, m) {
			t.Fatalf("seed %d %s: the operations %v alone are consistent\n%s", seed, m.Name, used, dump(h))
		}
		for _, id := range used {
			if part := without(h, used, id); !fixpoint(part, m).acyclic() || absurd(part, m) {
				t.Fatalf("seed %d %s: operation %d of %v is not needed\n%s", seed, m.Name, id, used, dump(h))
			}
		}
	}
	if most < 6 {
		t.Errorf("at most %d operations", most)
	}
}

// Refutations below assumptions name them, and no others than those in force.
func TestRefuteAssumptions(t *testing.T) {
	named := 0
	for seed := range many(1500) {
		rng := rand.New(rand.NewPCG(seed, 53))
		m := totals[rng.IntN(len(totals))]
		g := consistentGraph(t, rng, m)
		g.Mark()
		all := decisions(g)
		var made [][2]parse.OpID
		for {
			d := all[rng.IntN(len(all))]
			made = append(made, [2]parse.OpID{g.Op(d[0]), g.Op(d[1])})
			if !g.Assume(d[0], d[1], assumed, saturate.NoNode) {
				break
			}
		}
		h := g.History()
		ref := g.Refute()
		var uses [][2]parse.OpID
		for e := range ref.Edges() {
			if e.Rule == assumed {
				uses = append(uses, [2]parse.OpID{e.From, e.To})
			}
		}
		for _, u := range uses {
			if !slices.Contains(made, u) {
				t.Fatalf("seed %d %s: %v was not assumed\n%s", seed, m.Name, u, dump(h))
			}
		}
		named += len(uses)
		if fixpoint(h, m, uses...).acyclic() {
			t.Fatalf("seed %d %s: of %v the refutation names %v only, which are consistent\n%s", seed, m.Name, made, uses, dump(h))
		}
		if err := witness.Verify(h, m, ref); err == nil && len(uses) > 0 {
			t.Fatalf("seed %d %s: accepted without its assumptions", seed, m.Name)
		}
	}
	if named == 0 {
		t.Error("no refutation names an assumption")
	}
}

// An operation that saturation needs no knowledge of does not change what a
// contradiction looks like: shrinking a violation inside a long run ends with
// the operations of the violation.
func TestShrinkEmbedded(t *testing.T) {
	core := cases.Parse("0: M[x] := 1\n0: M[y] := 1\n1: M[y] == 1\n1: M[x] == 0")
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 54))
		h, at := histgen.Embed(rng, core, model.SC, histgen.Params{Threads: 6, Ops: 2000, Locations: 5})
		for _, m := range totals[:2] { // message passing is forbidden by SC and TSO
			g, ok := saturated(t, h, m)
			if ok {
				t.Fatal("consistent")
			}
			ref := saturate.Shrink(t.Context(), h, m, g.Refute())
			if err := witness.Verify(h, m, ref); err != nil {
				t.Fatal(err)
			}
			if got := names(h, ref); !slices.Equal(got, at) {
				t.Errorf("seed %d %s: operations %v, want %v", seed, m.Name, got, at)
			}
		}
	}
}

// A dependency by way of an operation that is left out is still one.
func TestShrinkComposesDependencies(t *testing.T) {
	h := cases.Parse("0: M[x] == 1\n0: M[z] == 0\n0: M[y] := 1\n1: M[y] == 1\n1: M[x] := 1\ndep 0: 1 -> 2\ndep 0: 2 -> 3\ndep 1: 1 -> 2")
	g, ok := saturated(t, h, model.RMO)
	if ok {
		t.Fatal("consistent")
	}
	ref := saturate.Shrink(t.Context(), h, model.RMO, g.Refute())
	if err := witness.Verify(h, model.RMO, ref); err != nil {
		t.Fatal(err)
	}
	if got, want := names(h, ref), []parse.OpID{0, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("operations %v, want %v", got, want)
	}
}
