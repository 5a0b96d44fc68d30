package histgen

import (
	"fmt"

	"ordeal/parse"
)

// Kernel describes the histories of Zennou et al., "Boosting Sequential
// Consistency Checking Using Saturation", Figs. 3 to 5, in a form of our own:
// pairs of writes, and blocks each of which forbids one way to order all the
// pairs, though no inference from one fact at a time shows it.
//
// A block has conflicts y0 … y(m-1). Before the first write of a pair ordered
// u then v, its thread writes yi := old; after reading v another thread writes
// yi := new and reads the old y(i+1). If u comes before v for all its pairs,
// old comes before new for all yi, each read of an old value must precede the
// new one, and the reads form a cycle.
type Kernel struct {
	// Pairs of writes: 1 for Figs. 3 and 4, 2 for Fig. 5, or more.
	Pairs int
	// Conflicts in each block: 2 for Fig. 3, more for Fig. 4; at least two,
	// and one for each pair.
	Conflicts int
	// Forbid makes blocks for all ways to order the pairs, so that SC forbids
	// the history; else all but one: there first comes second in each pair.
	Forbid bool
	// Fences separates all operations of a thread by full fences: the
	// models are then all alike.
	Fences bool
	_      struct{}
}

// History builds the history, and for each pair the two writes; without
// Forbid the kernel orders pair[1] before pair[0], for all pairs.
func (k Kernel) History() (h *parse.History, pairs [][2]parse.OpID) {
	s := newSketch()
	writers := make([][2]int, k.Pairs)
	writes := make([][2]ref, k.Pairs)
	for p := range writers {
		for side := range 2 {
			writers[p][side] = s.thread(fmt.Sprintf("x%d.%d", p, side))
		}
	}
	// Old values come first: each block adds them to the threads of pairs.
	blocks := 1 << k.Pairs
	if !k.Forbid {
		blocks-- // the last is all ones: pair[1] before pair[0]
	}
	m := max(k.Conflicts, k.Pairs, 2)
	old := make([][]ref, blocks)
	for b := range old {
		for i := range m {
			p := i % k.Pairs
			t := writers[p][b>>p&1]
			old[b] = append(old[b], s.write(t, fmt.Sprintf("y%d.%d", b, i)))
			k.separate(s, t)
		}
	}
	for p := range writes {
		for side := range 2 {
			writes[p][side] = s.write(writers[p][side], fmt.Sprintf("x%d", p))
		}
	}
	for b := range old {
		for i := range m {
			p := i % k.Pairs
			t := s.thread(fmt.Sprintf("y%d.%d", b, i))
			s.read(t, writes[p][1-b>>p&1])
			k.separate(s, t)
			s.write(t, fmt.Sprintf("y%d.%d", b, i))
			k.separate(s, t)
			s.read(t, old[b][(i+1)%m])
		}
	}
	h, at := s.history()
	for _, w := range writes {
		pairs = append(pairs, [2]parse.OpID{at[w[0]], at[w[1]]})
	}
	return h, pairs
}

func (k Kernel) separate(s *sketch, t int) {
	if k.Fences {
		s.fence(t)
	}
}

// SplitNeeded is a smallest history of this sort that SC forbids and no
// single-step inference refutes: either order of the returned writes closes a
// cycle.
func SplitNeeded() (*parse.History, [2]parse.OpID) {
	h, pairs := Kernel{Pairs: 1, Forbid: true}.History()
	return h, pairs[0]
}

// Staircase is a history consistent with SC in which saturation finds n
// facts, each from the one before, and each about writes further back in both
// threads: writes un … u1 in one thread, and in the other for i = n … 1 a
// write wi and a read of w(i+1). A read of w1 after u1 starts the chain: ui
// precedes wi, so u(i+1) precedes the read of w(i+1), hence w(i+1).
func Staircase(n int) *parse.History {
	s := newSketch()
	a, b := s.thread("a"), s.thread("b")
	w := make([]ref, n+1)
	for i := n; i >= 1; i-- {
		s.write(a, fmt.Sprintf("x%d", i))
		w[i] = s.write(b, fmt.Sprintf("x%d", i))
		if i < n {
			s.read(b, w[i+1])
		}
	}
	s.read(a, w[1])
	h, _ := s.history()
	return h
}
