package linear

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"ordeal/parse/objects"
)

// frame is a configuration that has to place an operation, and how it may go on: by what
// is left of the moves from the given one on.
type frame struct {
	kept         int32 // in the memo
	trail, moves int
}

// move places an operation, or the next one of a class.
type move struct {
	op, class int32 // one of them -1
	state     int32 // after it
}

// search looks for an order of all operations that begins in a state. It may be called
// again, from another one.
func (p *problem) search(ctx context.Context, state int32) (bool, error) {
	p.config = config{state: state, open: make([]uint64, p.words), used: make([]uint32, len(p.classes))}
	for i := range p.occupant {
		p.occupant[i] = -1
	}
	p.trail, p.frames, p.left, p.memo, p.reached = p.trail[:0], p.frames[:0], p.left[:0], memo{first: map[uint64]int32{}}, 0
	for steps := 0; ; steps++ {
		if steps%4096 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if p.memory > 0 && p.memo.bytes > p.memory {
			return false, ErrMemory
		}
		if p.limit > 0 && len(p.memo.entries) > p.limit {
			return false, errLimit
		}
		if p.advance() {
			return true, nil
		}
		p.reached = max(p.reached, p.at)
		if kept, isNew := p.memo.keep(&p.config); isNew && !p.doomed() {
			from := len(p.left)
			if p.moves(); len(p.left) > from {
				p.frames = append(p.frames, frame{kept, len(p.trail), from})
			}
		}
		if len(p.frames) == 0 {
			return false, nil
		}
		p.next()
	}
}

// advance runs through events up to the return of an operation that is not placed; it
// reports whether there is none.
func (p *problem) advance() bool {
	for ; p.at < len(p.events); p.at++ {
		e := p.events[p.at]
		s := p.slot[e.op]
		if !e.isCall {
			if p.open[s/64]>>(s%64)&1 != 0 {
				return false
			}
			continue
		}
		p.occupant[s] = e.op
		o := p.op(e.op)
		if o.Pure() {
			if _, legal := p.machine.step(p.state, o); legal {
				p.trail = append(p.trail, p.ids[e.op])
				continue
			}
		}
		p.open[s/64] |= 1 << (s % 64)
	}
	return true
}

// each calls f for the operations that are called and not placed.
func (p *problem) each(f func(op, slot int32)) {
	for w, set := range p.open {
		for ; set != 0; set &= set - 1 {
			s := int32(w*64 + bits.TrailingZeros64(set))
			f(p.occupant[s], s)
		}
	}
}

// moves lists in p.left what may be placed before the return that is next, last what is best
// tried first: what explains it.
func (p *problem) moves() {
	last := p.events[p.at].op
	target := p.op(last)
	p.good = p.good[:0]
	add := func(m move) {
		if _, legal := p.machine.step(m.state, target); legal {
			p.good = append(p.good, m)
		} else {
			p.left = append(p.left, m)
		}
	}
	for i := range p.classes {
		c := &p.classes[i]
		if n := int(p.used[i]); n < len(c.ids) && int(c.calls[n]) <= p.at {
			if next, legal := p.machine.step(p.state, c.op); legal && next != p.state {
				add(move{-1, int32(i), next})
			}
		}
	}
	p.each(func(op, _ int32) {
		if op == last {
			return
		}
		if next, legal := p.machine.step(p.state, p.op(op)); legal {
			add(move{op, -1, next})
		}
	})
	p.left = append(p.left, p.good...)
	if next, legal := p.machine.step(p.state, target); legal {
		p.left = append(p.left, move{last, -1, next})
	}
}

// next makes the next move of the last frame, which has one.
func (p *problem) next() {
	f := p.frames[len(p.frames)-1]
	e := &p.memo.entries[f.kept]
	p.rewind(int(e.at))
	p.state, p.trail = e.state, p.trail[:f.trail]
	copy(p.open, e.open)
	copy(p.used, e.used)
	m := p.left[len(p.left)-1]
	p.left = p.left[:len(p.left)-1]
	if len(p.left) == f.moves {
		p.frames = p.frames[:len(p.frames)-1]
	}
	p.place(m)
}

// doomed reports whether an object that is appended to holds what the read that returns next
// does not begin with, and nothing can overwrite it before.
func (p *problem) doomed() bool {
	if !p.appends {
		return false
	}
	for i := p.at; i < len(p.events); i++ {
		e := p.events[i]
		o := p.op(e.op)
		s := p.slot[e.op]
		switch {
		case e.isCall && !o.Pure() && o.Kind != objects.Append:
			return false
		case e.isCall || o.Kind != objects.Read || p.occupant[s] == e.op && p.open[s/64]>>(s%64)&1 == 0 && int(p.called[e.op]) < p.at:
			continue
		}
		if strings.HasPrefix(p.machine.text(o.From), p.machine.text(p.state)) {
			return false
		}
		overwritten := slices.ContainsFunc(p.classes, func(c class) bool { return c.op.Kind != objects.Append })
		p.each(func(op, _ int32) {
			if o := p.op(op); !o.Pure() && o.Kind != objects.Append {
				overwritten = true
			}
		})
		return !overwritten
	}
	return false
}

// rewind goes back to an event.
func (p *problem) rewind(at int) {
	for p.at > at {
		p.at--
		if e := p.events[p.at]; e.isCall {
			p.occupant[p.slot[e.op]] = p.before[e.op]
		}
	}
}

// place makes a move, and places the pure operations that are legal then.
func (p *problem) place(m move) {
	if m.class >= 0 {
		p.trail = append(p.trail, p.classes[m.class].ids[p.used[m.class]])
		p.used[m.class]++
	} else {
		p.close(m.op, p.slot[m.op])
	}
	if p.state == m.state {
		return
	}
	p.state = m.state
	p.each(func(op, slot int32) {
		o := p.op(op)
		if !o.Pure() {
			return
		}
		if _, legal := p.machine.step(p.state, o); legal {
			p.close(op, slot)
		}
	})
}

func (p *problem) close(op, slot int32) {
	p.open[slot/64] &^= 1 << (slot % 64)
	p.trail = append(p.trail, p.ids[op])
}

// memo has the configurations that were tried.
type memo struct {
	first   map[uint64]int32
	entries []entry
	bytes   int64
}

// entry is a configuration, and the next one of the same hash.
type entry struct {
	at, state, next int32
	open            []uint64
	used            []uint32
}

// keep keeps a configuration, unless one was tried that is the same but for pending
// operations, of which it used no more.
func (m *memo) keep(c *config) (at int32, isNew bool) {
	key := uint64(c.at)*0x9e3779b97f4a7c15 ^ uint64(uint32(c.state))*0xc2b2ae3d27d4eb4f
	for _, w := range c.open {
		key = bits.RotateLeft64(key^w, 27) * 0x9e3779b97f4a7c15
	}
	first, any := m.first[key]
	if !any {
		first = -1
	}
	for i := first; i >= 0; i = m.entries[i].next {
		e := &m.entries[i]
		if int(e.at) == c.at && e.state == c.state && slices.Equal(e.open, c.open) && atMost(e.used, c.used) {
			return i, false
		}
	}
	at = int32(len(m.entries))
	m.first[key] = at
	m.entries = append(m.entries, entry{int32(c.at), c.state, first, slices.Clone(c.open), slices.Clone(c.used)})
	m.bytes += 96 + int64(8*len(c.open)+4*len(c.used))
	return at, true
}

func atMost(a, b []uint32) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}
