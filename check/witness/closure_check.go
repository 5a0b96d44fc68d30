package witness

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/parse"
)

// clocks hold, for each operation and each row in a range, the rank of a write: of the
// last that leads to the operation or is it, 0 for none (forward), or of the first
// that it leads to or is, never for none (backward).
type clocks struct {
	g        *closureGraph
	lo, wide int // first row, number of rows
	of       []int32
}

const never = math.MaxInt32

func (g *closureGraph) clocks(wide int) *clocks {
	return &clocks{g: g, wide: wide, of: make([]int32, wide*len(g.h.Ops))}
}

func (c *clocks) at(id parse.OpID) []int32 {
	lo := int(c.g.place[id]) * c.wide
	return c.of[lo : lo+c.wide : lo+c.wide]
}

// has reports whether a row is in the range.
func (c *clocks) has(row int32) bool { return int(row) >= c.lo && int(row) < c.lo+c.wide }

// rank is the entry of a row in the clock of id.
func (c *clocks) rank(id parse.OpID, row int32) int32 { return c.at(id)[int(row)-c.lo] }

// forward computes clocks along arcs, which must go along with the order.
func (c *clocks) forward(in arcsInto) {
	for v, id := range c.g.order {
		at := c.of[v*c.wide : (v+1)*c.wide]
		clear(at)
		for _, u := range in.of(int32(v)) {
			for i, x := range c.of[int(u)*c.wide:][:len(at)] {
				at[i] = max(at[i], x)
			}
		}
		if row := c.g.row[id]; c.has(row) {
			at[int(row)-c.lo] = c.g.rank[id]
		}
	}
}

// backward does so against the arcs.
func (c *clocks) backward(in arcsInto) {
	for i := range c.of {
		c.of[i] = never
	}
	for v, id := range slices.Backward(c.g.order) {
		at := c.of[v*c.wide : (v+1)*c.wide]
		if row := c.g.row[id]; c.has(row) {
			at[int(row)-c.lo] = c.g.rank[id]
		}
		for _, u := range in.of(int32(v)) {
			lower(c.of[int(u)*c.wide:], at)
		}
	}
}

// lower makes a the minimum of a and b.
func lower(a, b []int32) {
	a = a[:len(b)]
	for i, x := range b {
		a[i] = min(a[i], x)
	}
}

// last yields, by forward clocks, the last write of each row to the location of a
// read that leads to it, except rows of which a clock, if not nil, has as much.
func (c *clocks) last(r parse.OpID, known []int32) iter.Seq[parse.OpID] {
	return func(yield func(parse.OpID) bool) {
		at, own := c.at(r), c.g.row[r]
		for _, p := range c.g.parts[c.g.h.Ops[r].Loc] {
			if !c.has(p.row) {
				continue
			}
			rank := at[int(p.row)-c.lo]
			if own == p.row {
				rank--
			}
			if known != nil && known[int(p.row)-c.lo] >= rank {
				continue
			}
			if n := p.upTo(rank); n > 0 && !yield(p.writes[n-1]) {
				return
			}
		}
	}
}

// first yields, by backward clocks, the first write of each row to a location that a
// write to it, or the initial one, leads to, except rows of which a clock, if not nil,
// has as much.
func (c *clocks) first(w parse.OpID, x int32, known []int32) iter.Seq[parse.OpID] {
	return func(yield func(parse.OpID) bool) {
		var at []int32
		own := int32(-1)
		if w != parse.Init {
			at, own = c.at(w), c.g.row[w]
		}
		for _, p := range c.g.parts[x] {
			if !c.has(p.row) {
				continue
			}
			n := 0
			if at != nil {
				rank := at[int(p.row)-c.lo]
				if own == p.row {
					rank++
				}
				if known != nil && known[int(p.row)-c.lo] <= rank {
					continue
				}
				n = p.upTo(rank - 1)
			}
			if n < len(p.writes) && !yield(p.writes[n]) {
				return
			}
		}
	}
}

