package shapes

import (
	"fmt"
	"slices"
	"strings"
)

// Named returns the cycle of Base, or of the further ones that the literature has, whose threads have edges of an instruction set
// between their operations, named as diy7 names its tests: MP+dmb.st+addr,
// S+popl+poap, LB+addrs, SB+rfi-addrs. Behind the base shape stands a part for each
// thread of several operations, or one with an s behind it for all of them. A part
// is the edges from the first operation of the thread to the last, with - between
// them; where there are several, further operations stand between.
//
// An edge is po, addr, data, ctrl, ctrlisb, ctrlfencei, or a fence: mfence, dmb.sy (ish),
// dmb.ld (ishld), dmb.st (ishst), dsb likewise, isb, fence.rw.rw and the like, fence.tso,
// fence.i. With s behind it, it leads to the same location. rfi leads from a store to a
// load of it, fri from a load and wsi or coi from a store to the next store to the
// location. Behind an edge may stand what its two ends are: p (plain), a (acquire), q
// (acquirepc) and l (release) of AArch64, and p, aq, rl and aqrl of RISC-V. An operation
// of which no edge says more is at a location of its own, and a load or a store as its
// annotations or else the operation before it: diy7 has one name for both.
//
// DSB is taken for the DMB of its kind, and fence.i, which orders fetches of
// instructions alone, for nothing. Allowed is not set. The error says what is wrong with
// the name.
func Named(name string) (Shape, error) {
	base, rest, ok := Shape{}, "", false
	for _, s := range longer() {
		if s.Name == name {
			return s, nil
		}
	}
	for _, s := range append(Base(), longer()...) { // SB+rfis is one of them
		if after, found := strings.CutPrefix(name, s.Name+"+"); found && (!ok || len(s.Name) > len(base.Name)) {
			base, rest, ok = s, after, true
		}
	}
	if !ok {
		return Shape{}, fmt.Errorf("unknown shape")
	}
	parts := strings.Split(rest, "+")
	long := 0
	for _, ops := range base.Threads {
		if len(ops) > 1 {
			long++
		}
	}
	if all, plural := strings.CutSuffix(rest, "s"); plural && len(parts) == 1 && long > 1 {
		parts = slices.Repeat([]string{all}, long)
	}
	if len(parts) != long {
		return Shape{}, fmt.Errorf("edges of %d threads: %s has %d of several operations", len(parts), base.Name, long)
	}
	s := base
	s.Name, s.Allowed = name, 0
	for t, ops := range base.Threads {
		if len(ops) < 2 {
			continue
		}
		names := strings.Split(parts[0], "-")
		parts = parts[1:]
		way := make([]edge, len(names))
		for i, name := range names {
			if way[i], ok = edgeOf(name); !ok {
				return Shape{}, fmt.Errorf("unknown edge %q", name)
			}
		}
		if len(ops) == 2 {
			var err error
			if ops, err = s.path(ops[0], ops[1], way, names); err != nil {
				return Shape{}, err
			}
		}
		if len(way) != len(ops)-1 {
			return Shape{}, fmt.Errorf("%d edges in thread %d, which has %d pairs of operations", len(way), t, len(ops)-1)
		}
		s.Threads[t] = linked(ops, way)
	}
	return s, nil
}

// linked puts fences and words between the operations of a thread.
func linked(ops []Op, way []edge) []Op {
	with := []Op{ops[0]}
	for i, e := range way {
		from, to := &with[len(with)-1], ops[i+1]
		if !strings.HasPrefix(from.Words, e.from) { // the edge before has said so
			from.Words = join(e.from, from.Words)
		}
		if e.fence != "" {
			with = append(with, Op{Kind: Fence, Words: join(strings.TrimPrefix(e.fence, full), e.fenceDepends)})
		}
		to.Words = join(e.to, e.depends)
		with = append(with, to)
	}
	return with
}

// join puts a space between words that are there.
func join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// edge is what stands between two operations: words behind them, and a fence with
// words behind it.
type edge struct {
	from, to, depends   string
	fence, fenceDepends string
	// begin and end are the kinds of the operations, where the edge says that;
	// same says that they have one location.
	begin, end Kind
	same       bool
}

// full stands for a full fence, which has no name of its own.
const full = "full"

// edges are those that no annotations are part of, by name.
var edges = map[string]edge{
	"po": {}, "addr": {depends: "addr 1", begin: Load}, "data": {depends: "data 1", begin: Load, end: Store},
	"ctrl": {depends: "ctrl 1", begin: Load}, "ctrlfencei": {depends: "ctrl 1", begin: Load},
	"ctrlisb": {fence: "isync", fenceDepends: "ctrl 1", begin: Load}, "isb": {fence: "isync"}, "fence.i": {},
	"mfence": {fence: full}, "dmb.sy": {fence: full}, "dmb.ish": {fence: full}, "dsb.sy": {fence: full}, "fence.rw.rw": {fence: full},
	"dmb.ld": {fence: "r.rw"}, "dmb.ishld": {fence: "r.rw"}, "dsb.ld": {fence: "r.rw"},
	"dmb.st": {fence: "w.w"}, "dmb.ishst": {fence: "w.w"}, "dsb.st": {fence: "w.w"},
	"fence.r.r": {fence: "r.r"}, "fence.r.w": {fence: "r.w"}, "fence.w.r": {fence: "w.r"}, "fence.w.w": {fence: "w.w"},
	"fence.r.rw": {fence: "r.rw"}, "fence.w.rw": {fence: "w.rw"}, "fence.rw.r": {fence: "rw.r"}, "fence.rw.w": {fence: "rw.w"},
	"fence.tso": {fence: "tso"},
	"rfi":       {begin: Store, end: Load, same: true}, "fri": {begin: Load, end: Store, same: true},
	"wsi": {begin: Store, end: Store, same: true}, "coi": {begin: Store, end: Store, same: true},
}

// ends are what the ends of an edge may be, by the letters of diy7; longer ones come
// first.
var ends = []struct{ letters, words string }{
	{"aqrl", "acquire release"}, {"aq", "acquire"}, {"rl", "release"},
	{"p", ""}, {"a", "acquire"}, {"q", "acquirepc"}, {"l", "release"},
}

// edgeOf reads the name of an edge with its annotations.
func edgeOf(name string) (edge, bool) {
	if e, ok := plainEdge(name); ok {
		return e, true
	}
	for _, to := range ends {
		rest, ok := strings.CutSuffix(name, to.letters)
		if !ok {
			continue
		}
		for _, from := range ends {
			kind, ok := strings.CutSuffix(rest, from.letters)
			if e, known := plainEdge(kind); ok && known {
				e.from, e.to = from.words, to.words
				return e, true
			}
		}
	}
	return edge{}, false
}

// plainEdge is an edge by its name without annotations, which may end in s.
func plainEdge(name string) (edge, bool) {
	e, ok := edges[name]
	if base, same := strings.CutSuffix(name, "s"); !ok && same {
		e, ok = edges[base]
		e.same = true
	}
	return e, ok
}
