package possible

import (
	"context"

	"ordeal/check/saturate"
	"ordeal/check/serial/internal/orders"
	"ordeal/check/witness"
	"ordeal/parse"
)

// solver proposes orders of the open pairs that some execution has.
type solver struct {
	*orders.Solver
	c *conflicts
}

// newSolver makes a variable of each open pair, and clauses of what saturation
// derives from each order alone.
func newSolver(ctx context.Context, c *conflicts) (*solver, error) {
	s := &solver{Solver: orders.New(len(c.pairs)), c: c}
	for i, p := range c.pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		first, second := c.graph.Node(p.first), c.graph.Node(p.second)
		s.probe(orders.Literal(2*i), first, second)
		s.probe(orders.Literal(2*i+1), second, first)
	}
	return s, nil
}

// probe adds what follows from a literal, which orders a before b.
func (s *solver) probe(l orders.Literal, a, b saturate.Node) {
	g := s.c.graph
	mark := g.Mark()
	defer g.Undo(mark)
	if !g.Assume(a, b, witness.Assumed, saturate.NoNode) {
		s.Clause(s.Lit(l).Not())
		return
	}
	g.EachSince(mark, func(from, to saturate.Node) {
		if from == a && to == b || !g.IsWrite(from) || !g.IsWrite(to) || g.Loc(from) != g.Loc(to) {
			return
		}
		p := pair{g.Op(from), g.Op(to)}
		if m, ok := s.c.index[p]; ok {
			s.Clause(s.Lit(l).Not(), s.Lit(m))
		} else if m, ok := s.c.index[pair{p.second, p.first}]; ok {
			s.Clause(s.Lit(l).Not(), s.Lit(m|1))
		}
	})
}

// find returns the order of operations of an execution, nil if there is none.
func (s *solver) find(ctx context.Context, g orders.Goal) (*witness.Order, error) {
	_, nodes, err := s.Find(ctx, g)
	if nodes == nil || err != nil {
		return nil, err
	}
	return s.accesses(nodes), nil
}

// accesses is an order of nodes without fences.
func (s *solver) accesses(nodes []int32) *witness.Order {
	order := &witness.Order{}
	for _, v := range nodes {
		if int(v) < len(s.c.h.Ops) && s.c.h.Ops[v].Kind != parse.Fence {
			order.Ops = append(order.Ops, parse.OpID(v))
		}
	}
	return order
}
