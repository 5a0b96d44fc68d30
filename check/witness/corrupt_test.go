package witness

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
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

// connected reports whether an edge has a node at either end.
func connected(r *rules, e Edge) bool {
	return (e.From != parse.Init || r.loc(e.To) >= 0) && (e.To != parse.Init || r.loc(e.From) >= 0)
}

// No refutation of an allowed history is accepted, though it be flawless but
// for one bogus edge or for lemmas of one case used in the other.
func TestVerifyRefusesBogus(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 0))
	n := 1500
	if testing.Short() {
		n = 200
	}
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
			} else if e := randomEdge(rng, h); connected(&p.rules, e) {
				p.bogus = []Edge{e}
			}
			ref := p.prove(m.Family == model.Total)
			if ref == nil {
				continue
			}
			made++
			if Verify(h, m, ref) == nil {
				t.Fatalf("%s: bogus edges %+v (leak %v) are accepted against an allowed history: %+v", m.Name, p.bogus, p.leak, h)
			}
		}
	}
	t.Logf("%d bogus refutations", made)
	if made < n/10 {
		t.Error("too few bogus refutations to mean anything")
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

// Lemmas that need each other prove nothing.
func TestVerifyCircularLemmas(t *testing.T) {
	// Two threads write x and read the other's write: allowed by all.
	h := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, RF: parse.NoOp, Write: 1}, {Kind: parse.Write, RF: parse.NoOp, Write: 2},
			{Kind: parse.Read, RF: 0, Read: 1},
		},
		Start: []parse.OpID{0, 1, 2, 3}, ThreadNames: []string{"0", "1", "2"}, Locations: []string{"x"},
	}
	b := Edge{From: 2, To: 1, Rule: DerivedB, Via: 0, Lemma: 0}
	a := Edge{From: 1, To: 0, Rule: DerivedA, Via: 2, Lemma: 1}
	lemmas := func(x, y Edge) *Refutation {
		return &Refutation{
			Lemmas: []Lemma{{Edge: b, Premise: []Edge{x}}, {Edge: a, Premise: []Edge{y}}},
			Root:   &Node{Cycle: []Edge{{From: 0, To: 2, Rule: ReadsFrom, Via: parse.NoOp, Lemma: -1}, b, a}},
		}
	}
	wr := Edge{From: 0, To: 2, Rule: ReadsFrom, Via: parse.NoOp, Lemma: -1}
	for _, ref := range []*Refutation{lemmas(b, a), lemmas(a, b), lemmas(wr, wr), lemmas(wr, b)} {
		if Verify(h, model.SC, ref) == nil {
			t.Errorf("accepted: %+v", ref.Lemmas)
		}
	}
}

var weak = []model.Model{model.CC, model.CCv, model.CM, model.CCM, model.WCCM}

// A single-leaf refutation whose shape passes for a causal model shows that
// the model forbids the history.
func TestVerifyCausalSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 0))
	n := 800
	if testing.Short() {
		n = 120
	}
	accepted, passed := map[string]int{}, map[string]int{}
	for range n {
		p := histgen.Params{Threads: 2 + rng.IntN(3), Ops: 6 + rng.IntN(6), Locations: 1 + rng.IntN(3), RMWs: 0.1 * float64(rng.IntN(2)), Writes: 0.4}
		h := histgen.Mutate(rng, histgen.Machine(rng, model.TSO, p), 1+rng.IntN(4))
		for _, m := range weak {
			allowed := brute.Allowed(h, m)
			for range 3 {
				p := newProver(rng, h, m)
				p.ref = &Refutation{}
				g := p.static(func(r Rule) bool { return r <= ReadsFrom || r == FromInit || r == FromRead || r == OwnStore })
				p.saturate(g, 1+rng.IntN(60))
				c := p.cycle(g)
				if c == nil {
					continue
				}
				p.ref.Root = &Node{Cycle: c}
				if Verify(h, m, p.ref) != nil {
					passed[m.Name]++
					continue
				}
				accepted[m.Name]++
				if allowed {
					t.Fatalf("%s: accepts %+v %+v against an allowed history %+v", m.Name, p.ref.Lemmas, c, h)
				}
			}
		}
	}
	t.Logf("accepted %v, refused %v", accepted, passed)
	for _, m := range weak {
		if accepted[m.Name] == 0 || passed[m.Name] == 0 {
			t.Errorf("%s: accepted %d, refused %d", m.Name, accepted[m.Name], passed[m.Name])
		}
	}
}
