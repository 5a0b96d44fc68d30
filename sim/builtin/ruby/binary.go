package ruby

import (
	"fmt"
	"slices"

	"ordeal/sim/slicc/ast"
	"ordeal/sim/slicc/types"
)

// binary compiles an operator.
func (cc *compiler) binary(x *types.Binary) wordExpr {
	switch shapeOf(x.Left.Type()) {
	case vector:
		left, right := cc.vector(x.Left), cc.vector(x.Right)
		equal := truth(x.Op == ast.Eq)
		return func(c *controller) uint64 {
			return truth(slices.Equal(left(c), right(c))) ^ equal ^ 1
		}
	case pointer:
		left, right := cc.object(x.Left), cc.object(x.Right)
		equal := truth(x.Op == ast.Eq)
		return func(c *controller) uint64 { return truth(left(c) == right(c)) ^ equal ^ 1 }
	case word:
	default:
		cc.unsupported(x.At, "operator %s between values of type %s", x.Op, x.Left.Type())
		return zero
	}
	if k, ok := x.Right.(*types.Const); ok && (x.Op == ast.Eq || x.Op == ast.Ne) {
		return cc.compareConst(x, uint64(constant(k.Value).Int))
	}
	left, right := cc.word(x.Left), cc.word(x.Right)
	switch x.Op {
	case ast.Or:
		return func(c *controller) uint64 {
			if left(c) != 0 {
				return 1
			}
			return right(c)
		}
	case ast.And:
		return func(c *controller) uint64 {
			if left(c) == 0 {
				return 0
			}
			return right(c)
		}
	case ast.Eq:
		return func(c *controller) uint64 { return truth(left(c) == right(c)) }
	case ast.Ne:
		return func(c *controller) uint64 { return truth(left(c) != right(c)) }
	case ast.Lt:
		return func(c *controller) uint64 { return truth(int64(left(c)) < int64(right(c))) }
	case ast.Gt:
		return func(c *controller) uint64 { return truth(int64(left(c)) > int64(right(c))) }
	case ast.Le:
		return func(c *controller) uint64 { return truth(int64(left(c)) <= int64(right(c))) }
	case ast.Ge:
		return func(c *controller) uint64 { return truth(int64(left(c)) >= int64(right(c))) }
	case ast.Shl:
		return func(c *controller) uint64 { return left(c) << min(right(c), 64) }
	case ast.Shr:
		return func(c *controller) uint64 { return left(c) >> min(right(c), 64) }
	case ast.Add:
		return func(c *controller) uint64 { return left(c) + right(c) }
	case ast.Sub:
		return func(c *controller) uint64 { return left(c) - right(c) }
	case ast.Mul:
		return func(c *controller) uint64 { return left(c) * right(c) }
	}
	return cc.divide(x, left, right)
}

// compareConst compiles the comparison with a constant, by far the most
// frequent one.
func (cc *compiler) compareConst(x *types.Binary, k uint64) wordExpr {
	if use, ok := x.Left.(*types.Use); ok {
		at := cc.where(use.Var)
		if x.Op == ast.Eq {
			return func(c *controller) uint64 { return truth(c.words[at] == k) }
		}
		return func(c *controller) uint64 { return truth(c.words[at] != k) }
	}
	left := cc.word(x.Left)
	if x.Op == ast.Eq {
		return func(c *controller) uint64 { return truth(left(c) == k) }
	}
	return func(c *controller) uint64 { return truth(left(c) != k) }
}

// divide compiles division and remainder.
func (cc *compiler) divide(x *types.Binary, left, right wordExpr) wordExpr {
	pos, rest := x.At, x.Op == ast.Mod
	return func(c *controller) uint64 {
		l, r := int64(left(c)), int64(right(c))
		if r == 0 {
			c.fail(fmt.Sprintf("division by zero at %s", pos), "%d / 0", l)
		}
		if rest {
			return uint64(l % r)
		}
		return uint64(l / r)
	}
}
