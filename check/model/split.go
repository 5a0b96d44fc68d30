package model

import (
	"cmp"
	"slices"

	"ordeal/parse"
)

// split makes of each access of a history two events, in one thread one behind the
// other: the access that its thread performs (parse.Performed), and the access as
// it reaches all threads. An RMW has two of the first kind, a read and a
// write.
//
// What it orders are Axe's constraints of POW (Axe Manual 1.4, Sect. 5). These
// speak of two orders: ≺ of operations, and for each location an order of the
// values written, both without cycles. Performed events are ordered by ≺: they have
// dependencies where two operations of a thread have one, access one location (but a load
// behind a store), and a location for each write, so that only reads-from leads from
// thread to thread. Axe also has a store before loads of its thread that read from it; its
// timestamps order whatever comes before the store with these loads anyway. Other dependencies
// need not, and as under WMO such a load then does not wait for the store, so that POW allows what WMO does. The second events have the
// locations and values of the history, and with them, reads-from and coherence,
// the order of values: accesses to one location that one thread sees one after the
// other. Each follows its performed event.
//
// A fence follows both events of what is before it, and precedes those of what
// is behind it. So if a thread sees v at a location before a fence, the fence ≺ an access
// to that location, and this returns w, v is not newer than w, as Axe demands of
// pairs of fences, and of a fence and what depends on a load behind it. Nothing more is
// demanded: a path that leads from a fence f to both events of an access, in the order of values of
// its location to the event of another access, and by a fence g behind that to
// performed events again says that f comes before g in Axe's total order of all fences. If it were
// behind, the first access would have returned a value not older than that of the second.
//
// So there is a memory order of these events under the rules of WMO if and only if Axe's constraints
// have a solution.
func split(h *parse.History) *parse.History {
	s := splitter{h: h, out: &parse.History{
		Start: make([]parse.OpID, 1, len(h.Start)), ThreadNames: h.ThreadNames,
		Locations: slices.Clone(h.Locations),
	}}
	s.events()
	for t := range h.Threads() {
		s.thread(h.Start[t], h.Start[t+1])
	}
	for _, d := range h.Deps {
		if h.Ops[d.To].Kind != parse.Fence {
			s.depend(s.of[d.From].last(), s.of[d.To].first())
		}
	}
	slices.SortFunc(s.out.Deps, func(a, b parse.Dep) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	s.out.Deps = slices.Compact(s.out.Deps)
	s.known()
	return s.out
}

// accessEvents are the events of an operation, NoOp where it has none; of a fence
// the second one.
type accessEvents struct{ read, write, all parse.OpID }

func (e accessEvents) first() parse.OpID {
	if e.read != parse.NoOp {
		return e.read
	}
	return e.write
}

func (e accessEvents) last() parse.OpID {
	if e.write != parse.NoOp {
		return e.write
	}
	return e.read
}

type splitter struct {
	h, out *parse.History
	of     []accessEvents
	place  []int32 // write → location of its performed event
	zero   []int32 // location → that of performed reads of its initial value, or -1
}

// events numbers the events, and gives each write a location.
func (s *splitter) events() {
	h := s.h
	s.of, s.place, s.zero = make([]accessEvents, len(h.Ops)), make([]int32, len(h.Ops)), make([]int32, len(h.Locations))
	for x := range s.zero {
		s.zero[x] = -1
	}
	next := parse.OpID(0)
	number := func(is bool) parse.OpID {
		if !is {
			return parse.NoOp
		}
		next++
		return next - 1
	}
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			o := &h.Ops[id]
			s.of[id] = accessEvents{read: number(o.Reads()), write: number(o.Writes()), all: number(true)}
			if o.Writes() {
				s.place[id] = s.location(o.Loc)
			}
			if o.Reads() && o.RF == parse.Init && s.zero[o.Loc] < 0 {
				s.zero[o.Loc] = s.location(o.Loc)
			}
		}
		s.out.Start = append(s.out.Start, next)
	}
	s.out.Ops = make([]parse.Op, 0, next)
}

// location makes a location that is called as one of the history.
func (s *splitter) location(x int32) int32 {
	s.out.Locations = append(s.out.Locations, s.h.Locations[x])
	return int32(len(s.out.Locations) - 1)
}

func (s *splitter) depend(from, to parse.OpID) {
	s.out.Deps = append(s.out.Deps, parse.Dep{From: from, To: to})
}

func (s *splitter) thread(lo, hi parse.OpID) {
	h := s.h
	loads, stores := map[int32]parse.OpID{}, map[int32]parse.OpID{} // location → latest
	for id := lo; id < hi; id++ {
		o, e := h.Ops[id], s.of[id]
		if o.Kind == parse.Fence {
			s.out.Ops = append(s.out.Ops, o)
			continue
		}
		if o.Reads() {
			performed := parse.Op{Kind: parse.Read, Attr: parse.Performed, Loc: s.zero[o.Loc], RF: o.RF, Read: o.Read}
			if o.RF != parse.Init {
				performed.Loc, performed.RF, o.RF = s.place[o.RF], s.of[o.RF].write, s.of[o.RF].all
			}
			s.out.Ops = append(s.out.Ops, performed)
		}
		if o.Writes() {
			s.out.Ops = append(s.out.Ops, parse.Op{
				Kind: parse.Write, Attr: parse.Performed, Loc: s.place[id], RF: parse.NoOp, Write: o.Write,
			})
		}
		o.Attr |= parse.Reached
		s.out.Ops = append(s.out.Ops, o)
		if o.Kind == parse.RMW {
			s.depend(e.read, e.write)
		}
		s.depend(e.last(), e.all)
		if before, ok := loads[o.Loc]; ok {
			s.depend(s.of[before].last(), e.first())
		}
		if before, ok := stores[o.Loc]; ok && o.Writes() {
			s.depend(s.of[before].last(), e.first())
		}
		if o.Reads() {
			loads[o.Loc] = id
		}
		if o.Writes() {
			stores[o.Loc] = id
		}
	}
}

// known copies what the history knows of its memory.
func (s *splitter) known() {
	all := func(id parse.OpID) parse.OpID {
		if id < 0 {
			return id
		}
		return s.of[id].all
	}
	if s.h.Final != nil {
		s.out.Final = slices.Repeat([]parse.OpID{parse.NoOp}, len(s.out.Locations))
		for x, id := range s.h.Final {
			s.out.Final[x] = all(id)
		}
	}
	if s.h.StoreOrder == nil {
		return
	}
	s.out.StoreOrder = make([][]parse.OpID, len(s.out.Locations))
	for x, writes := range s.h.StoreOrder {
		for _, id := range writes {
			s.out.StoreOrder[x] = append(s.out.StoreOrder[x], all(id))
			s.out.StoreOrder[s.place[id]] = []parse.OpID{s.of[id].write}
		}
	}
}
