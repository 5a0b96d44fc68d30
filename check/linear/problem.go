package linear

import (
	"cmp"
	"math"
	"slices"

	"ordeal/parse/objects"
)

// event is the call or the return of an operation.
type event struct {
	op     int32 // among those of the problem
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
	slot    []int32 // by operation: where it is from call to return; -1 for pending ones
	before  []int32 // by operation: who had the slot before; -1
	called  []int32 // by operation: its call among the events
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
	type timed struct {
		event
		time int64
	}
	events := make([]timed, 0, 2*len(ids))
	kinds := map[effect]int32{}
	p.ids = make([]int32, 0, len(ids))
	var isOptional []bool
	for _, id := range ids {
		o := &h.Ops[id]
		part, optional := span.within(o)
		if !part {
			continue
		}
		i := int32(len(p.ids))
		p.ids, isOptional = append(p.ids, id), append(isOptional, optional)
		p.appends = p.appends || o.Kind == objects.Append
		call := max(o.Times.Call, span.Start)
		events = append(events, timed{event{i, true}, call})
		if !optional {
			events = append(events, timed{event{i, false}, o.Times.Return})
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
	if h.Ops[ids[0]].Kind == objects.Txn {
		p.machine.states = map[string]int32{}
		p.machine.vector(make([]int32, len(h.Keys)))
	}
	n := len(p.ids)
	p.slot, p.before, p.called = make([]int32, n), make([]int32, n), make([]int32, n)
	p.events = make([]event, 0, len(events))
	var free, last []int32
	for _, e := range events {
		switch i := e.op; {
		case isOptional[i]:
			p.slot[i] = -1
			p.pending(p.ids[i], kinds)
			continue // its call is in its class
		case !e.isCall:
			free = append(free, p.slot[i])
		case len(free) > 0:
			p.slot[i], free = free[len(free)-1], free[:len(free)-1]
			p.before[i], last[p.slot[i]] = last[p.slot[i]], i
		default:
			p.slot[i], p.before[i] = int32(len(last)), -1
			last = append(last, i)
		}
		if e.isCall {
			p.called[e.op] = int32(len(p.events))
		}
		p.events = append(p.events, e.event)
	}
	p.words = (len(last) + 63) / 64
	p.occupant = make([]int32, len(last))
	return p
}

// op is an operation of the problem.
func (p *problem) op(i int32) *objects.Op { return &p.h.Ops[p.ids[i]] }

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
