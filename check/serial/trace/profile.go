package trace

import (
	"context"
	"slices"

	"ordeal/check/closure"
)

// The search for a violation follows Sect. 6.2 of the paper. A violation is a
// cycle of transactions through conflicts that all executions have and open
// ones, to be directed along the cycle. Between two open conflicts the cycle
// enters a transaction at an event v and leaves that transaction, or one that
// can be reached from it by conflicts of all executions, from an event u: a
// segment. Of a cycle with as few open conflicts as possible no segment
// reaches another one (Proposition 3), so that no two begin in one chain, and
// there are no more segments than chains: at most 2 + variables to a thread.
//
// A profile says of each segment to which lists its v and its u belong. Given
// the profile, the first u that v reaches is the best, and the later v the
// later that u; and each condition on the cycle fails for a v at all places
// before the one where it first holds, given the others' least places. So the
// least solution is found by advancing one v at a time, in a time linear in
// the lists. The number of profiles depends on the numbers of threads and
// variables only.
//
// The open conflicts of a cycle can be directed along it in one execution if
// and only if they do not order events in a circle (Sect. 5). Where they do,
// one step of the circle has to be broken, each of which is one more condition
// of the same form.

// searcher looks for a violation in an arena.
type searcher struct {
	a     *arena
	err   func() error // of the context: not nil ends the search
	edges int          // open conflicts of the cycle looked for
	v, u  []int32
	found []constraint
	// pivots holds, for each pair of lists, the least place of a v and a u
	// that it reaches without being before it, once computed; v is -1 when
	// there is none.
	pivots []place
}

// place is a candidate for segment i: the indices of v and u in their lists.
type place struct{ v, u int32 }

// apart asks that the target of open conflict first is not before the source
// of open conflict then in every execution.
type apart struct{ first, then int }

// search returns the constraints of an execution that is not serializable,
// nil if there is none.
func (a *arena) search(ctx context.Context) ([]constraint, error) {
	s := &searcher{a: a, err: ctx.Err}
	s.findPivots()
	for s.edges = 1; s.edges <= a.chains; s.edges++ {
		for v := range a.lists {
			for u := range a.lists {
				if first := s.pivot(int32(v), int32(u)); first.v != none && (s.edges > 1 || s.rivals(int32(v), int32(u))) {
					s.v, s.u = append(s.v[:0], int32(v)), s.u[:0]
					s.leave(append(make([]place, 0, s.edges), first), int32(u))
				}
				if err := ctx.Err(); err != nil || s.found != nil {
					return s.found, err
				}
			}
		}
	}
	return nil, nil
}

// findPivots fills in the table of pivots: segments that are entered at a v
// and left from a u although v need not be before u. Every violation has one,
// else it would order events in a circle.
func (s *searcher) findPivots() {
	n := len(s.a.lists)
	s.pivots = make([]place, n*n)
	s.edges = 2
	for v := range n {
		for u := range n {
			first := &s.pivots[v*n+u]
			first.v = none
			if len(s.a.lists[v].rivals) == 0 || len(s.a.lists[u].rivals) == 0 {
				continue
			}
			s.v, s.u = append(s.v[:0], int32(v)), append(s.u[:0], int32(u))
			at := make([]place, 1, 2)
			if s.advance(at, nil) {
				*first = at[0]
			}
		}
	}
}

func (s *searcher) pivot(v, u int32) place { return s.pivots[int(v)*len(s.a.lists)+int(u)] }

func (s *searcher) leaveAll(at []place) {
	last := len(s.u) == s.edges-1
	for u := range s.a.lists {
		if len(s.a.lists[u].rivals) == 0 || last && !s.rivals(int32(u), s.v[0]) {
			continue
		}
		s.leave(at, int32(u))
		if s.found != nil || s.err() != nil {
			return
		}
	}
}

func (s *searcher) leave(at []place, u int32) {
	i := len(s.u)
	s.u = append(s.u, u)
	next := append(make([]place, 0, s.edges), at...)
	if i > 0 {
		next[i].u = 0
	}
	switch {
	case !s.advance(next, nil):
	case i == s.edges-1:
		s.close(next, nil)
	default:
		s.enter(next)
	}
	s.u = s.u[:i]
}

func (s *searcher) rivals(x, y int32) bool { return s.a.lists[x].rival(&s.a.lists[y]) }

