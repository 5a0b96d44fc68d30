package search

import (
	"cmp"
	"context"
	"slices"

	"ordeal/check/saturate"
)

// consequence is an edge that holds in every order in which lit does.
type consequence struct {
	from, to saturate.Node
	lit      literal
}

// create makes variables of pairs of writes that the saturated graph does not
// order, each the earlier in the sweep first. It prefers pairs with many readers,
// since their order has the most consequences, and leaves out a pair that a
// variable decides under both its values.
func (s *pairSolver) create(ctx context.Context, candidates [][2]saturate.Node) error {
	s.retract(0)
	g := s.g
	candidates = slices.DeleteFunc(candidates, func(c [2]saturate.Node) bool {
		_, ok := s.index[c]
		return ok || g.HB(c[0], c[1]) || g.HB(c[1], c[0])
	})
	weight := func(c [2]saturate.Node) int32 {
		return g.Readers(int32(c[0])) + g.Readers(int32(c[1]))
	}
	slices.SortFunc(candidates, func(a, b [2]saturate.Node) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	candidates = slices.Compact(candidates)
	candidates = candidates[:min(len(candidates), maxCandidates)]
	decided := make([]bool, len(candidates))
	created := 0
	for i, c := range candidates {
		if decided[i] {
			continue
		}
		if created++; created > s.more {
			break
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		l := literal(2 * len(s.pairs))
		s.index[c] = len(s.pairs)
		s.pairs = append(s.pairs, writePair{c[0], c[1], s.sat.Lit()})
		s.bytes += pairBytes
		under := make([]bool, len(candidates)-i)
		s.probe(l, candidates[i:], func(k int) { under[k] = true })
		s.probe(l.not(), candidates[i:], func(k int) { decided[i+k] = decided[i+k] || under[k] })
	}
	if len(candidates) > 0 {
		s.more *= 2
	}
	return nil
}

// probe finds what follows from a literal alone: its consequences, or that it
// contradicts. It calls decided for each candidate that it orders.
func (s *pairSolver) probe(l literal, candidates [][2]saturate.Node, decided func(k int)) {
	g := s.g
	mark, before := g.Mark(), g.Inferred()
	holds := s.assume(l)
	if !holds {
		s.learn([]literal{l}, g.Refute())
	}
	for k, c := range candidates {
		if !holds || g.HB(c[0], c[1]) || g.HB(c[1], c[0]) {
			decided(k)
		}
	}
	var all []consequence
	if n := g.Inferred() - before; holds && n <= s.capacity {
		s.capacity -= n
		all = make([]consequence, 0, n)
		s.bytes += int64(n) * consequenceBytes
		g.EachSince(mark, func(from, to saturate.Node) {
			all = append(all, consequence{from, to, l})
		})
	}
	s.implied = append(s.implied, all)
	g.Undo(mark)
}