// closedA checks rule A for the reads among operations, by forward clocks.
func (c *clocks) closedA(ops []parse.OpID) error {
	g := c.g
	for _, r := range ops {
		w := g.h.Ops[r].RF
		if !g.h.Ops[r].Reads() {
			continue
		}
		var at []int32 // of w
		if w != parse.Init {
			at = c.at(w)
		}
		for u := range c.last(r, at) {
			if u != w && (at == nil || at[int(g.row[u])-c.lo] < g.rank[u]) {
				return g.precedes(u, r)
			}
		}
	}
	return nil
}

// closedB checks rule B for all reads, by backward clocks.
func (c *clocks) closedB() error {
	g := c.g
	for _, r := range g.order {
		o := &g.h.Ops[r]
		if !o.Reads() {
			continue
		}
		at := c.at(r)
		for u := range c.first(o.RF, o.Loc, at) {
			if at[int(g.row[u])-c.lo] > g.rank[u] {
				return g.follows(u, r)
			}
		}
	}
	return nil
}

// precedes is the fault that a write precedes a read, but not what that returned, and
// follows that it follows what the read returned, but not the read.
func (g *closureGraph) precedes(u, r parse.OpID) error {
	o := &g.h.Ops[r]
	return fmt.Errorf("%s precedes %s, but not %s, which that returned", name(g.h, u, -1), name(g.h, r, -1), name(g.h, o.RF, o.Loc))
}

func (g *closureGraph) follows(u, r parse.OpID) error {
	o := &g.h.Ops[r]
	return fmt.Errorf("%s follows %s, but not %s, which returned that", name(g.h, u, -1), name(g.h, o.RF, o.Loc), name(g.h, r, -1))
}

// manyRows is how many rows are checked together, so that memory does not grow with
// their number: wPSO has one for each thread and location.
const manyRows = 64

// checkSaturated checks a closure of wSC, wTSO or wPSO.
func checkSaturated(h *parse.History, m model.Model, closure *Closure) error {
	b := baseArcs{h: h, m: m, arcs: make([]Arc, 0, 3*len(h.Ops)+len(closure.Arcs))}
	b.programOrder()
	b.readsFrom()
	if m.ForwardOwn {
		if err := errors.Join(b.future(), b.ownStores()); err != nil {
			return err
		}
	}
	if err := b.memory(); err != nil {
		return err
	}
	arcs := append(b.arcs, closure.Arcs...)
	g, err := newClosureGraph(h, m, arcs)
	if err != nil {
		return err
	}
	c, in := g.clocks(min(g.rows, manyRows)), g.incoming(arcs)
	for ; c.lo == 0 || c.lo < g.rows; c.lo += manyRows {
		c.forward(in)
		if err := c.closedA(g.order); err != nil {
			return err
		}
		c.backward(in)
		if err := c.closedB(); err != nil {
			return err
		}
	}
	return nil
}

// checkConvergent checks a closure of CCM or wCCM.
func checkConvergent(h *parse.History, m model.Model, closure *Closure) error {
	if len(closure.Local) > h.Threads() {
		return errors.New("there are more local closures than threads")
	}
	b := baseArcs{h: h, m: m}
	b.programOrder()
	b.readsFrom()
	base := len(b.arcs)
	for _, arcs := range closure.Local {
		b.arcs = append(b.arcs, arcs...)
	}
	hb := len(b.arcs)
	if m.ForwardOwn {
		if err := b.ownStores(); err != nil {
			return err
		}
	}
	whb := len(b.arcs)
	all := append(append(b.arcs, closure.Conflicts...), closure.Arcs...)
	g, err := newClosureGraph(h, m, all)
	if err != nil {
		return err
	}
	c := g.clocks(g.rows)
	if err := c.local(all[:base], closure.Local); err != nil {
		return err
	}
	c.backward(g.incoming(all[:whb]))
	pww, err := c.storeOrder(closure.Conflicts)
	if err != nil {
		return err
	}
	c.forward(g.incoming(all[:hb]))
	if err := c.conflicts(&b, pww); err != nil {
		return err
	}
	// Own stores that precede an RMW by arcs have pww before what it returned, too.
	for _, a := range all[hb:whb] {
		if o := &h.Ops[a.To]; o.Reads() && o.RF != a.From && !pww.orders(a.From, o.RF) {
			return g.precedes(a.From, a.To)
		}
	}
	c.backward(g.incoming(all))
	return c.readWrite(pww)
}

