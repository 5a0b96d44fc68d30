package search

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// totals are the models that the procedures of this package claim.
var totals = []model.Model{model.SC, model.TSO, model.PSO, model.RMO}

// machine is the reference implementation of the placer: it places the nodes of
// a graph in every possible way, and knows no safe moves.
type machine struct {
	g     *saturate.Graph
	preds [][]saturate.Node
	memo  map[string]bool
}

func newMachine(g *saturate.Graph) *machine {
	m := &machine{g: g, preds: make([][]saturate.Node, g.Nodes()), memo: map[string]bool{}}
	for v := range saturate.Node(g.Nodes()) {
		g.Successors(v, func(s saturate.Node) bool {
			m.preds[s] = append(m.preds[s], v)
			return true
		})
	}
	return m
}

// state is what is placed, and the writer of each location's present value.
type state struct {
	placed  []bool
	current []int32
}

func (m *machine) start() state {
	s := state{make([]bool, m.g.Nodes()), make([]int32, len(m.g.History().Locations))}
	for x := range s.current {
		s.current[x] = int32(m.g.Nodes() + x)
	}
	return s
}

// at is the state that a placer is in.
func (m *machine) at(seq []saturate.Node) state {
	s := m.start()
	for _, v := range seq {
		s = m.after(s, v)
	}
	return s
}

// after is the state after one more node.
func (m *machine) after(s state, v saturate.Node) state {
	n := state{append([]bool(nil), s.placed...), append([]int32(nil), s.current...)}
	n.placed[v] = true
	if m.g.IsWrite(v) {
		n.current[m.g.Loc(v)] = int32(v)
	}
	return n
}

// legal reports whether v may come next: all that precedes it is placed; a
// read finds its value in memory or in its thread's store buffer; and a write
// replaces no value that another read still waits for.
func (m *machine) legal(s state, v saturate.Node) bool {
	g := m.g
	if s.placed[v] {
		return false
	}
	for _, u := range m.preds[v] {
		if !s.placed[u] {
			return false
		}
	}
	if g.IsFence(v) {
		return true
	}
	cur := s.current[g.Loc(v)]
	if g.IsRead(v) && cur != g.Writer(v) {
		w := g.Writer(v)
		if g.IsWrite(v) || int(w) >= g.Nodes() || s.placed[w] {
			return false
		}
		h := g.History()
		if a, b := g.Op(saturate.Node(w)), g.Op(v); h.Thread(a) != h.Thread(b) || a > b {
			return false
		}
	}
	if g.IsWrite(v) {
		for u := range saturate.Node(g.Nodes()) {
			if u != v && !s.placed[u] && slices.Contains(g.Returned(u), cur) {
				return false
			}
		}
	}
	return true
}

func (m *machine) moves(s state) []saturate.Node {
	var out []saturate.Node
	for v := range saturate.Node(m.g.Nodes()) {
		if m.legal(s, v) {
			out = append(out, v)
		}
	}
	return out
}

func (s state) key() string {
	var k []byte
	for _, p := range s.placed {
		if p {
			k = append(k, 1)
		} else {
			k = append(k, 0)
		}
	}
	for _, w := range s.current {
		k = append(k, byte(w), byte(w>>8))
	}
	return string(k)
}

// completable reports whether some sequence of moves places everything.
func (m *machine) completable(s state) bool {
	k := s.key()
	if ok, known := m.memo[k]; known {
		return ok
	}
	ok := true
	for _, p := range s.placed {
		ok = ok && p
	}
	if !ok {
		for _, v := range m.moves(s) {
			if ok = m.completable(m.after(s, v)); ok {
				break
			}
		}
	}
	m.memo[k] = ok
	return ok
}

// graphOf saturates a history's graph; nil if that refutes it.
func graphOf(t testing.TB, h *parse.History, m model.Model) *saturate.Graph {
	t.Helper()
	g, err := saturate.Build(h, m)
	if err != nil {
		t.Fatal(err)
	}
	ok, err := g.Saturate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return nil
	}
	return g
}

// unsaturated is the graph of a history with its static edges.
func unsaturated(t testing.TB, h *parse.History, m model.Model) *saturate.Graph {
	t.Helper()
	g, err := saturate.Build(h, m)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// drawFenced makes a history in which full fences alone order loads under RMO.
func drawFenced(rng *rand.Rand, lo, hi int) *parse.History {
	p := histgen.Params{
		Threads: 2 + rng.IntN(3), Ops: lo + rng.IntN(hi-lo+1), Locations: 1 + rng.IntN(3), Writes: 0.3 + 0.2*rng.Float64(),
		RMWs: 0.15 * float64(rng.IntN(2)), Fences: 0.1 + 0.2*rng.Float64(), Burst: 1 + rng.IntN(3),
	}
	run := histgen.Machine(rng, totals[rng.IntN(len(totals))], p)
	if rng.IntN(3) > 0 {
		return histgen.Mutate(rng, run, 1+rng.IntN(3))
	}
	return run.History
}

// draw makes a history of lo to hi operations that has many decisions: few
// locations, much written.
func draw(rng *rand.Rand, lo, hi int) *parse.History {
	p := histgen.Params{
		Threads: 2 + rng.IntN(4), Ops: lo + rng.IntN(hi-lo+1), Locations: 1 + rng.IntN(2), Writes: 0.4 + 0.2*rng.Float64(),
		RMWs: 0.15 * float64(rng.IntN(2)), Fences: 0.1 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
		Deps: 0.4 * float64(rng.IntN(2)), Burst: 1 + rng.IntN(3),
	}
	run := histgen.Machine(rng, totals[rng.IntN(len(totals))], p)
	if rng.IntN(3) > 0 {
		return histgen.Mutate(rng, run, 1+rng.IntN(3))
	}
	return run.History
}

// accepted fails the test unless the evidence of a verdict is accepted.
func accepted(t testing.TB, h *parse.History, m model.Model, v witness.Verdict) {
	t.Helper()
	var err error
	switch v.Answer {
	case witness.Allowed:
		err = witness.Replay(h, m, v.Order)
	case witness.Forbidden:
		err = witness.Verify(h, m, v.Refutation)
	}
	if err != nil {
		t.Fatalf("%s by %s: %v: %v\n%s", m.Name, v.Procedure, v.Answer, err, text(h))
	}
}

func text(h *parse.History) string {
	var b strings.Builder
	if err := axe.Write(&b, h); err != nil {
		return err.Error()
	}
	return b.String()
}

// many is n, or a tenth of it with -short.
func many(n uint64) uint64 { return scale.Of(n/10, n/5, n) }

// estimate is the most that a saturated graph takes, in bytes.
func estimate(h *parse.History, m model.Model) int64 {
	g, err := saturate.Build(h, m)
	if err != nil {
		panic(err)
	}
	return g.EstimateBytes()
}