func (s *searcher) enter(at []place) {
	i := len(s.v)
	for _, v := range s.a.lists[s.u[i-1]].rivals {
		if s.chainTaken(v) {
			continue
		}
		s.v = append(s.v, v)
		next := append(append(make([]place, 0, s.edges), at...), place{})
		if s.advance(next, nil) {
			s.leaveAll(next)
		}
		s.v = s.v[:i]
		if s.found != nil || s.err() != nil {
			return
		}
	}
}

func (s *searcher) chainTaken(v int32) bool {
	for _, w := range s.v {
		if s.a.lists[w].chain == s.a.lists[v].chain {
			return true
		}
	}
	return false
}

func (s *searcher) eventV(at []place, i int) int32 { return s.a.lists[s.v[i]].events[at[i].v] }
func (s *searcher) eventU(at []place, i int) int32 { return s.a.lists[s.u[i]].events[at[i].u] }

// advance moves places to the least ones that meet all conditions on the
// profile so far. It reports whether there are any.
func (s *searcher) advance(at []place, conditions []apart) bool {
	for i := range at {
		if int(at[i].v) == len(s.a.lists[s.v[i]].events) {
			return false
		}
		if i < len(s.u) && !s.firstU(at, i) {
			return false // later ones reach less
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range at {
			for s.tooEarly(at, i, conditions) {
				changed = true
				if at[i].v++; int(at[i].v) == len(s.a.lists[s.v[i]].events) {
					return false
				}
				if i < len(s.u) && !s.firstU(at, i) {
					return false
				}
			}
		}
	}
	return true
}

// firstU moves u of segment i to the first event of its list that v reaches.
func (s *searcher) firstU(at []place, i int) bool {
	u := &s.a.lists[s.u[i]]
	reached := s.a.row(s.a.l.seq.Events[s.eventV(at, i)].Tx)[u.chain]
	skipped, _ := slices.BinarySearch(u.events[at[i].u:], reached)
	at[i].u += int32(skipped)
	return int(at[i].u) < len(u.events)
}

// tooEarly reports whether v of segment i breaks a condition.
func (s *searcher) tooEarly(at []place, i int, conditions []apart) bool {
	v := s.eventV(at, i)
	row := s.a.row(s.a.l.seq.Events[v].Tx)
	for j := range at {
		if i == j {
			continue
		}
		if w := s.eventV(at, j); row[s.a.lists[s.v[j]].chain] <= w {
			return true // the cycle could be simplified
		}
		if j < len(s.u) && row[s.a.lists[s.u[j]].chain] <= s.eventU(at, j) {
			return true
		}
	}
	// The first segment is a pivot: it is entered at v and left from u, but
	// v need not be before u. Every violation has one.
	if i == 0 && len(s.u) > 0 && !s.a.l.possible(s.eventU(at, 0), v) {
		return true
	}
	// The open conflict into v is possible.
	from := (i + s.edges - 1) % s.edges
	if from < len(s.u) && from < len(at) && !s.a.l.possible(s.eventU(at, from), v) {
		return true
	}
	for _, c := range conditions {
		if (c.first+1)%s.edges == i && !s.a.l.possible(s.eventU(at, c.then), v) {
			return true
		}
	}
	return false
}

// close looks for a violation with a complete profile, beginning at the least
// places that meet the conditions.
func (s *searcher) close(at []place, conditions []apart) {
	circle := s.circle(at)
	if circle == nil {
		for i := range at {
			u, v := s.eventU(at, i), s.eventV(at, (i+1)%s.edges)
			s.found = append(s.found, constraint{u, v})
			if w := s.a.l.source[u]; w != none {
				s.found = append(s.found, constraint{w, v})
			}
		}
		return
	}
	for k, first := range circle {
		next := append(make([]place, 0, s.edges), at...)
		more := append(conditions[:len(conditions):len(conditions)], apart{first, circle[(k+1)%len(circle)]})
		if s.advance(next, more) {
			s.close(next, more)
		}
		if s.found != nil || s.err() != nil {
			return
		}
	}
}

// circle is a list of open conflicts each of whose targets is before the
// source of the next in every execution, in a circle; nil if there is none.
func (s *searcher) circle(at []place) []int {
	g := closure.Graph[struct{}]{Nodes: s.edges}
	for f := range s.edges {
		target := s.eventV(at, (f+1)%s.edges)
		for next := range s.edges {
			if !s.a.l.possible(s.eventU(at, next), target) {
				g.Add(int32(f), int32(next), struct{}{})
			}
		}
	}
	var circle []int
	for _, a := range g.Cycle() {
		circle = append(circle, int(a.From))
	}
	return circle
}
