package histgen

import (
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// buffers is the machine of SC, TSO and PSO: threads issue in program order,
// stores wait in a buffer, loads look there first. SC has no buffer; under PSO
// stores to different locations may overtake.
type buffers struct {
	*machine
	model string
	pc    []parse.OpID
	// buf[t] holds t's pending stores and fences in program order. A fence
	// in front is dropped: it has nothing left to order.
	buf [][]parse.OpID
}

func (s *buffers) step(t int) bool {
	id := s.pc[t]
	if id == s.h.Start[t+1] {
		return s.drain(t)
	}
	if len(s.buf[t]) > 0 && (len(s.buf[t]) >= s.p.Depth || s.rng.Uint32()&1 == 0) {
		return s.drain(t)
	}
	if !s.issue(t, id) {
		return s.drain(t)
	}
	s.pc[t]++
	return true
}

// issue executes operation id, or reports that the buffer is in its way.
func (s *buffers) issue(t int, id parse.OpID) bool {
	op := &s.h.Ops[id]
	switch op.Kind {
	case parse.Write:
		if s.model == model.SC.Name {
			s.perform(id)
			return true
		}
		s.buf[t] = append(s.buf[t], id)
	case parse.Fence:
		if len(s.buf[t]) > 0 {
			s.buf[t] = append(s.buf[t], id)
		}
	case parse.RMW:
		for _, b := range s.buf[t] {
			pending := &s.h.Ops[b]
			if pending.Kind != parse.Fence && (s.model != model.PSO.Name || pending.Loc == op.Loc) ||
				pending.Mask&(parse.StoreLoad|parse.StoreStore) != 0 {
				return false
			}
		}
		s.perform(id)
	case parse.Read:
		for i := len(s.buf[t]) - 1; i >= 0; i-- {
			pending := &s.h.Ops[s.buf[t][i]]
			if pending.Mask&parse.StoreLoad != 0 {
				return false
			}
			if pending.Kind == parse.Write && pending.Loc == op.Loc {
				// A fence further down still holds this load back.
				for _, b := range s.buf[t][:i] {
					if s.h.Ops[b].Mask&parse.StoreLoad != 0 {
						return false
					}
				}
				s.forward(id, s.buf[t][i])
				return true
			}
		}
		s.perform(id)
	}
	return true
}

// drain lets one pending store of t reach memory; it reports false when there
// is none.
func (s *buffers) drain(t int) bool {
	b := s.buf[t]
	if len(b) == 0 {
		return false
	}
	i := 0 // the front of a buffer is always a store
	if s.model == model.PSO.Name {
		i = s.overtake(b, s.rng.IntN(len(b)))
	}
	s.perform(b[i])
	b = slices.Delete(b, i, i+1)
	for len(b) > 0 && s.h.Ops[b[0]].Kind == parse.Fence {
		b = slices.Delete(b, 0, 1)
	}
	s.buf[t] = b
	return true
}

// overtake returns the first store in b[:i+1] to the location of b[i] when no
// store fence is in between, else the front.
func (s *buffers) overtake(b []parse.OpID, i int) int {
	loc := s.h.Ops[b[i]].Loc
	first := 0
	for j := i; j >= 0; j-- {
		op := &s.h.Ops[b[j]]
		if op.Mask&parse.StoreStore != 0 {
			return 0
		}
		if op.Kind == parse.Write && op.Loc == loc {
			first = j
		}
	}
	return first
}
