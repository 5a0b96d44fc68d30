package linear

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"ordeal/parse"
	"ordeal/parse/objects"
)

// Sequential decides sequential consistency: whether all operations have one order that keeps
// that of each client (see clients), whatever the times of others. What is linearizable is
// allowed: each operation takes effect at a point of its own. Of the rest all orders are
// tried, with a cache of how far each client has come and what the objects hold: complete,
// but exponential, since the objects cannot be taken one by one. Verdict has the order of all
// operations; of a forbidden history there is no other evidence than that the search ended, and
// up to ten operations an enumeration.
func Sequential(ctx context.Context, h *objects.History, memory int64) (*Verdict, error) {
	v, err := Check(ctx, h, memory)
	if err == nil && v.Allowed {
		v.Order = merged(h, v.Order)
		return v, v.confirmSequential(h)
	}
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	s := newSequential(h, memory)
	v = &Verdict{}
	if v.Allowed, err = s.search(ctx); err != nil {
		return nil, err
	}
	if v.Configurations = len(s.seen); v.Allowed {
		v.Order = s.trail
	}
	return v, v.confirmSequential(h)
}

func (v *Verdict) confirmSequential(h *objects.History) error {
	if err := v.VerifySequential(h); err != nil && err != ErrLarge {
		return fmt.Errorf("internal error: %w", err)
	}
	return nil
}

// VerifySequential checks the evidence of Sequential, without the search: an order is replayed,
// and of a few operations without one all orders are tried. The error is ErrLarge where these
// are too many.
func (v *Verdict) VerifySequential(h *objects.History) error {
	thread, count := clients(h)
	if v.Allowed {
		return replay(h, v.Order, Span{End: math.MaxInt64}, nil, thread, count)
	}
	if len(h.Ops) > enumerated {
		return ErrLarge
	}
	var all, optional []int32
	for id := range h.Ops {
		all = append(all, int32(id))
		if h.Ops[id].Times.Return == parse.Pending {
			optional = append(optional, int32(id))
		}
	}
	if order := EnumerateSequential(h, all, optional); order != nil {
		return fmt.Errorf("the operations have an order: %v", order)
	}
	return nil
}

// EnumerateSequential is Enumerate where only operations of one client keep their order.
func EnumerateSequential(h *objects.History, ids, optional []int32) []int32 {
	thread, _ := clients(h)
	return enumerateAll(h, ids, optional, 0, func(first, second int32) bool {
		return thread[first] == thread[second] && h.Ops[first].Times.Return < h.Ops[second].Times.Call
	})
}

// clients gives each operation its client, and their number: where operations of a client
// overlap, the later one is of a further client, as in histories of threads.
func clients(h *objects.History) (thread []int32, count int) {
	type client struct{ thread, lane int32 }
	number := map[client]int32{}
	returns := []int64{}
	thread = make([]int32, len(h.Ops))
	for id := range h.Ops {
		o := &h.Ops[id]
		for c := (client{thread: o.Thread}); ; c.lane++ {
			n, known := number[c]
			if !known {
				n = int32(len(returns))
				number[c] = n
				returns = append(returns, math.MinInt64)
			}
			if returns[n] < o.Times.Call {
				thread[id], returns[n] = n, o.Times.Return
				break
			}
		}
	}
	return thread, len(returns)
}

// merged is one order of all operations, from orders of each key one after the other: each takes
// effect at its call, or with the one before it on its key where that is later.
func merged(h *objects.History, order []int32) []int32 {
	point := make([]int64, len(h.Ops))
	last := slices.Repeat([]int64{math.MinInt64}, len(h.Keys))
	for _, id := range order {
		o := &h.Ops[id]
		last[o.Key] = max(last[o.Key], o.Times.Call)
		point[id] = last[o.Key]
	}
	order = slices.Clone(order)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(point[a], point[b]) })
	return order
}

// sequential is the search for an order.
type sequential struct {
	h       *objects.History
	machine machine
	lists   [][]int32 // of operations of each client
	done    []int32   // how many of each were placed
	thread  []int32
	state   int32
	trail   []int32
	left    []int32 // what may be placed next, of all frames
	frames  []sequentialFrame
	seen    map[string]struct{}
	// writers counts what is not placed of those that write a value to a key.
	writers map[[2]int32]int
	grows   bool // values also come about by appending
	memory  int64
	bytes   int64
}

