package saturate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// totals are the models that this package claims.
var totals = []model.Model{model.SC, model.TSO, model.PSO, model.RMO}

// relation is a binary relation on the operations of a history followed by
// one initial write for each location: the reference implementation keeps every
// pair.
type relation struct {
	n, words int
	bits     []uint64
}

func newRelation(n int) *relation {
	words := (n + 63) / 64
	return &relation{n, words, make([]uint64, n*words)}
}

func (r *relation) has(a, b int) bool { return r.bits[a*r.words+b/64]>>(b%64)&1 != 0 }

// add reports whether the pair is new.
func (r *relation) add(a, b int) bool {
	old := r.has(a, b)
	r.bits[a*r.words+b/64] |= 1 << (b % 64)
	return !old
}

// transitive closes the relation as Floyd and Warshall do.
func (r *relation) transitive() {
	for k := range r.n {
		via := r.bits[k*r.words : (k+1)*r.words]
		for a := range r.n {
			if a == k || !r.has(a, k) {
				continue
			}
			row := r.bits[a*r.words : (a+1)*r.words]
			for i, w := range via {
				row[i] |= w
			}
		}
	}
}

func (r *relation) acyclic() bool {
	for a := range r.n {
		if r.has(a, a) {
			return false
		}
	}
	return true
}

// facts calls f for every pair of accesses that the history orders under the
// model without any rule, from the definitions: pairs of program order, one
// by one, reads-from, and what is known of memory. A load before a store to
// its location is a pair of its own only if the model orders any load before
// a later store; otherwise what the load returned precedes the store.
func facts(h *parse.History, m model.Model, f func(a, b int)) {
	own := func(a, b parse.OpID) bool { return a >= 0 && b >= 0 && h.Thread(a) == h.Thread(b) }
	for t := range h.Threads() {
		for a := h.Start[t]; a < h.Start[t+1]; a++ {
			mask := m.PPO
			for b := a + 1; b < h.Start[t+1]; b++ {
				p, q := &h.Ops[a], &h.Ops[b]
				if q.Kind == parse.Fence {
					mask |= q.Mask
				}
				if p.Kind == parse.Fence || q.Kind == parse.Fence {
					continue
				}
				same := p.Loc == q.Loc
				if parse.Components(p, q)&mask != 0 ||
					same && p.Writes() && q.Writes() ||
					same && p.Reads() && q.Reads() && m.LoadLoadSameLoc {
					f(int(a), int(b))
				}
				if same && p.Kind == parse.Read && q.Writes() && p.RF != parse.Init && !(own(a, p.RF) && p.RF > a) {
					if p.RF != b && (m.PPO == 0) {
						f(int(p.RF), int(b)) // coRW
					}
				}
				if same && p.Writes() && q.Kind == parse.Read && m.ForwardOwn && q.RF != parse.Init && q.RF != a {
					f(int(a), int(q.RF)) // coWR
				}
			}
		}
	}
	for b := range h.Ops {
		o := &h.Ops[b]
		if o.Reads() && o.RF != parse.Init && (!own(o.RF, parse.OpID(b)) || !m.ForwardOwn || o.Kind == parse.RMW) {
			f(int(o.RF), b)
		}
	}
	if m.Rules != nil {
		brute.Local(h, m, f)
		loadsInOrder(h, f)
	}
	for _, d := range h.Deps {
		if m.Rules == nil && m.Deps && h.Ops[d.To].Kind != parse.Fence {
			f(int(d.From), int(d.To))
		}
	}
	for a := range h.Ops {
		o := &h.Ops[a]
		if o.Writes() && h.Final != nil && h.Final[o.Loc] >= 0 && h.Final[o.Loc] != parse.OpID(a) {
			f(a, int(h.Final[o.Loc]))
		}
	}
	for _, order := range h.StoreOrder {
		for i := range order {
			for _, a := range order[:i] {
				f(int(a), int(order[i]))
			}
		}
	}
}

// loadsInOrder calls f with what two reads of a location return, in their order,
// where no own write lies between (coRR).
func loadsInOrder(h *parse.History, f func(a, b int)) {
	for t := range h.Threads() {
		for b := h.Start[t]; b < h.Start[t+1]; b++ {
			for a := b - 1; a >= h.Start[t] && h.Ops[b].Kind == parse.Read; a-- {
				p, q := &h.Ops[a], &h.Ops[b]
				if p.Kind == parse.Fence || p.Loc != q.Loc {
					continue
				}
				if p.Writes() {
					break
				}
				w, v := int(p.RF), int(q.RF)
				if q.RF == parse.Init {
					v = len(h.Ops) + int(q.Loc)
				}
				if p.RF != parse.Init && w != v {
					f(w, v)
				}
			}
		}
	}
}

