package witness

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/parse"
)

// randomEdge is an edge with every field at random.
func randomEdge(rng *rand.Rand, h *parse.History) Edge {
	id := func(least parse.OpID) parse.OpID {
		return least + parse.OpID(rng.IntN(len(h.Ops)-int(least)))
	}
	return Edge{From: id(parse.Init), To: id(parse.Init), Rule: Rule(rng.IntN(int(StoreOrder) + 1)), Via: id(parse.NoOp), Lemma: -1}
}

// plausibleEdge is what a mistaken producer might add: program order that the
// model may not keep, or a read of an own store as if that were global.
func plausibleEdge(rng *rand.Rand, h *parse.History) Edge {
	for {
		a, b := parse.OpID(rng.IntN(len(h.Ops))), parse.OpID(rng.IntN(len(h.Ops)))
		if rng.IntN(2) == 0 && h.Ops[b].Reads() && h.Ops[b].RF >= 0 {
			return plain(h.Ops[b].RF, b, ReadsFrom, parse.NoOp)
		}
		if a != b {
			rules := []Rule{PPO, FenceOrder, Dependency, Coherence}
			return plain(a, b, rules[rng.IntN(len(rules))], parse.NoOp)
		}
	}
}

// connected reports whether an edge has a node at either end.
func connected(r *rules, e Edge) bool {
	return (e.From != parse.Init || r.loc(e.To) >= 0) && (e.To != parse.Init || r.loc(e.From) >= 0)
}

// No refutation of an allowed history is accepted, though it be flawless but
// for one invalid edge or for lemmas of one case used in the other.
func TestVerifyRefusesInvalid(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 0))
	n := scale.Of(200, 200, 1500)
	made := 0
	for i := range n {
		h := smallRandom(rng, 4+rng.IntN(6))
		for _, m := range append(totals, closures...) {
			if !brute.Allowed(h, m) {
				continue
			}
			p := newProver(rng, h, m)
			if i%4 == 0 {
				p.leak = true
			} else if e := randomEdge(rng, h); i%4 == 1 && connected(&p.rules, e) {
				p.invalid = []Edge{e}
			} else {
				p.invalid = []Edge{plausibleEdge(rng, h)}
			}
			ref := p.prove(m.Family == model.Total)
			if ref == nil {
				continue
			}
			made++
			if Verify(h, m, ref) == nil {
				t.Fatalf("%s: invalid edges %+v (leak %v) are accepted against an allowed history: %+v", m.Name, p.invalid, p.leak, h)
			}
		}
	}
	t.Logf("%d invalid refutations", made)
	if made < n/10 {
		t.Error("too few invalid refutations to mean anything")
	}
}

// splitHistory is forbidden by SC, but not by its closure: whichever of two
// writes to z comes first, a cycle closes.
func splitHistory() *parse.History {
	h, _ := histgen.SplitNeeded()
	return h
}

