package code

import (
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// jumpIf emits jumps that are taken if a condition is as wanted; they are to land.
func (g *generator) jumpIf(x types.Expr, want bool) []int {
	switch x := x.(type) {
	case *types.Unary:
		if x.Op == syntax.Not {
			return g.jumpIf(x.X, !want)
		}
	case *types.Valid:
		op := OpJumpPointer
		if x.Not == want {
			op = OpJumpNil
		}
		return []int{g.emit(x.At, Instruction{Op: op, A: uint32(g.pointer(x.X))})}
	case *types.Binary:
		switch {
		case x.Op == syntax.And || x.Op == syntax.Or:
			decides := x.Op == syntax.Or // the value of the left side that is the whole one's
			if decides == want {
				return append(g.jumpIf(x.Left, want), g.jumpIf(x.Right, want)...)
			}
			skip := g.jumpIf(x.Left, decides)
			jumps := g.jumpIf(x.Right, want)
			g.land(skip...)
			return jumps
		case (x.Op == syntax.Eq || x.Op == syntax.Ne) && decided(x.Left):
			if k, ok := x.Right.(*types.Const); ok && numberOfConst(k) <= 1 {
				return g.jumpIf(x.Left, (x.Op == syntax.Eq) == (numberOfConst(k) == 1) == want)
			}
			fallthrough
		case (x.Op == syntax.Eq || x.Op == syntax.Ne) && ShapeOf(x.Left.Type()) == Word:
			return []int{g.jumpEqual(x, (x.Op == syntax.Eq) == want)}
		case ordered(x.Op) && ShapeOf(x.Left.Type()) == Word:
			return []int{g.jumpLess(x, want)}
		}
	}
	op := OpJumpOne
	if !want {
		op = OpJumpZero
	}
	return []int{g.emit(x.Pos(), Instruction{Op: op, A: uint32(g.place(x))})}
}

// jumpEqual emits a jump that is taken if both sides are equal, or if they are not.
func (g *generator) jumpEqual(x *types.Binary, equal bool) int {
	if k, ok := x.Right.(*types.Const); ok {
		if use, ok := x.Left.(*types.Use); ok {
			g.noteChoice(use.Var, int64(numberOfConst(k)))
		}
	}
	op := OpJumpOther
	if equal {
		op = OpJumpEqual
	}
	left := g.materialized(x.Left, x.Right)
	return g.emit(x.At, Instruction{Op: op, A: uint32(left), B: uint32(g.place(x.Right))})
}

// jumpLess emits a jump that is taken if the order of both sides is as an operator says, or
// if it is not.
func (g *generator) jumpLess(x *types.Binary, want bool) int {
	left := g.materialized(x.Left, x.Right)
	right := g.place(x.Right)
	if x.Op == syntax.Gt || x.Op == syntax.Le {
		left, right = right, left
	}
	op := OpJumpNotLess
	if (x.Op == syntax.Lt || x.Op == syntax.Gt) == want {
		op = OpJumpLess
	}
	return g.emit(x.At, Instruction{Op: op, A: uint32(left), B: uint32(right)})
}
