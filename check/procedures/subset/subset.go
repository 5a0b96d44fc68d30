// Package subset decides a history by the dynamic programme of Chini and
// Saivasan (FSTTCS 2020, Sect. 3) over sets of writes: O(2^k · k² · n²) for k
// writes among n operations, which is optimal for SC, TSO and PSO unless the
// exponential time hypothesis fails.
package subset

import (
	"context"
	"fmt"
	"math/bits"

	"ordeal/check/procedures"
	"ordeal/check/procedures/precedence"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// MaxWrites is how many writes a history may have: with more the answer is
// Unknown. The table has at most 2^MaxWrites entries.
const MaxWrites = 24

// Procedure is complete up to MaxWrites writes. A full table is no
// refutation: see procedures.Searching.
//
// The paper asks for two acyclic graphs, Gloc and Gmm, at each step. Here one
// graph serves both: that of package precedence, whose coherence arcs say
// what Gloc adds (and which has fences and RMWs, which the paper leaves out).
var Procedure = procedures.Searching(search.Procedure{
	Name:     "subset",
	Summary:  fmt.Sprintf("dynamic programme over sets of writes, up to %d writes", MaxWrites),
	Supports: search.Total,
}, procedures.InferNothing, func(ctx context.Context, g *precedence.Graph, limits search.Limits, v *witness.Verdict) ([]parse.OpID, error) {
	t := newTable(g)
	if len(t.writes) > MaxWrites {
		v.Reason = fmt.Sprintf("%d writes: more than the %d that this procedure takes", len(t.writes), MaxWrites)
		return nil, nil
	}
	if err := limits.Check(int64(1) << len(t.writes) / 8); err != nil {
		return nil, err
	}
	if found, err := t.fill(ctx); !found {
		return nil, err
	}
	return t.order(), nil
})

// set is a set of writes, as bits.
type set uint32

// table is the programme's table T: T[V] holds if some order of the writes of
// V, after all others, makes the graph acyclic. It is filled from the empty set
// upwards, depth first, each write put before those of the set.
type table struct {
	g      *precedence.Graph
	writes []precedence.Node
	number []int   // node → index in writes
	sameAs []set   // write → the writes to its location
	read   [][]int // write → its readers
	wait   []int32 // node → arcs into it
	seen   []uint64
	chosen []int // the writes put in front, latest last

	// Scratch of acyclic.
	left  []int32
	queue []precedence.Node
}

func newTable(g *precedence.Graph) *table {
	t := &table{g: g, number: make([]int, g.Nodes), wait: g.InDegrees(), left: make([]int32, g.Nodes)}
	h := g.History
	of := make([]set, len(h.Locations))
	for i := range h.Ops {
		t.number[i] = -1
		if op := &h.Ops[i]; op.Writes() {
			t.number[i] = len(t.writes)
			t.writes = append(t.writes, precedence.Node(i))
			of[op.Loc] |= 1 << (t.number[i] % 32)
		}
	}
	for _, w := range t.writes {
		t.sameAs = append(t.sameAs, of[h.Ops[w].Loc])
	}
	t.read = make([][]int, len(t.writes))
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() && op.RF != parse.Init {
			w := t.number[op.RF]
			t.read[w] = append(t.read[w], i)
		}
	}
	return t
}

// fill reports whether T holds for the set of all writes; t.chosen is then
// their order, last first.
func (t *table) fill(ctx context.Context) (bool, error) {
	t.seen = make([]uint64, (1<<len(t.writes)+63)/64)
	all := set(1)<<len(t.writes) - 1
	steps := 0
	var extend func(v set) (bool, error)
	extend = func(v set) (bool, error) {
		if v == all {
			return true, nil
		}
		for w := range t.writes {
			next := v | 1<<w
			if next == v || t.seen[next/64]>>(next%64)&1 != 0 {
				continue
			}
			if steps++; steps%256 == 0 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			if !t.acyclic(v, w) {
				continue
			}
			t.seen[next/64] |= 1 << (next % 64)
			t.chosen = append(t.chosen, w)
			if found, err := extend(next); found || err != nil {
				return found, err
			}
			t.chosen = t.chosen[:len(t.chosen)-1]
		}
		return false, nil
	}
	return extend(0)
}

