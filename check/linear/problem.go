package linear

import (
	"cmp"
	"math"
	"slices"

	"ordeal/parse/objects"
)

// event is the call or the return of an operation.
type event struct {
	op     int32 // in the history
	isCall bool
}

// effect is what an operation does.
type effect struct {
	kind          objects.Kind
	key, from, to int32
}

// class is pending operations that do the same, of which the first ones called are used.
type class struct {
	op    *objects.Op
	ids   []int32
	calls []int32 // before which event each is called
}

// problem is the search for an order of some operations.
type problem struct {
	h       *objects.History
	machine machine
	events  []event
	ids     []int32
	slot    []int32 // by op - base: where it is while under way; -1 for pending ones
	before  []int32 // by op - base: who had the slot before; -1
	base    int32
	called  []int // by op - base: its call among the events
	classes []class
	appends bool // to the only object
	words   int  // of a set of slots
	memory  int64
	limit   int // of configurations; 0: none

	config
	occupant []int32 // of slots, at the event
	trail    []int32 // what was placed, in order
	frames   []frame
	left     []move // of all frames
	good     []move
	memo     memo
	reached  int // the farthest return that no configuration passed
}

// config is how far a search has come.
type config struct {
	at    int // the next event
	state int32
	open  []uint64 // slots of operations that are called and not placed
	used  []uint32 // of each class
}

// newProblem has the operations of a span among some, which are in order of calls.
func newProblem(h *objects.History, ids []int32, span Span, memory int64) *problem {
	p := &problem{h: h, machine: machine{h: h}, memory: memory}
	if len(ids) == 0 {
		return p
	}
	p.base = ids[0]
	type timed struct {
		event
		time int64
	}
	var events []timed
	kinds := map[effect]int32{}
	isOptional := map[int32]bool{}
	for _, id := range ids {
		o := &h.Ops[id]
		part, optional := span.within(o)
		if !part {
			continue
		}
		p.ids = append(p.ids, id)
		p.appends = p.appends || o.Kind == objects.Append
		call := max(o.Times.Call, span.Start)
		events = append(events, timed{event{id, true}, call})
		if optional {
			isOptional[id] = true
		} else {
			events = append(events, timed{event{id, false}, o.Times.Return})
		}
	}
	slices.SortStableFunc(events, func(a, b timed) int {
		if c := cmp.Compare(a.time, b.time); c != 0 || a.isCall == b.isCall {
			return c
		}
		if a.isCall {
			return -1
		}
		return 1
	})
	if h.Ops[p.base].Kind == objects.Txn {
		p.machine.states = map[string]int32{}
		p.machine.vector(make([]int32, len(h.Keys)))
	}
	n := ids[len(ids)-1] - p.base + 1
	p.slot, p.before, p.called = make([]int32, n), make([]int32, n), make([]int, n)
	var free, last []int32
	for _, e := range events {
		switch i := e.op - p.base; {
		case isOptional[e.op]:
			p.slot[i] = -1
			p.pending(e.op, kinds)
			continue // its call is in its class
		case !e.isCall:
			free = append(free, p.slot[i])
		case len(free) > 0:
			p.slot[i], free = free[len(free)-1], free[:len(free)-1]
			p.before[i], last[p.slot[i]] = last[p.slot[i]], e.op
		default:
			p.slot[i], p.before[i] = int32(len(last)), -1
			last = append(last, e.op)
		}
		if e.isCall {
			p.called[e.op-p.base] = len(p.events)
		}
		p.events = append(p.events, e.event)
	}
	p.words = (len(last) + 63) / 64
	p.occupant = make([]int32, len(last))
	return p
}

// pending puts an operation into its class.
func (p *problem) pending(id int32, kinds map[effect]int32) {
	o := &p.h.Ops[id]
	c := int32(len(p.classes))
	if o.Kind != objects.Txn {
		e := effect{o.Kind, o.Key, o.From, o.To}
		if known, is := kinds[e]; is {
			c = known
		} else {
			kinds[e] = c
		}
	}
	if int(c) == len(p.classes) {
		p.classes = append(p.classes, class{op: o})
	}
	p.classes[c].ids = append(p.classes[c].ids, id)
	p.classes[c].calls = append(p.classes[c].calls, int32(len(p.events)))
}

// starts are the values with which a span may begin, as far as they differ for it; known is
// false if there are others, as for what is appended to.
func (p *problem) starts() (list []int32, known bool) {
	for _, id := range p.ids {
		if k := p.h.Ops[id].Kind; k == objects.Append || k == objects.Txn {
			return nil, false
		}
	}
	return values(p.h, p.ids), true
}

// values are those that some operations compare with, and one more.
func values(h *objects.History, ids []int32) []int32 {
	list := []int32{math.MaxInt32}
	for _, id := range ids {
		list = append(list, h.Ops[id].From)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
