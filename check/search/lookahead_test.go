package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/parse"
)

// foreseen is a placer that has made these moves and looks ahead.
func foreseen(g *saturate.Graph, seq []saturate.Node) *placer {
	p := replayed(g, seq)
	p.due = make([]int32, g.Nodes())
	p.progress = &progress{of: make([]int32, g.History().Threads())}
	p.look.credit = math.MaxInt32
	return p
}

// completableBefore reports whether some way from a state to the end places u
// before v.
func (m *machine) completableBefore(s state, u, v saturate.Node) bool {
	seen := map[string]bool{}
	var visit func(s state) bool
	visit = func(s state) bool {
		k := s.key()
		if seen[k] || s.placed[v] {
			return false
		}
		seen[k] = true
		if s.placed[u] {
			return m.completable(s)
		}
		return slices.ContainsFunc(m.moves(s), func(w saturate.Node) bool { return visit(m.after(s, w)) })
	}
	return visit(s)
}

// mustPrecede reports whether a write to w's location waits for w and one of w's
// pending readers waits for it, by what is placed alone: the waiting of any
// two nodes is closed as a relation.
func (m *machine) mustPrecede(s state, w saturate.Node) bool {
	g := m.g
	n := saturate.Node(g.Nodes())
	waits := make([][]bool, n) // by what comes first
	for u := range n {
		waits[u] = make([]bool, n)
	}
	for v := range n {
		for _, u := range m.preds[v] {
			waits[u][v] = !s.placed[u] && !s.placed[v]
		}
		for u := range n {
			if u != v && !s.placed[u] && !s.placed[v] && g.IsWrite(v) && g.Loc(v) != g.Loc(w) &&
				slices.Contains(g.Returned(u), s.current[g.Loc(v)]) {
				waits[u][v] = true
			}
		}
	}
	for k := range n {
		for u := range n {
			for v := range n {
				waits[u][v] = waits[u][v] || waits[u][k] && waits[k][v]
			}
		}
	}
	for u := range n {
		for r := range n {
			if u != w && g.IsWrite(u) && g.Loc(u) == g.Loc(w) && g.Writer(u) != int32(w) && waits[u][r] && slices.Contains(g.Returned(r), int32(w)) {
				return true
			}
		}
	}
	return false
}

// In every state of small histories, what looking ahead refuses leads nowhere, and
// it refuses whatever waits for itself. The nogoods hold wherever their
// reasons do, also those learned from nogoods.
func TestLookahead(t *testing.T) {
	refused, chained := 0, 0
	check := func(h *parse.History) {
		for _, m := range totals {
			if g := unsaturated(t, h, m); !g.Contradictory() {
				mc := newMachine(g)
				mc.eachState(func(_ state, seq []saturate.Node) {
					p := foreseen(g, seq)
					p.settle()
					s := mc.at(p.seq)
					for again := true; again; {
						again = false
						for _, v := range mc.moves(s) {
							learned := len(p.all)
							if p.deferred(v) {
								continue
							}
							if want := learned == 0 && mc.mustPrecede(s, v); !p.foresee(v) {
								if want {
									t.Fatalf("%s: after %v the decision %d waits for itself\n%s", m.Name, p.seq, v, text(h))
								}
								continue
							}
							again = true
							refused++
							if learned > 0 {
								chained++
							}
							q := p.all[learned]
							kept := 0
							if len(q.reasons) > 0 {
								kept = slices.Index(p.seq, q.reasons[len(q.reasons)-1].write) + 1
							}
							if q.decision != v || mc.completableBefore(mc.at(p.seq[:kept]), v, q.until) {
								t.Fatalf("%s: after %v, due to %v, %d need not follow %d\n%s", m.Name, p.seq, q.reasons, v, q.until, text(h))
							}
						}
					}
				})
			}
		}
	}
	for seed := range many(1000) {
		check(draw(rand.New(rand.NewPCG(seed, 71)), 4, 10))
	}
	for seed := range uint64(scale.Of(4, 8, 40)) {
		p := histgen.Params{Threads: 4, Ops: 14, Locations: 3, Fences: 0.1}
		check(histgen.Machine(rand.New(rand.NewPCG(seed, 72)), model.RMO, p).History)
	}
	for seed := range many(300) {
		check(drawFenced(rand.New(rand.NewPCG(seed, 73)), 6, 11))
	}
	t.Logf("%d decisions refused, %d of them after nogoods", refused, chained)
	if refused == 0 || chained == 0 {
		t.Error("nothing tested")
	}
}

