// Package frontier searches for a memory order by memoised depth-first search
// over frontiers, the sets of operations that can have taken effect at some
// time: the algorithm of DBCOP (Biswas and Enea, OOPSLA 2019; Gibbons and
// Korach, SIAM J. Comput. 1997), polynomial for a fixed number of threads.
package frontier

import (
	"context"
	"slices"

	"ordeal/check/procedures"
	"ordeal/check/procedures/precedence"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Procedure starts from the saturated store order, and makes safe moves at once:
// a frontier is then a set of writes. DBCOP does neither, as the algorithm is
// published. Both decide the parts of a history that procedures.Decomposed finds one
// by one. Plain is DBCOP without that: the reference. WSC is Procedure by its name
// in the paper on wSC (Zennou et al.). All are complete. An exhausted search
// is no refutation.
//
// The paper's algorithm is about transactions and their prefixes; here each
// operation is one. Its SC has no fences and no updates, and no other models.
var (
	Procedure = procedures.Decomposed(procedure("frontier", "memoised search over frontiers after saturation, by blocks, with safe moves", procedures.InferBySaturation, true))
	Plain     = procedure("frontier-plain", "memoised search over frontiers of the whole history", procedures.InferNothing, false)
	WSC       = procedures.Decomposed(procedure("wsc+dbcop", "the same as frontier", procedures.InferBySaturation, true))
	DBCOP     = procedures.Decomposed(procedure("dbcop", "frontier-plain, by blocks of the communication graph", procedures.InferNothing, false))
)

func procedure(name, summary string, infer procedures.Inference, safe bool) search.Procedure {
	p := search.Procedure{Name: name, Summary: summary, Complete: true, Supports: search.Total}
	return procedures.Searching(p, infer, func(ctx context.Context, g *precedence.Graph, limits search.Limits, v *witness.Verdict) ([]parse.OpID, error) {
		s := newFrontiers(g, safe)
		found, err := s.search(ctx, limits)
		v.Stats.Backtracks = len(s.dead)
		if !found {
			return nil, err
		}
		return s.Accesses(), nil
	})
}

// frontiers is the state of the search.
type frontiers struct {
	*precedence.Machine
	safe  bool
	done  []byte
	free  []precedence.Node // nodes that neither wait nor are done
	place []int32           // node → index in free, -1 if it is not there
	rank  []int32           // node → position in a topological order: the first choice
	dead  map[string]struct{}
}

func newFrontiers(g *precedence.Graph, safe bool) *frontiers {
	s := &frontiers{
		Machine: precedence.NewMachine(g), safe: safe,
		done: make([]byte, (g.Nodes+7)/8), place: make([]int32, g.Nodes),
		rank: g.Rank(), dead: map[string]struct{}{},
	}
	for v := range s.place {
		s.place[v] = -1
	}
	for v := range precedence.Node(g.Nodes) {
		if !s.Waits(v) {
			s.insert(v)
		}
	}
	return s
}

func (s *frontiers) insert(v precedence.Node) {
	s.place[v] = int32(len(s.free))
	s.free = append(s.free, v)
}

func (s *frontiers) remove(v precedence.Node) {
	i, last := s.place[v], s.free[len(s.free)-1]
	s.free[i], s.place[last] = last, i
	s.free, s.place[v] = s.free[:len(s.free)-1], -1
}

func (s *frontiers) do(v precedence.Node) {
	if s.place[v] >= 0 {
		s.remove(v)
	}
	s.done[v/8] |= 1 << (v % 8)
	s.Do(v, s.insert)
}

func (s *frontiers) undo() {
	v := s.Undo()
	s.done[v/8] &^= 1 << (v % 8)
	for _, a := range s.G.Out(v) {
		if s.place[a.To] >= 0 {
			s.remove(a.To)
		}
	}
	s.insert(v)
}

// level is one decision: what can be done, and how far to go back.
type level struct {
	moves []precedence.Node
	depth int
	key   string
}

func (s *frontiers) search(ctx context.Context, limits search.Limits) (bool, error) {
	stack := []level{s.open()}
	for steps := 0; len(stack) > 0; steps++ {
		if steps%1024 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if s.Complete() {
			return true, nil
		}
		top := &stack[len(stack)-1]
		for len(s.Order) > top.depth {
			s.undo()
		}
		if len(top.moves) == 0 {
			s.dead[top.key] = struct{}{}
			if err := limits.Check(int64(len(s.dead)) * int64(len(s.done)+64)); err != nil {
				return false, err
			}
			stack = stack[:len(stack)-1]
			continue
		}
		v := top.moves[0]
		top.moves = top.moves[1:]
		s.do(v)
		next := s.open()
		if _, known := s.dead[next.key]; known && !s.Complete() {
			continue
		}
		stack = append(stack, next)
	}
	return false, nil
}

// open makes the safe moves and lists the others.
func (s *frontiers) open() level {
	for moved := s.safe; moved; {
		moved = false
		for i := len(s.free) - 1; i >= 0 && i < len(s.free); i-- {
			if v := s.free[i]; s.Safe(v) && !s.Blocked(v) {
				s.do(v)
				moved = true
			}
		}
	}
	var moves []precedence.Node
	for _, v := range s.free {
		if !s.Blocked(v) {
			moves = append(moves, v)
		}
	}
	slices.SortFunc(moves, func(a, b precedence.Node) int { return int(s.rank[a] - s.rank[b]) })
	return level{moves: moves, depth: len(s.Order), key: string(s.done)}
}
