package serial

import (
	"ordeal/check/closure"
	"ordeal/parse/formats/events"
)

// shortenLimit bounds the events of a cycle's nodes that shorten looks at.
const shortenLimit = 400

// shorten looks for conflicts that cut a cycle of a conflict graph short, as
// the monitor keeps no more edges than it needs. It looks at small nodes only
// and returns the cycle itself when it finds none.
func shorten(rel Relation, s *events.Sequence, node func(int32) int32, cycle []Edge) []Edge {
	if len(cycle) <= 2 {
		return cycle
	}
	position := make(map[int32]int, len(cycle)) // of nodes, from 0
	for i, e := range cycle {
		position[node(e.From)] = i
	}
	members := make([][]int32, len(cycle))
	total := 0
	for i := range s.Events {
		if p, ok := position[node(int32(i))]; ok {
			members[p] = append(members[p], int32(i))
			if total++; total > shortenLimit {
				return cycle
			}
		}
	}
	g := closure.Graph[Edge]{Nodes: len(cycle)}
	c := NewConflicts(s)
	for p, from := range members {
		for q, to := range members {
			if e, ok := conflictBetween(c, rel, from, to); ok && p != q {
				g.Add(int32(p), int32(q), e)
			}
		}
	}
	return labels(g.Cycle())
}

// conflictBetween is a pair of conflicting events of two nodes, the first in
// that order that is found: one between threads if there is any.
func conflictBetween(c *Conflicts, rel Relation, from, to []int32) (Edge, bool) {
	best, found := Edge{}, false
	for _, i := range from {
		for _, j := range to {
			if i >= j || !c.Conflict(rel, i, j) {
				continue
			}
			if c.seq.Events[i].Thread != c.seq.Events[j].Thread {
				return Edge{From: i, To: j}, true
			}
			if !found || c.seq.Events[best.From].Kind == events.Fence {
				best, found = Edge{From: i, To: j}, true
			}
		}
	}
	return best, found
}
