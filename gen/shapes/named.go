package shapes

import (
	"fmt"
	"slices"
	"strings"
)

// Named returns the cycle of Base whose threads have edges of an instruction set
// between their operations, named as diy7 names its tests: MP+dmb.st+addr,
// S+popl+poap, LB+addrs, SB+rfi-addrs. Behind the base shape stands a part for each
// thread of several operations, or one with an s behind it for all of them. A part
// is an edge for each pair of neighbours, with - between them; rfi before the
// first has the thread read its own store.
//
// An edge is po, addr, data, ctrl, ctrlisb, or a fence: mfence, dmb.sy (ish), dmb.ld
// (ishld), dmb.st (ishst), isb, fence.rw.rw and the like, fence.tso. Behind it may stand
// what its two ends are: p (plain), a (acquire), q (acquirepc) and l (release) of
// AArch64, and p, aq, rl and aqrl of RISC-V. Allowed is not set. The error says what is wrong
// with the name.
func Named(name string) (Shape, error) {
	base, rest, ok := Shape{}, "", false
	for _, s := range Base() { // SB+rfis is one of them
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
		edges := strings.Split(parts[0], "-")
		parts = parts[1:]
		if first := &ops[0]; edges[0] == "rfi" && first.Kind == Store {
			ops = slices.Insert(slices.Clone(ops), 1, Op{Kind: Load, Loc: first.Loc, Read: first.Write})
			edges[0] = "po"
		}
		if len(edges) != len(ops)-1 {
			return Shape{}, fmt.Errorf("%d edges in thread %d, which has %d pairs of operations", len(edges), t, len(ops)-1)
		}
		with, err := linked(ops, edges)
		if err != nil {
			return Shape{}, err
		}
		s.Threads[t] = with
	}
	return s, nil
}

// linked puts edges between the operations of a thread.
func linked(ops []Op, edges []string) ([]Op, error) {
	with := []Op{ops[0]}
	for i, name := range edges {
		e, ok := edgeOf(name)
		if !ok {
			return nil, fmt.Errorf("unknown edge %q", name)
		}
		from, to := &with[len(with)-1], ops[i+1]
		if e.depends != "" && from.Kind == Store {
			return nil, fmt.Errorf("edge %s: it begins at a store", name)
		}
		from.Words = join(from.Words, e.from)
		if e.fence != "" {
			with = append(with, Op{Kind: Fence, Words: join(strings.TrimPrefix(e.fence, full), e.fenceDepends)})
		}
		to.Words = join(e.to, e.depends)
		with = append(with, to)
	}
	return with, nil
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
}

// full stands for a full fence, which has no name of its own.
const full = "full"

// edges are those that no annotations are part of, by name.
var edges = map[string]edge{
	"po": {}, "addr": {depends: "addr 1"}, "data": {depends: "data 1"}, "ctrl": {depends: "ctrl 1"},
	"ctrlisb": {fence: "isync", fenceDepends: "ctrl 1"}, "isb": {fence: "isync"},
	"mfence": {fence: full}, "dmb.sy": {fence: full}, "dmb.ish": {fence: full}, "fence.rw.rw": {fence: full},
	"dmb.ld": {fence: "r.rw"}, "dmb.ishld": {fence: "r.rw"}, "dmb.st": {fence: "w.w"}, "dmb.ishst": {fence: "w.w"},
	"fence.r.r": {fence: "r.r"}, "fence.r.w": {fence: "r.w"}, "fence.w.r": {fence: "w.r"}, "fence.w.w": {fence: "w.w"},
	"fence.r.rw": {fence: "r.rw"}, "fence.w.rw": {fence: "w.rw"}, "fence.rw.r": {fence: "rw.r"}, "fence.rw.w": {fence: "rw.w"},
	"fence.tso": {fence: "tso"},
}

// ends are what the ends of an edge may be, by the letters of diy7; longer ones come
// first.
var ends = []struct{ letters, words string }{
	{"aqrl", "acquire release"}, {"aq", "acquire"}, {"rl", "release"},
	{"p", ""}, {"a", "acquire"}, {"q", "acquirepc"}, {"l", "release"},
}

// edgeOf reads the name of an edge with its annotations.
func edgeOf(name string) (edge, bool) {
	if e, ok := edges[name]; ok {
		return e, true
	}
	for _, to := range ends {
		rest, ok := strings.CutSuffix(name, to.letters)
		if !ok {
			continue
		}
		for _, from := range ends {
			kind, ok := strings.CutSuffix(rest, from.letters)
			if e, known := edges[kind]; ok && known {
				e.from, e.to = from.words, to.words
				return e, true
			}
		}
	}
	return edge{}, false
}
