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
// location. rmw leads from the load of an atomic operation to its store, which are one
// exchange, or on Arm a load-linked and its store-conditional; amo.swp and amo.ldadd are an
// exchange and an addition. Behind an edge may stand what its two ends are: p (plain), a
// (acquire), q (acquirepc) and l (release) of AArch64, p, aq, rl and aqrl of RISC-V, and for a
// store by an exclusive pair x, with those of its load and its store behind it (xa, xl, xal,
// xaqp, xprl, xaqrl). Before them may stand R or W, which say that the edge ends at a load or a
// store. An operation of which no edge says more is at a location of its own, and a load or a
// store as its annotations or else the operation before it: older diy7 has one name for both.
//
// DSB is taken for the DMB of its kind, and fence.i, which orders fetches of
// instructions alone, for nothing. A pair is one attempt, where diy7 repeats it until it
// succeeds. Allowed is not set. The error says what is wrong with the name.
func Named(name string, arch Arch) (Shape, error) {
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
		var err error
		if s.Threads[t], err = linked(ops, way, names, arch); err != nil {
			return Shape{}, err
		}
	}
	return s, nil
}

// Arch is an architecture, as far as diy7 has names of its own for it.
type Arch uint8

// The architectures.
const (
	X86 Arch = iota
	Arm
	RISCV
)

// linked puts fences and words between the operations of a thread, and makes atomic
// operations of loads and stores. The names of the edges are for errors.
func linked(ops []Op, way []edge, names []string, arch Arch) ([]Op, error) {
	said := make([]end, len(ops)) // of each operation
	for i, e := range way {
		switch before := &said[i]; {
		case *before == end{}:
			*before = e.from
		case e.from != end{} && e.from != *before:
			return nil, fmt.Errorf("edges %s and %s: they say different things of the operation between them", names[i-1], names[i])
		}
		said[i+1] = e.to
	}
	for i, op := range ops {
		atomic := i > 0 && way[i-1].atomic != 0 || i < len(way) && way[i].atomic != 0
		if said[i].pair && (op.Kind != Store || atomic) {
			return nil, fmt.Errorf("edge %s: an exclusive pair stands for a store alone", names[min(i, len(way)-1)])
		}
	}
	with := said[0].on(ops[0], "")
	for i, e := range way {
		from, to := &with[len(with)-1], ops[i+1]
		switch {
		case e.atomic == KindUnknown:
			if e.fence != "" {
				with = append(with, Op{Kind: Fence, Words: join(strings.TrimPrefix(e.fence, full), e.fenceDepends)})
			}
			with = append(with, said[i+1].on(to, e.depends)...)
		case e.lxsx && arch == Arm:
			from.Kind, to.Kind, to.Words = LoadLinked, StoreConditional, said[i+1].words
			if strings.HasSuffix(from.Words, "addr 1") {
				to.Words = join(to.Words, "addr 2")
			}
			with = append(with, to)
		default:
			*from = Op{Kind: e.atomic, Loc: to.Loc, Read: from.Read, Write: to.Write, Words: annotate(from.Words, said[i+1].words)}
		}
	}
	return with, nil
}

// annotate adds annotations of a store to the words of its load, of which a dependency is
// last.
func annotate(words, more string) string {
	list := strings.Fields(words)
	at := slices.IndexFunc(list, func(w string) bool { return w != "acquire" && w != "release" })
	if at < 0 {
		at = len(list)
	}
	annotations := append(list[:at:at], strings.Fields(more)...)
	slices.Sort(annotations)
	return join(append(slices.Compact(annotations), list[at:]...)...)
}

// join puts a space between words that are there.
func join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// edge is what stands between two operations: words behind them, and a fence with
// words behind it.
type edge struct {
	from, to            end
	depends             string
	fence, fenceDepends string
	// begin and end are the kinds of the operations, where the edge says that;
	// same says that they have one location.
	begin, end Kind
	same       bool
	// atomic is the kind of the one operation whose load and store the edge has at its
	// ends; with lxsx it may be a load-linked and its store-conditional.
	atomic Kind
	lxsx   bool
}

// end is what is said of an end of an edge: annotations, or an exclusive pair with those
// of its load and its store.
type end struct {
	words         string
	pair          bool
	load, storing string
}

// on is the operation with what is said of it, and a dependency on the one before it.
func (e end) on(op Op, depends string) []Op {
	if !e.pair {
		op.Words = join(e.words, depends)
		return []Op{op}
	}
	load, further := join(e.load, depends), ""
	switch kind, _, _ := strings.Cut(depends, " "); kind {
	case "data":
		load, further = e.load, "data 2"
	case "addr":
		further = "addr 2"
	}
	return []Op{
		{Kind: LoadLinked, Loc: op.Loc, Words: load},
		{Kind: StoreConditional, Loc: op.Loc, Write: op.Write, Words: join(e.storing, further)},
	}
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
	"rmw":       {begin: Load, end: Store, same: true, atomic: Exchange, lxsx: true},
	"amo.swp":   {begin: Load, end: Store, same: true, atomic: Exchange},
	"amo.ldadd": {begin: Load, end: Store, same: true, atomic: Add},
}

// ends are what the ends of an edge may be, by the letters of diy7.
var ends = []struct {
	letters string
	end
}{
	{"aqrl", end{words: "acquire release"}}, {"aq", end{words: "acquire"}}, {"rl", end{words: "release"}},
	{"p", end{}}, {"a", end{words: "acquire"}}, {"q", end{words: "acquirepc"}}, {"l", end{words: "release"}},
	{"x", end{pair: true}}, {"xa", end{pair: true, load: "acquire"}}, {"xl", end{pair: true, storing: "release"}},
	{"xal", end{pair: true, load: "acquire", storing: "release"}},
	{"xaqp", end{pair: true, load: "acquire"}}, {"xprl", end{pair: true, storing: "release"}},
	{"xaqrl", end{pair: true, load: "acquire", storing: "release"}},
}

// edgeOf reads the name of an edge with its annotations.
func edgeOf(name string) (edge, bool) {
	if e, ok := directed(name); ok {
		return e, true
	}
	for _, to := range ends {
		rest, ok := strings.CutSuffix(name, to.letters)
		if !ok {
			continue
		}
		for _, from := range ends {
			kind, ok := strings.CutSuffix(rest, from.letters)
			if e, known := directed(kind); ok && known {
				e.from, e.to = from.end, to.end
				return e, true
			}
		}
	}
	return edge{}, false
}

// directed is an edge by its name without annotations, behind which may stand R or W.
func directed(name string) (edge, bool) {
	if e, ok := plainEdge(name); ok {
		return e, true
	}
	kind := Load
	base, ok := strings.CutSuffix(name, "R")
	if !ok {
		kind = Store
		if base, ok = strings.CutSuffix(name, "W"); !ok {
			return edge{}, false
		}
	}
	e, ok := plainEdge(base)
	ok = ok && (e.end == KindUnknown || e.end == kind)
	e.end = kind
	return e, ok
}

// plainEdge is an edge by its name without annotations and directions, which may end in s.
func plainEdge(name string) (edge, bool) {
	e, ok := edges[name]
	if base, same := strings.CutSuffix(name, "s"); !ok && same {
		e, ok = edges[base]
		e.same = true
	}
	return e, ok
}