// absurd reports whether the history contradicts itself before any rule: a
// read of what its own thread writes later, or, where dependencies count, a
// value out of thin air.
func absurd(h *parse.History, m model.Model) bool {
	air := newRelation(len(h.Ops))
	for id := range h.Ops {
		o := &h.Ops[id]
		if o.Reads() && o.RF >= 0 {
			if o.RF > parse.OpID(id) && h.Thread(o.RF) == h.Thread(parse.OpID(id)) {
				return true
			}
			air.add(int(o.RF), id)
		}
	}
	for _, d := range h.Deps {
		if m.Deps {
			air.add(int(d.From), int(d.To))
		}
	}
	air.transitive()
	return !air.acyclic()
}

// fixpoint is the least transitive relation with all facts and further pairs
// that rules A and B lead nowhere beyond, initial writes being ordinary
// elements: location x's is number len(h.Ops)+x. It is cyclic just if there
// is a contradiction, unless the history is absurd.
func fixpoint(h *parse.History, m model.Model, further ...[2]parse.OpID) *relation {
	n := len(h.Ops)
	r := newRelation(n + len(h.Locations))
	facts(h, m, func(a, b int) { r.add(a, b) })
	for _, e := range further {
		r.add(int(e[0]), int(e[1]))
	}
	writes := make([][]int, len(h.Locations))
	readers := make([][]int, r.n)
	var reads []int
	source := make([]int, n)
	for x := range writes {
		writes[x] = []int{n + x}
	}
	for id := range h.Ops {
		o := &h.Ops[id]
		if o.Writes() {
			r.add(n+int(o.Loc), id)
			writes[o.Loc] = append(writes[o.Loc], id)
			if h.Final != nil && h.Final[o.Loc] == parse.Init {
				r.add(id, n+int(o.Loc))
			}
		}
		if o.Reads() {
			source[id] = int(o.RF)
			if o.RF == parse.Init {
				source[id] = n + int(o.Loc)
			}
			readers[source[id]] = append(readers[source[id]], id)
			reads = append(reads, id)
			if o.RF == parse.Init && m.ForwardOwn { // coWR with the initial write
				for a := h.Start[h.Thread(parse.OpID(id))]; a < parse.OpID(id); a++ {
					if p := &h.Ops[a]; p.Writes() && p.Loc == o.Loc {
						r.add(int(a), source[id])
					}
				}
			}
		}
	}
	for more := true; more; {
		more = false
		r.transitive()
		for _, read := range reads {
			for _, u := range writes[h.Ops[read].Loc] {
				if u != source[read] && u != read && r.has(u, read) && r.add(u, source[read]) {
					more = true // rule A
				}
			}
		}
		for _, ws := range writes {
			for _, w := range ws {
				for _, v := range ws {
					if w == v || !r.has(w, v) {
						continue
					}
					for _, read := range readers[w] {
						if read != v && r.add(read, v) {
							more = true // rule B
						}
					}
				}
			}
		}
	}
	return r
}

// saturated builds and saturates the graph of a history.
func saturated(t testing.TB, h *parse.History, m model.Model) (*saturate.Graph, bool) {
	t.Helper()
	g, err := saturate.Build(h, m)
	if err != nil {
		t.Fatal(err)
	}
	ok, err := g.Saturate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g, ok
}

// draw makes a history: what a machine did, perhaps with reads changed, or
// one with reads-from at random, perhaps with more known than operations.
func draw(rng *rand.Rand, p histgen.Params) *parse.History {
	p.RMWs, p.Fences, p.Deps = 0.2*float64(rng.IntN(2)), 0.25*float64(rng.IntN(2)), 0.5*float64(rng.IntN(2))
	p.Writes, p.Burst, p.Depth = 0.2+0.4*rng.Float64(), 1+rng.IntN(4), 1+rng.IntN(8)
	run := histgen.Machine(rng, totals[rng.IntN(len(totals))], p)
	h := run.History
	switch rng.IntN(10) {
	case 0:
		h = histgen.Random(rng, p)
	case 1, 2, 3:
		h = histgen.Mutate(rng, run, 1+rng.IntN(3))
	case 4:
		h.StoreOrder = h.Writes(run.Order)
	case 5:
		h.Final = histgen.Final(h, run.Order)
	}
	if rng.IntN(3) == 0 { // whatever the machine, every fence of another kind
		for id := range h.Ops {
			if h.Ops[id].Kind == parse.Fence {
				h.Ops[id].Mask = parse.FenceMask(1 + rng.IntN(15))
			}
		}
	}
	switch rng.IntN(12) {
	case 0:
		histgen.AddFinal(rng, h)
	case 1:
		histgen.AddStoreOrder(rng, h)
	}
	return h
}

// small is the size of the histories that are drawn by the hundred.
func small(rng *rand.Rand) histgen.Params {
	return histgen.Params{Threads: 1 + rng.IntN(5), Ops: 3 + rng.IntN(28), Locations: 1 + rng.IntN(4)}
}

// many is half of n, a tenth with -short, and all with -soak.
func many(n uint64) uint64 { return scale.Of(n/10, n/4, n) }

func dump(h *parse.History) string {
	var b strings.Builder
	if err := axe.Write(&b, h); err != nil {
		return err.Error()
	}
	return b.String() + fmt.Sprintf("store order %v, dependencies %v\n", h.StoreOrder, h.Deps)
}