// Every end of an edge, lemma number and shape of a refutation matters.
func TestVerifyMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 0))
	histories := []*parse.History{splitHistory()}
	for len(histories) < 40 {
		if h := smallRandom(rng, 8); !brute.Allowed(h, model.SC) {
			histories = append(histories, h)
		}
	}
	splits := 0
	for _, h := range histories {
		p := newProver(rng, h, model.SC)
		ref := p.prove(true)
		if err := Verify(h, model.SC, ref); err != nil {
			t.Fatal(err)
		}
		used := map[int32]bool{}
		var walk func(n *Node)
		edges := func(es []Edge) {
			for i := range es {
				if es[i].Rule == Assumed {
					splits++
				}
				mutateEdge(t, h, ref, &es[i], len(es) == 1)
			}
			// A path with a gap is no path, unless what is left is one.
		}
		var use func(es []Edge)
		use = func(es []Edge) {
			for _, e := range es {
				if e.Lemma >= 0 && !used[e.Lemma] {
					used[e.Lemma] = true
					use(ref.Lemmas[e.Lemma].Premise)
				}
			}
		}
		walk = func(n *Node) {
			if n.leaf() {
				use(n.Cycle)
				edges(n.Cycle)
				refused(t, h, ref, "an empty cycle", func() func() {
					old := n.Cycle
					n.Cycle = nil
					return func() { n.Cycle = old }
				})
				return
			}
			walk(n.First)
			walk(n.Second)
			refused(t, h, ref, "a missing case", func() func() {
				old := n.Second
				n.Second = nil
				return func() { n.Second = old }
			})
			refused(t, h, ref, "a split of a write from itself", func() func() {
				old := n.To
				n.To = n.From
				return func() { n.To = old }
			})
			refused(t, h, ref, "swapped cases", func() func() {
				n.First, n.Second = n.Second, n.First
				return func() { n.First, n.Second = n.Second, n.First }
			})
		}
		walk(ref.Root)
		for i := range used {
			l := &ref.Lemmas[i]
			edges(l.Premise)
			mutateEdge(t, h, ref, &l.Edge, false)
			refused(t, h, ref, "an empty premise", func() func() {
				old := l.Premise
				l.Premise = nil
				return func() { l.Premise = old }
			})
		}
	}
	if splits == 0 {
		t.Error("no refutation had a case split")
	}
}

// refused applies a change, expects Verify to refuse, and takes it back.
func refused(t *testing.T, h *parse.History, ref *Refutation, what string, change func() (undo func())) {
	t.Helper()
	undo := change()
	if Verify(h, model.SC, ref) == nil {
		t.Errorf("%s is accepted: %+v", what, h)
	}
	undo()
	if err := Verify(h, model.SC, ref); err != nil {
		t.Fatalf("the undamaged refutation: %v", err)
	}
}

func mutateEdge(t *testing.T, h *parse.History, ref *Refutation, e *Edge, alone bool) {
	t.Helper()
	old := *e
	undo := func() { *e = old }
	for id := parse.NoOp; int(id) < len(h.Ops)+1; id++ {
		if id != old.From && !alone {
			refused(t, h, ref, "another From", func() func() { e.From = id; return undo })
		}
		if id != old.To && !alone {
			refused(t, h, ref, "another To", func() func() { e.To = id; return undo })
		}
	}
	for l := int32(-2); int(l) < len(ref.Lemmas)+1; l++ {
		if l != old.Lemma {
			refused(t, h, ref, "another lemma", func() func() { e.Lemma = l; return undo })
		}
	}
	refused(t, h, ref, "no rule", func() func() { e.Rule = RuleUnknown; return undo })
	refused(t, h, ref, "a rule that does not exist", func() func() { e.Rule = StoreOrder + 1; return undo })
	if old.Rule != Assumed {
		refused(t, h, ref, "an assumption", func() func() { e.Rule = Assumed; return undo })
	}
}

func plain(from, to parse.OpID, rule Rule, via parse.OpID) Edge {
	return Edge{From: from, To: to, Rule: rule, Via: via, Lemma: -1}
}

// Lemmas that need themselves or each other prove nothing.
func TestVerifyCircularLemmas(t *testing.T) {
	// Two threads write x, a third reads: allowed by all.
	h := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, RF: parse.NoOp, Write: 1}, {Kind: parse.Write, RF: parse.NoOp, Write: 2},
			{Kind: parse.Read, RF: 0, Read: 1},
		},
		Start: []parse.OpID{0, 1, 2, 3}, ThreadNames: []string{"0", "1", "2"}, Locations: []string{"x"},
	}
	rf := plain(0, 2, ReadsFrom, parse.NoOp)
	b := Edge{From: 2, To: 1, Rule: DerivedB, Via: 0, Lemma: 0} // since 0 → 1
	a := Edge{From: 1, To: 0, Rule: DerivedA, Via: 2, Lemma: 1} // since 1 → 2
	for _, premises := range [][2][]Edge{
		{{rf, b}, {a, rf}},
		{{rf, b}, {a, rf, b, a, rf}},
		{{rf, b, a, rf, b}, {a, rf, b, a, rf}},
	} {
		ref := &Refutation{
			Lemmas: []Lemma{{Edge: b, Premise: premises[0]}, {Edge: a, Premise: premises[1]}},
			Root:   &Node{Cycle: []Edge{rf, b, a}},
		}
		if Verify(h, model.SC, ref) == nil {
			t.Errorf("accepted: %+v", ref.Lemmas)
		}
	}
}

