package search

import (
	"ordeal/check/saturate"
	"ordeal/check/witness"
)

// split lists unordered pairs of writes at which a greedy order is stuck.
func (s *pairSolver) split(p *placer) [][2]saturate.Node {
	candidates := s.stuckPairs(p)
	if len(candidates) == 0 {
		candidates = s.anyPairs()
	}
	if len(candidates) == 0 {
		panic("search: stuck although all writes are ordered; a greedy order cannot fail then")
	}
	return candidates
}

// ordered appends the pairs of writes whose order lemmas of a refutation
// claim, or start from.
func (s *pairSolver) ordered(out [][2]saturate.Node, ref *witness.Refutation) [][2]saturate.Node {
	for _, l := range ref.Lemmas {
		u, v := l.Edge.From, l.Edge.To
		if l.Edge.Rule == witness.DerivedB {
			u = l.Edge.Via
		}
		if u >= 0 && v >= 0 {
			out = append(out, s.inSweepOrder(s.g.Node(u), s.g.Node(v)))
		}
	}
	return out
}

// stuckPairs lists unordered pairs of a write that is ready, or whose readers
// hold others up, and the next writes of the other chains.
func (s *pairSolver) stuckPairs(p *placer) [][2]saturate.Node {
	var out [][2]saturate.Node
	for x := range p.current {
		var heads []saturate.Node
		if cur := p.current[x]; int(cur) < s.g.Nodes() && p.pending[cur] > 0 {
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

// anyPairs lists unordered pairs of writes.
func (s *pairSolver) anyPairs() [][2]saturate.Node {
	byLoc := make([][]saturate.Node, len(s.g.History().Locations))
	for v := range saturate.Node(s.g.Nodes()) {
		if s.g.IsWrite(v) {
			byLoc[s.g.Loc(v)] = append(byLoc[s.g.Loc(v)], v)
		}
	}
	var out [][2]saturate.Node
	for _, writes := range byLoc {
		for i, u := range writes {
			for _, v := range writes[:i] {
				out = s.unordered(out, u, v)
			}
			if len(out) >= s.more {
				return out
			}
		}
	}
	return out
}

func (s *pairSolver) unordered(out [][2]saturate.Node, u, v saturate.Node) [][2]saturate.Node {
	if u == v || s.g.HB(u, v) || s.g.HB(v, u) {
		return out
	}
	return append(out, s.inSweepOrder(u, v))
}

// inSweepOrder is the pair of u and v, the earlier in the sweep first.
func (s *pairSolver) inSweepOrder(u, v saturate.Node) [2]saturate.Node {
	if s.g.SweepOrder(v) < s.g.SweepOrder(u) {
		u, v = v, u
	}
	return [2]saturate.Node{u, v}
}