// sequentialFrame is a configuration, and from where its moves are among those left.
type sequentialFrame struct {
	state        int32
	trail, moves int
}

func newSequential(h *objects.History, memory int64) *sequential {
	s := &sequential{h: h, machine: machine{h: h, states: map[string]int32{}}, seen: map[string]struct{}{}, memory: memory, writers: map[[2]int32]int{}}
	s.machine.vector(make([]int32, len(h.Keys)))
	thread, count := clients(h)
	s.thread, s.lists, s.done = thread, make([][]int32, count), make([]int32, count)
	for id, t := range thread {
		s.lists[t] = append(s.lists[t], int32(id))
		s.count(int32(id), 1)
	}
	return s
}

// parts are the single operations of one.
func parts(o *objects.Op) []objects.Op {
	if o.Kind == objects.Txn {
		return o.Parts
	}
	return []objects.Op{*o}
}

// count notes that a write is, or is no longer, to be placed.
func (s *sequential) count(id int32, by int) {
	for _, o := range parts(&s.h.Ops[id]) {
		s.grows = s.grows || o.Kind == objects.Append
		if o.Kind == objects.Write || o.Kind == objects.CAS && !o.Failed {
			s.writers[[2]int32{o.Key, o.To}] += by
		}
	}
}

func (s *sequential) search(ctx context.Context) (bool, error) {
	for steps := 0; ; steps++ {
		if steps%1024 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if s.memory > 0 && s.bytes > s.memory {
			return false, ErrMemory
		}
		if s.pure() {
			return true, nil
		}
		if from := len(s.left); s.isNew() {
			if s.moves(); len(s.left) > from {
				s.frames = append(s.frames, sequentialFrame{s.state, len(s.trail), from})
			}
		}
		if len(s.frames) == 0 {
			return false, nil
		}
		f := s.frames[len(s.frames)-1]
		for _, id := range s.trail[f.trail:] {
			s.done[s.thread[id]]--
			s.count(id, 1)
		}
		s.trail, s.state = s.trail[:f.trail], f.state
		id := s.left[len(s.left)-1]
		s.left = s.left[:len(s.left)-1]
		if len(s.left) == f.moves {
			s.frames = s.frames[:len(s.frames)-1]
		}
		next, _ := s.step(id)
		s.place(id, next)
	}
}

func (s *sequential) step(id int32) (int32, bool) {
	return s.machine.transaction(s.state, parts(&s.h.Ops[id]))
}

func (s *sequential) place(id, next int32) {
	s.trail = append(s.trail, id)
	s.done[s.thread[id]]++
	s.count(id, -1)
	s.state = next
}

// pure places operations that change nothing while any is next, and reports whether no
// operation is left that has to be placed.
func (s *sequential) pure() bool {
	rest := false
	for t, list := range s.lists {
		for int(s.done[t]) < len(list) {
			id := list[s.done[t]]
			o := &s.h.Ops[id]
			if _, legal := s.step(id); !legal || !o.Pure() {
				rest = rest || o.Times.Return != parse.Pending
				break
			}
			s.place(id, s.state)
		}
	}
	return !rest
}

// isNew keeps the configuration, and reports whether it was not tried, and no client waits
// for a value that nothing writes any more.
func (s *sequential) isNew() bool {
	key := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+4*len(s.done)), uint32(s.state))
	for _, n := range s.done {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	if _, seen := s.seen[string(key)]; seen {
		return false
	}
	s.seen[string(key)] = struct{}{}
	s.bytes += int64(64 + len(key) + 4*len(s.h.Keys))
	values := s.machine.vectors[s.state]
	for t, list := range s.lists {
		if int(s.done[t]) == len(list) {
			continue
		}
		if o := &s.h.Ops[list[s.done[t]]]; o.Kind == objects.Read && values[o.Key] != o.From && s.writers[[2]int32{o.Key, o.From}] == 0 && !s.grows {
			return false
		}
	}
	return true
}

// moves lists in s.left what may be placed next, last what returned first.
func (s *sequential) moves() {
	from := len(s.left)
	for t, list := range s.lists {
		if int(s.done[t]) < len(list) {
			if _, legal := s.step(list[s.done[t]]); legal {
				s.left = append(s.left, list[s.done[t]])
			}
		}
	}
	slices.SortStableFunc(s.left[from:], func(a, b int32) int { return cmp.Compare(s.h.Ops[b].Times.Return, s.h.Ops[a].Times.Return) })
}
