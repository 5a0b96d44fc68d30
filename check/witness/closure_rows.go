package witness

import (
	"fmt"
	"math"

	"ordeal/check/model"
	"ordeal/parse"
)

// slice is how many rows of writes are checked together: a cache line, and
// several where there are more than manyRows, since every slice walks along
// all edges.
const (
	slice    = 16
	manyRows = 128
)

func checkSaturated(h *parse.History, m model.Model, closure *Closure) error {
	b := baseArcs{h: h, m: m, arcs: make([]Arc, 0, 3*len(h.Ops)+len(closure.Arcs))}
	b.programOrder()
	b.readsFrom()
	if m.ForwardOwn {
		if err := b.future(); err != nil {
			return err
		}
		if err := b.ownStores(); err != nil {
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
	g.link(arcs)
	// A looks for the last write that precedes, B for the first that follows:
	// the same with everything turned around.
	if err := g.eachSlice(func(r *reach) error {
		r.forward()
		return r.checkA()
	}); err != nil {
		return err
	}
	g.reverse()
	return g.eachSlice(func(r *reach) error {
		r.backward()
		return r.checkB()
	})
}

func (g *closureGraph) eachSlice(f func(*reach) error) error {
	if g.rows == 0 {
		return f(&reach{g: g})
	}
	most := slice
	if g.rows > manyRows {
		most = 4 * slice
	}
	slices := (g.rows + most - 1) / most
	wide := (g.rows + slices - 1) / slices
	r := &reach{g: g, wide: wide, top: make([]int32, wide*len(g.at))}
	for ; r.lo < g.rows; r.lo += wide {
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// reach says for each vertex and each row of writes in a range which rank the
// last of the row has that leads to the vertex or is it; 0 for none. After
// closureGraph.reverse and by backward it is the first that the vertex leads
// to.
type reach struct {
	g    *closureGraph
	lo   int // first row
	wide int // number of rows
	top  []int32
}

func (r *reach) of(v int32) []int32 {
	lo := int(v) * r.wide
	return r.top[lo : lo+r.wide : lo+r.wide]
}

// raise makes a the maximum of a and b, which are of one length.
func raise(a, b []int32) {
	b = b[:len(a)]
	for i, x := range b {
		a[i] = max(a[i], x)
	}
}

// own enters v itself, which follows what precedes it in its row.
func (r *reach) own(v int32, of []int32) {
	at := &r.g.at[v]
	if c := int(at.row) - r.lo; at.row >= 0 && c >= 0 && c < r.wide {
		of[c] = at.rank
	}
}

func (r *reach) forward() {
	for v := range int32(len(r.g.at)) {
		of := r.of(v)
		clear(of)
		for _, u := range r.g.preds.into(v) {
			raise(of, r.of(u))
		}
		r.own(v, of)
	}
}

func (r *reach) backward() {
	clear(r.top)
	for v := int32(len(r.g.at)) - 1; v >= 0; v-- {
		of := r.of(v)
		r.own(v, of)
		for _, u := range r.g.preds.into(v) {
			raise(r.of(u), of)
		}
	}
}

// checkA checks that writes that precede a read precede what it returned.
func (r *reach) checkA() error {
	for v := range int32(len(r.g.at)) {
		if w := r.g.at[v].rf; w != noRead {
			if err := r.carries(v, w, v, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkB checks that writes that follow what a read returned follow the read.
func (r *reach) checkB() error {
	for v := range int32(len(r.g.at)) {
		if w := r.g.at[v].rf; w != noRead {
			if err := r.carries(w, v, v, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// carries checks that the last write of each row to read v's location before
// near, other than near, is before far or is far; w is what v returned.
func (r *reach) carries(near, far, v, w int32) error {
	x := r.g.at[v].loc
	parts := r.g.parts[r.g.first[x]:r.g.first[x+1]]
	var from, to []int32
	if near >= 0 {
		from = r.of(near)
	}
	if far >= 0 {
		to = r.of(far)
	}
	for i := range parts {
		p := &parts[i]
		c := int(p.row) - r.lo
		if c < 0 || c >= r.wide {
			continue
		}
		top := int32(math.MaxInt32)
		if near >= 0 {
			top = from[c]
			if r.g.at[near].row == p.row {
				top--
			}
		}
		if to != nil && top <= to[c] || top == 0 {
			continue
		}
		n := p.upTo(top)
		if n == 0 || to != nil && p.ranks[n-1] <= to[c] {
			continue
		}
		return r.g.fault(p.row, p.ranks[n-1], v, w, far == v)
	}
	return nil
}

// fault names a write that a read, or what it returned, is not known to
// precede or follow.
func (g *closureGraph) fault(row, rank, v, w int32, follows bool) error {
	u, r, source := name(g.h, g.write(row, rank), -1), name(g.h, g.order[v], -1), name(g.h, parse.Init, g.at[v].loc)
	if w >= 0 {
		source = name(g.h, g.order[w], -1)
	}
	if follows {
		return fmt.Errorf("%s follows %s, but not %s, which returned that", u, source, r)
	}
	return fmt.Errorf("%s precedes %s, but not %s, which that returned", u, r, source)
}
