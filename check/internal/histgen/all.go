package histgen

import (
	"iter"
	"slices"

	"ordeal/parse"
)

// Bound limits an enumeration of histories.
type Bound struct {
	Threads, Locations, Ops int
	// Exact asks for histories of Ops operations only; else fewer, at least
	// one, are enumerated too.
	Exact bool
	// RMW adds atomic read-modify-writes, Fences a fence of each mask.
	RMW    bool
	Fences []parse.FenceMask
	_      struct{}
}

// All enumerates the histories within a bound: every program and, for each,
// every way its reads can read from writes to their location or from the
// initial value. Fences at either end of a thread or next to each other are
// left out. Of programs that differ by a renaming of threads or locations at
// least one is enumerated, and usually just one; reads-from is not reduced.
//
// The history is overwritten by the next one: Clone what is to be kept.
func All(b Bound) iter.Seq[*parse.History] {
	return func(yield func(*parse.History) bool) {
		e := &enumeration{b: b, yield: yield}
		e.letters = e.alphabet()
		for n := 1; n <= b.Ops; n++ {
			if b.Exact && n != b.Ops {
				continue
			}
			if !e.partitions(n, n, nil) {
				return
			}
		}
	}
}

// Every keeps the n-th history of a sequence, the 2n-th, and so on: a sample
// for where all would take too long.
func Every(n int, all iter.Seq[*parse.History]) iter.Seq[*parse.History] {
	return func(yield func(*parse.History) bool) {
		i := 0
		for h := range all {
			if i++; i%n == 0 && !yield(h) {
				return
			}
		}
	}
}

// Clone copies a history's operations and structure; names are shared.
func Clone(h *parse.History) *parse.History {
	c := *h
	c.Ops = slices.Clone(h.Ops)
	c.Start = slices.Clone(h.Start)
	c.Final = slices.Clone(h.Final)
	c.Deps = slices.Clone(h.Deps)
	c.StoreOrder = slices.Clone(h.StoreOrder)
	for x := range c.StoreOrder {
		c.StoreOrder[x] = slices.Clone(h.StoreOrder[x])
	}
	return &c
}

type enumeration struct {
	b       Bound
	yield   func(*parse.History) bool
	letters []parse.Op
	word    []int // letters of the program, thread after thread
	h       parse.History
}

// alphabet lists the operations programs are made of, locations of one kind
// in order: the least program under renaming then uses location 0 first.
func (e *enumeration) alphabet() []parse.Op {
	kinds := []parse.Kind{parse.Read, parse.Write}
	if e.b.RMW {
		kinds = append(kinds, parse.RMW)
	}
	var out []parse.Op
	for _, k := range kinds {
		for x := range e.b.Locations {
			out = append(out, parse.Op{Kind: k, Loc: int32(x), RF: parse.NoOp})
		}
	}
	for _, m := range e.b.Fences {
		out = append(out, parse.Op{Kind: parse.Fence, Mask: m, Loc: -1, RF: parse.NoOp})
	}
	return out
}

// partitions splits n operations into threads of at most limit each, longest
// first.
func (e *enumeration) partitions(n, limit int, lengths []int) bool {
	if n == 0 {
		e.h = parse.History{
			Start:       []parse.OpID{0},
			ThreadNames: names(len(lengths)), Locations: names(e.b.Locations),
		}
		at := 0
		for _, l := range lengths {
			at += l
			e.h.Start = append(e.h.Start, parse.OpID(at))
		}
		e.h.Ops = make([]parse.Op, at)
		e.word = make([]int, at)
		return e.words(0, 0, 0)
	}
	if len(lengths) == e.b.Threads {
		return true
	}
	for l := min(n, limit); l > 0; l-- {
		if !e.partitions(n-l, l, append(lengths[:len(lengths):len(lengths)], l)) {
			return false
		}
	}
	return true
}

// words chooses the operations from position i on, of thread t; used is the
// number of locations used so far.
func (e *enumeration) words(i, t, used int) bool {
	if i == len(e.word) {
		return e.sources(0)
	}
	start, end := int(e.h.Start[t]), int(e.h.Start[t+1])
	for l, op := range e.letters {
		u := used
		switch {
		case op.Kind == parse.Fence:
			if i == start || i == end-1 || e.h.Ops[i-1].Kind == parse.Fence {
				continue
			}
		case int(op.Loc) > used:
			continue
		case int(op.Loc) == used:
			u++
		}
		e.h.Ops[i], e.word[i] = op, l
		next := t
		if i == end-1 {
			if e.belowPrevious(t) {
				continue
			}
			next++
		}
		if !e.words(i+1, next, u) {
			return false
		}
	}
	return true
}

// belowPrevious reports whether thread t has the length of the thread before
// it and comes before it in the order of words.
func (e *enumeration) belowPrevious(t int) bool {
	if t == 0 {
		return false
	}
	a, b, c := e.h.Start[t-1], e.h.Start[t], e.h.Start[t+1]
	return b-a == c-b && slices.Compare(e.word[b:c], e.word[a:b]) < 0
}

// sources chooses what the reads from position i on read from.
func (e *enumeration) sources(i int) bool {
	for i < len(e.h.Ops) && !e.h.Ops[i].Reads() {
		i++
	}
	if i == len(e.h.Ops) {
		fillValues(&e.h)
		return e.yield(&e.h)
	}
	op := &e.h.Ops[i]
	op.RF = parse.Init
	if !e.sources(i + 1) {
		return false
	}
	for w := range e.h.Ops {
		if o := &e.h.Ops[w]; w != i && o.Writes() && o.Loc == op.Loc {
			op.RF = parse.OpID(w)
			if !e.sources(i + 1) {
				return false
			}
		}
	}
	return true
}
