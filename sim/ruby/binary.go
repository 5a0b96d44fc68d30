package ruby

import (
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

func (g *generator) binary(x *types.Binary) wordExpr {
	switch shapeOf(x.Left.Type()) {
	case vector:
		left, right := g.vector(x.Left), g.vector(x.Right)
		equal := truth(x.Op == syntax.Eq)
		return func(c *controller) uint64 {
			return truth(slices.Equal(left(c), right(c))) ^ equal ^ 1
		}
	case pointer:
		left, right := g.object(x.Left), g.object(x.Right)
		equal := truth(x.Op == syntax.Eq)
		return func(c *controller) uint64 { return truth(left(c) == right(c)) ^ equal ^ 1 }
	case word:
	default:
		g.unsupported(x.At, "operator %s between values of type %s", x.Op, x.Left.Type())
		return zero
	}
	if k, ok := x.Right.(*types.Const); ok && (x.Op == syntax.Eq || x.Op == syntax.Ne) {
		return g.compareConst(x, uint64(asNumber(k.Value).Int))
	}
	left, right := g.word(x.Left), g.word(x.Right)
	switch x.Op {
	case syntax.Or:
		return func(c *controller) uint64 {
			if left(c) != 0 {
				return 1
			}
			return right(c)
		}
	case syntax.And:
		return func(c *controller) uint64 {
			if left(c) == 0 {
				return 0
			}
			return right(c)
		}
	case syntax.Eq:
		return func(c *controller) uint64 { return truth(left(c) == right(c)) }
	case syntax.Ne:
		return func(c *controller) uint64 { return truth(left(c) != right(c)) }
	case syntax.Lt:
		return func(c *controller) uint64 { return truth(int64(left(c)) < int64(right(c))) }
	case syntax.Gt:
		return func(c *controller) uint64 { return truth(int64(left(c)) > int64(right(c))) }
	case syntax.Le:
		return func(c *controller) uint64 { return truth(int64(left(c)) <= int64(right(c))) }
	case syntax.Ge:
		return func(c *controller) uint64 { return truth(int64(left(c)) >= int64(right(c))) }
	case syntax.Shl:
		return func(c *controller) uint64 { return left(c) << min(right(c), 64) }
	case syntax.Shr:
		return func(c *controller) uint64 { return left(c) >> min(right(c), 64) }
	case syntax.Add:
		return func(c *controller) uint64 { return left(c) + right(c) }
	case syntax.Sub:
		return func(c *controller) uint64 { return left(c) - right(c) }
	case syntax.Mul:
		return func(c *controller) uint64 { return left(c) * right(c) }
	}
	return g.divide(x, left, right)
}

// compareConst compiles the comparison with a constant, by far the most
// frequent one.
func (g *generator) compareConst(x *types.Binary, k uint64) wordExpr {
	if use, ok := x.Left.(*types.Use); ok {
		g.noteChoice(use.Var, int64(k))
		at := g.where(use.Var)
		if x.Op == syntax.Eq {
			return func(c *controller) uint64 { return truth(c.words[at] == k) }
		}
		return func(c *controller) uint64 { return truth(c.words[at] != k) }
	}
	left := g.word(x.Left)
	if x.Op == syntax.Eq {
		return func(c *controller) uint64 { return truth(left(c) == k) }
	}
	return func(c *controller) uint64 { return truth(left(c) != k) }
}

func (g *generator) divide(x *types.Binary, left, right wordExpr) wordExpr {
	pos, rest := x.At, x.Op == syntax.Mod
	return func(c *controller) uint64 {
		l, r := int64(left(c)), int64(right(c))
		if r == 0 {
			c.failAt(pos, "division by zero", "%d / 0", l)
		}
		if rest {
			return uint64(l % r)
		}
		return uint64(l / r)
	}
}
