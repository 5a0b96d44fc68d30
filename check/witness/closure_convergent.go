package witness

import (
	"errors"
	"fmt"

	"ordeal/check/model"
	"ordeal/parse"
)

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
	c := &convergent{
		closureGraph: g, b: &b, closure: closure,
		r: &reach{g: g, wide: g.rows, top: make([]int32, g.rows*len(g.at))},
	}
	c.numberWrites()
	if err := c.local(all[:base]); err != nil {
		return err
	}
	c.reverse()
	c.link(all[:whb])
	c.r.backward()
	if err := c.storeOrder(); err != nil {
		return err
	}
	c.reverse()
	c.link(all[:hb])
	c.r.forward()
	if err := c.conflicts(); err != nil {
		return err
	}
	if err := c.ownBeforeRMW(all[hb:whb]); err != nil {
		return err
	}
	c.reverse()
	c.link(all)
	c.r.backward()
	return c.readWrite()
}

// convergent checks the conditions of CCM and wCCM one after the other.
type convergent struct {
	*closureGraph
	b       *baseArcs
	closure *Closure
	r       *reach
	number  []int32 // row → number of its first write
	vertex  []int32 // number of a write → vertex
	// later is the partial store order pww: for each write and row the rank,
	// ranks being reversed, of the first write to its location that it
	// precedes; 0 for none.
	later []int32
}

func (c *convergent) numberWrites() {
	c.number = make([]int32, c.rows)
	sum := int32(0)
	for row, n := range c.long {
		c.number[row] = sum
		sum += n
	}
	c.vertex = make([]int32, sum)
	for v := range c.at {
		if at := &c.at[v]; at.row >= 0 {
			c.vertex[c.number[at.row]+at.rank-1] = int32(v)
		}
	}
	c.later = make([]int32, int(sum)*c.rows)
}

// turn is a rank the other way round.
func (c *convergent) turn(row, rank int32) int32 { return c.long[row] + 1 - rank }

// after is the part of later about a write, whose rank is not reversed.
func (c *convergent) after(row, rank int32) []int32 {
	lo := int(c.number[row]+rank-1) * c.rows
	return c.later[lo : lo+c.rows : lo+c.rows]
}

// storeOrder computes pww: what reach, reversed, shows of pairs of writes to
// one location, and the conflicts, transitively closed.
func (c *convergent) storeOrder() error {
	back := make([]Arc, len(c.closure.Conflicts))
	for i, a := range c.closure.Conflicts {
		from, to := &c.h.Ops[a.From], &c.h.Ops[a.To]
		if !from.Writes() || !to.Writes() || from.Loc != to.Loc {
			return fmt.Errorf("a conflict of %s with %s: not two writes to one location",
				name(c.h, a.From, -1), name(c.h, a.To, -1))
		}
		back[i] = Arc{a.To, a.From}
	}
	conflicts := collect(len(c.at), back, c.place)
	for v := int32(len(c.at)) - 1; v >= 0; v-- {
		at := &c.at[v]
		if at.row < 0 {
			continue
		}
		after := c.after(at.row, c.turn(at.row, at.rank))
		add := func(row, rank int32) {
			after[row] = max(after[row], rank)
			raise(after, c.after(row, c.turn(row, rank)))
		}
		of := c.r.of(v)
		for i := c.first[at.loc]; i < c.first[at.loc+1]; i++ {
			p := &c.parts[i]
			top := of[p.row]
			if p.row == at.row {
				top--
			}
			if n := p.upTo(top); n > 0 {
				add(p.row, p.ranks[n-1])
			}
		}
		for _, u := range conflicts.into(v) {
			add(c.at[u].row, c.at[u].rank)
		}
	}
	return nil
}

// before reports whether u pww w. Ranks must not be reversed.
func (c *convergent) before(u, w *vertex) bool {
	return c.after(u.row, u.rank)[w.row] >= c.turn(w.row, w.rank)
}

// conflicts checks that pww has the writes before a read before what it
// returned, cf[hb].
func (c *convergent) conflicts() error {
	for v := range int32(len(c.at)) {
		w := c.at[v].rf
		if w == noRead || c.forwarded(v) {
			continue
		}
		of := c.r.of(v)
		for i := c.first[c.at[v].loc]; i < c.first[c.at[v].loc+1]; i++ {
			p := &c.parts[i]
			top := of[p.row]
			if p.row == c.at[v].row {
				top--
			}
			n := p.upTo(top)
			if n == 0 {
				continue
			}
			u := &c.at[c.vertex[c.number[p.row]+p.ranks[n-1]-1]]
			if w == initial || u != &c.at[w] && !c.before(u, &c.at[w]) {
				return c.fault(p.row, p.ranks[n-1], v, w, false)
			}
		}
	}
	return nil
}

// forwarded reports whether read v may have been forwarded its own thread's
// store.
func (c *convergent) forwarded(v int32) bool {
	r := c.order[v]
	op := &c.h.Ops[r]
	return c.b.m.ForwardOwn && op.Kind != parse.RMW && op.RF >= 0 && c.b.own(c.h.Thread(r), op.RF)
}

// ownBeforeRMW checks that pww has own stores that precede an RMW by arcs
// before what the RMW returned, too.
func (c *convergent) ownBeforeRMW(arcs []Arc) error {
	for _, a := range arcs {
		r := c.place[a.To]
		w := c.at[r].rf
		if w == noRead {
			continue
		}
		s := c.place[a.From]
		if w == initial || w != s && !c.before(&c.at[s], &c.at[w]) {
			return c.fault(c.at[s].row, c.at[s].rank, r, w, false)
		}
	}
	return nil
}

// readWrite checks that reads precede the writes that pww has after what they
// returned, rw[pww].
func (c *convergent) readWrite() error {
	for v := range int32(len(c.at)) {
		w := c.at[v].rf
		if w == noRead {
			continue
		}
		of := c.r.of(v)
		for i := c.first[c.at[v].loc]; i < c.first[c.at[v].loc+1]; i++ {
			p := &c.parts[i]
			need := p.ranks[len(p.ranks)-1]
			if w >= 0 {
				at := &c.at[w]
				need = c.after(at.row, c.turn(at.row, at.rank))[p.row]
			}
			if of[p.row] < need {
				return c.fault(p.row, need, v, w, true)
			}
		}
	}
	return nil
}