// local checks, thread by thread, that the base edges and the thread's local arcs are
// closed under rule A for its reads.
func (c *clocks) local(base []Arc, local [][]Arc) error {
	h, plain := c.g.h, false // whether the clocks are those of base alone
	of := make([][]parse.OpID, h.Threads())
	for _, id := range c.g.order {
		t := h.Thread(id)
		of[t] = append(of[t], id)
	}
	for t := range of {
		arcs := base
		if t < len(local) {
			arcs = append(base[:len(base):len(base)], local[t]...)
		}
		if !plain || len(arcs) > len(base) {
			c.forward(c.g.incoming(arcs))
		}
		plain = len(arcs) == len(base)
		if err := c.closedA(of[t]); err != nil {
			return err
		}
	}
	return nil
}

// storeOrder computes pww from backward clocks and conflicts: for each write and row
// the first write to its location that it precedes.
func (c *clocks) storeOrder(conflicts []Arc) (*clocks, error) {
	h, g := c.g.h, c.g
	for _, a := range conflicts {
		if from, to := &h.Ops[a.From], &h.Ops[a.To]; !from.Writes() || !to.Writes() || from.Loc != to.Loc {
			return nil, fmt.Errorf("a conflict of %s with %s: not two writes to one location", name(h, a.From, -1), name(h, a.To, -1))
		}
	}
	start, out := closure.Group(len(h.Ops), conflicts, func(a Arc) int32 { return int32(a.From) })
	pww := g.clocks(g.rows)
	for _, w := range slices.Backward(g.order) {
		if !h.Ops[w].Writes() {
			continue
		}
		at := pww.at(w)
		for i := range at {
			at[i] = never
		}
		add := func(u parse.OpID) {
			at[g.row[u]] = min(at[g.row[u]], g.rank[u])
			lower(at, pww.at(u))
		}
		for u := range c.first(w, h.Ops[w].Loc, nil) {
			add(u)
		}
		for _, a := range out[start[w]:start[w+1]] {
			add(a.To)
		}
	}
	return pww, nil
}

// orders reports whether a write precedes another by backward clocks; the initial
// write follows none.
func (c *clocks) orders(u, w parse.OpID) bool {
	return w != parse.Init && c.rank(u, c.g.row[w]) <= c.g.rank[w]
}

// conflicts checks, by forward clocks, that pww has the writes before a read before
// what it returned, unless that was forwarded: cf[hb].
func (c *clocks) conflicts(b *baseArcs, pww *clocks) error {
	h := c.g.h
	for t := range h.Threads() {
		for r := h.Start[t]; r < h.Start[t+1]; r++ {
			o := &h.Ops[r]
			if !o.Reads() || b.m.ForwardOwn && o.Kind != parse.RMW && o.RF >= 0 && b.own(t, o.RF) {
				continue
			}
			for u := range c.last(r, nil) {
				if u != o.RF && !pww.orders(u, o.RF) {
					return c.g.precedes(u, r)
				}
			}
		}
	}
	return nil
}

// readWrite checks, by backward clocks, that reads precede the writes that pww has
// after what they returned: rw[pww].
func (c *clocks) readWrite(pww *clocks) error {
	g := c.g
	for id := range g.h.Ops {
		r, o := parse.OpID(id), &g.h.Ops[id]
		if !o.Reads() {
			continue
		}
		for _, p := range g.parts[o.Loc] {
			need := p.ranks[0]
			if o.RF != parse.Init {
				need = pww.rank(o.RF, p.row)
			}
			if need != never && c.rank(r, p.row) > need {
				return g.follows(p.writes[p.upTo(need)-1], r)
			}
		}
	}
	return nil
}
