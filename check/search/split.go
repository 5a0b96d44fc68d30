package search

import (
	"cmp"
	"slices"

	"ordeal/check/saturate"
)

// split makes variables of unordered pairs of writes at which a greedy order
// is stuck: first the pairs with the most readers, since their order has the
// most consequences.
func (s *splitter) split(p *placer) {
	candidates := s.stuckPairs(p)
	if len(candidates) == 0 {
		candidates = s.anyPairs(p)
	}
	if len(candidates) == 0 {
		panic("search: stuck although all writes are ordered; a greedy order cannot fail then")
	}
	weight := func(c [2]saturate.Node) int32 {
		return s.g.Readers(int32(c[0])) + s.g.Readers(int32(c[1]))
	}
	slices.SortFunc(candidates, func(a, b [2]saturate.Node) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	candidates = slices.Compact(candidates)
	if len(candidates) > s.more {
		candidates = candidates[:s.more]
	}
	s.more *= 2
	for _, c := range candidates {
		s.index[c] = len(s.pairs)
		s.pairs = append(s.pairs, writePair{c[0], c[1], s.sat.Lit()})
	}
}

// stuckPairs lists unordered pairs of a write that is ready, or whose readers
// hold others up, and the next writes of the other chains.
func (s *splitter) stuckPairs(p *placer) [][2]saturate.Node {
	var out [][2]saturate.Node
	for x := range p.current {
		var heads []saturate.Node
		if cur := p.current[x].writer; int(cur) < s.g.Nodes() && p.pending[cur] > 0 {
			heads = append(heads, saturate.Node(cur))
		}
		s.g.NextWrites(int32(x), p.heads, p.hint, func(u saturate.Node) {
			for _, w := range heads {
				out = s.unordered(out, w, u)
			}
			if len(heads) < 64 {
				heads = append(heads, u)
			}
		})
	}
	return out
}

// anyPairs lists every unordered pair of writes that are not both placed.
func (s *splitter) anyPairs(p *placer) [][2]saturate.Node {
	byLoc := make([][]saturate.Node, len(p.current))
	for v := range saturate.Node(s.g.Nodes()) {
		if s.g.IsWrite(v) {
			byLoc[s.g.Loc(v)] = append(byLoc[s.g.Loc(v)], v)
		}
	}
	var out [][2]saturate.Node
	for _, writes := range byLoc {
		for i, u := range writes {
			for _, v := range writes[:i] {
				if !p.placed[u] || !p.placed[v] {
					out = s.unordered(out, u, v)
				}
			}
			if len(out) >= s.more {
				return out
			}
		}
	}
	return out
}

// unordered appends the pair of u and v, the earlier in the sweep first, if
// their order is neither known nor a variable.
func (s *splitter) unordered(out [][2]saturate.Node, u, v saturate.Node) [][2]saturate.Node {
	if s.g.SweepOrder(v) < s.g.SweepOrder(u) {
		u, v = v, u
	}
	pair := [2]saturate.Node{u, v}
	if _, ok := s.index[pair]; ok || u == v || s.g.HB(u, v) || s.g.HB(v, u) {
		return out
	}
	return append(out, pair)
}
