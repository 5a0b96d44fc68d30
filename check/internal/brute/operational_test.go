package brute

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// Operational decides SC, TSO and PSO by running their machines in every
// possible way: threads issue in program order; stores wait in a buffer,
// first in first out for TSO, in order only per location and across store
// fences for PSO; a load takes the newest buffered store to its location,
// else memory; SC has no buffer. It panics for other models.
//
// A fence waits in the buffer behind the stores it follows: with StoreLoad
// it blocks loads and with StoreStore later stores until those have left.
// Stores never overtake earlier loads here, nor do loads each other, so the
// other components have nothing to do.
func Operational(h *parse.History, m model.Model) bool {
	switch m.Name {
	case model.SC.Name, model.TSO.Name, model.PSO.Name:
	default:
		panic("brute: no operational machine for model " + m.Name)
	}
	s := &search{h: h, m: m, seen: map[string]bool{}}
	st := state{
		pc:  append([]parse.OpID(nil), h.Start[:h.Threads()]...),
		buf: make([][]parse.OpID, h.Threads()),
		mem: make([]parse.OpID, len(h.Locations)),
		cnt: make([]int, len(h.Locations)),
	}
	for x := range st.mem {
		st.mem[x] = parse.Init
	}
	return s.reach(st)
}

type search struct {
	h    *parse.History
	m    model.Model
	seen map[string]bool
}

// state is a state of the machine.
type state struct {
	pc  []parse.OpID
	buf [][]parse.OpID // pending stores and fences, oldest first
	mem []parse.OpID
	cnt []int // stores that have reached each location
}

func (s state) clone() state {
	c := state{
		pc:  append([]parse.OpID(nil), s.pc...),
		mem: append([]parse.OpID(nil), s.mem...),
		cnt: append([]int(nil), s.cnt...),
	}
	for _, b := range s.buf {
		c.buf = append(c.buf, append([]parse.OpID(nil), b...))
	}
	return c
}

func (s state) key() string {
	var k []byte
	for t := range s.pc {
		k = append(k, byte(s.pc[t]), 255)
		for _, id := range s.buf[t] {
			k = append(k, byte(id))
		}
		k = append(k, 255)
	}
	for _, id := range s.mem {
		k = append(k, byte(id))
	}
	return string(k)
}

// reach reports whether st leads to an accepting end.
func (s *search) reach(st state) bool {
	k := st.key()
	if s.seen[k] {
		return false
	}
	s.seen[k] = true
	done := true
	for t := range st.pc {
		if st.pc[t] < s.h.Start[t+1] {
			done = false
			next := st.clone()
			if s.issue(next, t) && s.reach(next) {
				return true
			}
		}
		for i := range st.buf[t] {
			if s.h.Ops[st.buf[t][i]].Kind == parse.Fence {
				continue
			}
			done = false
			next := st.clone()
			if s.leave(next, t, i) && s.reach(next) {
				return true
			}
		}
	}
	return done && s.accepts(st)
}

func (s *search) accepts(st state) bool {
	for x, id := range s.h.Final {
		if id != parse.NoOp && st.mem[x] != id {
			return false
		}
	}
	return true
}

// issue executes thread t's next operation, or reports that it cannot be
// executed now with the value it has.
func (s *search) issue(st state, t int) bool {
	id := st.pc[t]
	st.pc[t]++
	op := &s.h.Ops[id]
	sc := s.m.Name == model.SC.Name
	switch op.Kind {
	case parse.Read:
		from := st.mem[op.Loc]
		for _, b := range st.buf[t] {
			pending := &s.h.Ops[b]
			if pending.Mask&parse.StoreLoad != 0 {
				return false
			}
			if pending.Kind == parse.Write && pending.Loc == op.Loc {
				from = b
			}
		}
		return from == op.RF
	case parse.Write:
		if sc {
			return s.store(st, id)
		}
		st.buf[t] = append(st.buf[t], id)
		return true
	case parse.RMW:
		for i := range st.buf[t] {
			b := &s.h.Ops[st.buf[t][i]]
			if b.Mask&parse.StoreLoad != 0 {
				return false
			}
		}
		return s.ordered(st.buf[t], op) && st.mem[op.Loc] == op.RF && s.store(st, id)
	default:
		if len(st.buf[t]) > 0 {
			st.buf[t] = append(st.buf[t], id)
		}
		return true
	}
}

// ordered reports whether a store may reach memory before all of buf.
func (s *search) ordered(buf []parse.OpID, op *parse.Op) bool {
	for _, b := range buf {
		o := &s.h.Ops[b]
		if o.Kind == parse.Write && (s.m.Name == model.TSO.Name || o.Loc == op.Loc) ||
			o.Mask&parse.StoreStore != 0 {
			return false
		}
	}
	return true
}

// leave moves entry i of t's buffer to memory, if it may overtake those
// before it.
func (s *search) leave(st state, t, i int) bool {
	buf := st.buf[t]
	id := buf[i]
	if !s.ordered(buf[:i], &s.h.Ops[id]) {
		return false
	}
	buf = append(buf[:i], buf[i+1:]...)
	for len(buf) > 0 && s.h.Ops[buf[0]].Kind == parse.Fence {
		buf = buf[1:]
	}
	st.buf[t] = buf
	return s.store(st, id)
}

// store writes memory, if that agrees with the store order where it is known.
func (s *search) store(st state, id parse.OpID) bool {
	x := s.h.Ops[id].Loc
	if s.h.StoreOrder != nil {
		if s.h.StoreOrder[x][st.cnt[x]] != id {
			return false
		}
	}
	st.cnt[x]++
	st.mem[x] = id
	return true
}