// Looking ahead reorders the lists of sources, which stay what they are.
func TestSourcesStay(t *testing.T) {
	p := histgen.Params{Threads: 4, Ops: 400, Locations: 6, Writes: 0.4, Fences: 0.1}
	h := histgen.Machine(rand.New(rand.NewPCG(3, 4)), model.RMO, p).History
	g, err := saturate.Build(h, model.RMO)
	if err != nil {
		t.Fatal(err)
	}
	sorted := func() (lists [][]saturate.Node) {
		for v := range saturate.Node(g.Nodes()) {
			lists = append(lists, slices.Sorted(slices.Values(g.Sources(v))))
		}
		return lists
	}
	before := sorted()
	q := foreseen(g, nil)
	q.settle()
	for q.choices.Len() > 0 {
		if v := q.choices.Pop(); q.wait[v] == 0 && !q.placed[v] && q.writable(v) {
			q.commit(v)
		}
		q.settle()
	}
	if q.look.search < 5 {
		t.Errorf("%d searches", q.look.search)
	}
	for v, list := range sorted() {
		if !slices.Equal(list, before[v]) {
			t.Fatalf("sources of %d are %v, were %v", v, list, before[v])
		}
	}
}

// idleNodes counts the nodes that are skipped, each of which must wait for nothing but
// the one before it in its chain, or be placed.
func idleNodes(t *testing.T, p *placer) (count int) {
	for at, known := range p.look.idle {
		if known>>runBits != p.look.epoch {
			continue
		}
		for place := int32(at); place >= int32(at)-int32(known&longestRun); place-- {
			v := p.g.Nth(place)
			waits := p.wait[v]
			if v != p.heads[p.g.Chain(v)] {
				waits--
			}
			if !p.placed[v] && (p.g.IsWrite(v) || waits > 0) {
				t.Fatalf("after %d placements: node %d is skipped, and waits for %d", len(p.seq), v, waits)
			}
			count++
		}
	}
	return count
}

// What a search skips as idle is what it would find nothing behind, also after
// placements were taken back.
func TestIdle(t *testing.T) {
	found, skipped := 0, 0
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 9))
		h := histgen.Machine(rng, model.PSO, histgen.Params{Threads: 6, Ops: 1500, Locations: 12, Writes: 0.3}).History
		g, err := saturate.Build(h, model.PSO)
		if err != nil {
			t.Fatal(err)
		}
		p := foreseen(g, nil)
		for decisions := 1; ; decisions++ {
			p.settle()
			if p.choices.Len() == 0 {
				break
			}
			v := p.choices.Pop()
			if p.wait[v] > 0 || p.placed[v] || !p.writable(v) {
				continue
			}
			u, _ := p.precedes(v)
			skipped += idleNodes(t, p)
			idle, epoch := slices.Clone(p.look.idle), p.look.epoch
			p.look.newEpoch()
			if all, _ := p.precedes(v); u != all {
				t.Fatalf("seed %d, after %d placements: %d precedes %d, without skipping %d", seed, len(p.seq), u, v, all)
			}
			p.look.idle, p.look.epoch = idle, epoch
			if u != saturate.NoNode {
				found++
			}
			p.commit(v)
			if decisions%4 == 0 && decisions < 2000 {
				p.backTo(len(p.seq) - min(rng.IntN(60), len(p.seq)))
			}
		}
	}
	if found < 10 || skipped < 100 {
		t.Errorf("%d found, %d runs", found, skipped)
	}
}