// A split is on two different writes to one location: otherwise a case may be
// empty, or a cycle of itself.
func TestVerifySplits(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n0: sync\n0: M[y] := 1\n1: M[x] := 2\n1: M[x] == 2")
	for _, pair := range [][2]parse.OpID{{0, 0}, {0, 1}, {1, 1}, {0, 2}, {0, 4}, {4, 4}, {0, 5}, {parse.Init, 0}, {parse.Init, parse.Init}} {
		a, b := pair[0], pair[1]
		first, second := plain(a, b, Assumed, parse.NoOp), plain(b, a, Assumed, parse.NoOp)
		leaf := func(cycle ...Edge) *Node { return &Node{Cycle: cycle} }
		for _, n := range []*Node{
			{From: a, To: b, First: leaf(first), Second: leaf(second)},
			{From: a, To: b, First: leaf(first, second), Second: leaf(second, first)},
		} {
			if Verify(h, model.SC, &Refutation{Root: n}) == nil {
				t.Errorf("a split on %d and %d is accepted", a, b)
			}
			deep := &Node{From: 0, To: 3, First: n, Second: n}
			if Verify(h, model.SC, &Refutation{Root: deep}) == nil {
				t.Errorf("a split on %d and %d is accepted", a, b)
			}
		}
	}
}

// A load may be forwarded its own thread's store before that is global.
func TestVerifyForwarding(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n0: M[x] == 1\n0: M[y] := 1\n1: M[y] == 1\n1: membar LL\n1: M[x] == 0\ndep 0: 2 -> 3")
	ref := &Refutation{Root: &Node{Cycle: []Edge{
		plain(0, 1, ReadsFrom, parse.NoOp), plain(1, 2, Dependency, parse.NoOp), plain(2, 3, ReadsFrom, parse.NoOp),
		plain(3, 5, FenceOrder, parse.NoOp), plain(5, 0, FromRead, parse.NoOp),
	}}}
	if !brute.Allowed(h, model.RMO) {
		t.Fatal("RMO forbids it")
	}
	if Verify(h, model.RMO, ref) == nil {
		t.Error("a forwarded store is taken for global")
	}
	ref.Root.Cycle[1].Rule = PPO
	if err := Verify(h, model.SC, ref); err != nil {
		t.Error(err)
	}
}

// The initial values of two locations are not one operation.
func TestVerifyInitOfTwoLocations(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n0: M[x] == 0\n1: M[y] := 1\n1: M[y] == 0")
	x, y := plain(0, parse.Init, OwnStore, 1), plain(2, parse.Init, OwnStore, 3)
	initX, initY := plain(parse.Init, 0, FromInit, parse.NoOp), plain(parse.Init, 2, FromInit, parse.NoOp)
	for _, good := range [][]Edge{{x, initX}, {initY, y}} {
		if err := Verify(h, model.TSO, &Refutation{Root: &Node{Cycle: good}}); err != nil {
			t.Error(err)
		}
	}
	b := Edge{From: 1, To: 0, Rule: DerivedB, Via: parse.Init, Lemma: 0}
	for _, bad := range []*Refutation{
		{Root: &Node{Cycle: []Edge{x, initY, y, initX}}},
		{
			Lemmas: []Lemma{{Edge: b, Premise: []Edge{initY, y, initX}}},
			Root:   &Node{Cycle: []Edge{x, plain(parse.Init, 1, FromInit, parse.NoOp), b}},
		},
	} {
		if Verify(h, model.TSO, bad) == nil {
			t.Errorf("accepted: %+v", bad)
		}
	}
}