// acyclic tests the coherence graph of v and w (Def. 4): the graph with the
// arcs that follow from w being before the writes of v, and the others before
// w, in no order.
func (t *table) acyclic(v set, w int) bool {
	copy(t.left, t.wait)
	others := (1<<len(t.writes) - 1) &^ v &^ (1 << w)
	t.left[t.writes[w]] += int32(bits.OnesCount32(uint32(others)))
	each(v, func(i int) { t.left[t.writes[i]]++ })
	t.conflicts(v, w, others, func(_, to precedence.Node) { t.left[to]++ })
	t.queue = t.queue[:0]
	for n, k := range t.left {
		if k == 0 {
			t.queue = append(t.queue, precedence.Node(n))
		}
	}
	arrive := func(n precedence.Node) {
		if t.left[n]--; t.left[n] == 0 {
			t.queue = append(t.queue, n)
		}
	}
	for i := 0; i < len(t.queue); i++ {
		n := t.queue[i]
		for _, a := range t.g.Out(n) {
			arrive(a.To)
		}
		if int(n) >= len(t.g.History.Ops) {
			continue
		}
		if k := t.number[n]; k == w {
			each(v, func(i int) { arrive(t.writes[i]) })
		} else if k >= 0 && others>>k&1 != 0 {
			arrive(t.writes[w])
		}
		t.conflictsOf(n, v, w, others, arrive)
	}
	return len(t.queue) == len(t.left)
}

func each(s set, f func(int)) {
	for ; s != 0; s &= s - 1 {
		f(bits.TrailingZeros32(uint32(s)))
	}
}

// conflicts calls f for each arc of cf[v, w].
func (t *table) conflicts(v set, w int, others set, f func(from, to precedence.Node)) {
	for k := range t.writes {
		if k != w && others>>k&1 == 0 {
			continue
		}
		for _, r := range t.read[k] {
			t.conflictsOf(precedence.Node(r), v, w, others, func(to precedence.Node) { f(precedence.Node(r), to) })
		}
	}
}

// conflictsOf calls f for the targets of the arcs of cf[v, w] from a node.
func (t *table) conflictsOf(n precedence.Node, v set, w int, others set, f func(to precedence.Node)) {
	op := &t.g.History.Ops[n]
	if !op.Reads() || op.RF == parse.Init {
		return
	}
	var later set
	switch k := t.number[op.RF]; {
	case k == w:
		later = v
	case others>>k&1 != 0:
		later = v | 1<<w
	default:
		return
	}
	each(later&t.sameAs[t.number[op.RF]], func(i int) {
		if to := t.writes[i]; to != n {
			f(to)
		}
	})
}

func (t *table) order() []parse.OpID {
	var arcs []precedence.Arc
	rank := make([]int, len(t.writes)) // from the end
	for i, w := range t.chosen {
		rank[w] = i
		if i > 0 {
			arcs = append(arcs, precedence.Arc{From: t.writes[w], To: t.writes[t.chosen[i-1]]})
		}
	}
	for i := range t.g.History.Ops {
		op := &t.g.History.Ops[i]
		if !op.Reads() || op.RF == parse.Init {
			continue
		}
		from := t.number[op.RF]
		each(t.sameAs[from], func(to int) {
			if rank[to] < rank[from] && t.writes[to] != precedence.Node(i) {
				arcs = append(arcs, precedence.Arc{From: precedence.Node(i), To: t.writes[to]})
			}
		})
	}
	order, _ := t.g.With(arcs).Order()
	return order
}
