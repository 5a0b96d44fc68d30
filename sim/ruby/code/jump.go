package code

import (
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// fewest is the number of comparisons from which a jump is worth a table; most
// bounds the constants of one.
const (
	fewest    = 3
	tableSize = 256
)

// choose compiles if, else if and so on that compare one variable or field with
// constants, as the bodies of most ports do with the type of a message: the value
// is the index of what is executed. It is false where the conditions are others.
func (g *generator) choose(s *types.If) bool {
	subject := compared(s.Cond)
	if subject == nil {
		return false
	}
	var branches []*types.If
	var values [][]uint64 // by branch
	comparisons := 0
	rest := []types.Stmt{s}
	for len(rest) == 1 {
		next, ok := rest[0].(*types.If)
		if !ok {
			break
		}
		list, ok := constants(next.Cond, subject, nil)
		if !ok {
			break
		}
		branches, values = append(branches, next), append(values, list)
		comparisons += len(list)
		rest = next.Else
	}
	if comparisons < fewest {
		return false
	}
	size := slices.Max(slices.Concat(values...)) + 1
	jumps := make([]int32, size+1) // 0 where no branch has it
	from := g.switchOn(subject, jumps)
	here := func() int32 { return int32(len(g.current.text) - from - 1) }
	var ends []int
	for i, b := range branches {
		g.note(b.Cond)
		for _, v := range values[i] {
			if jumps[v] == 0 {
				jumps[v] = here() + 1
			}
		}
		g.block(b.Then)
		ends = append(ends, g.emit(b.At, Instruction{Op: OpJump}))
	}
	for v, to := range jumps {
		if jumps[v] = here(); to > 0 {
			jumps[v] = to - 1
		}
	}
	g.block(rest)
	g.land(ends...)
	return true
}

// note keeps the numbers that a condition of choose compares parameters with.
func (g *generator) note(cond types.Expr) {
	b := cond.(*types.Binary)
	if b.Op == syntax.Or {
		g.note(b.Left)
		g.note(b.Right)
		return
	}
	if use, ok := b.Left.(*types.Use); ok {
		g.noteChoice(use.Var, int64(numberOfConst(b.Right.(*types.Const))))
	}
}

// switchOn emits a jump by the value of a variable or field.
func (g *generator) switchOn(subject types.Expr, jumps []int32) int {
	table := addTo(&g.code.Jumps, jumps)
	if m, ok := subject.(*types.Member); ok {
		if owner, offset, ok := g.field(m); ok {
			return g.emit(m.X.Pos(), Instruction{Op: OpSwitchField, N: uint16(offset), A: uint32(owner), B: table})
		}
	}
	return g.emit(subject.Pos(), Instruction{Op: OpSwitch, A: uint32(g.place(subject)), B: table})
}

// compared is the variable, or field of a variable, that a condition compares first;
// nil if there is none.
func compared(cond types.Expr) types.Expr {
	b, ok := cond.(*types.Binary)
	switch {
	case !ok:
		return nil
	case b.Op == syntax.Or:
		return compared(b.Left)
	case b.Op != syntax.Eq || ShapeOf(b.Left.Type()) != Word || !same(b.Left, b.Left):
		return nil
	}
	return b.Left
}

// constants adds those that a condition compares a subject with, by == and || alone;
// false if it has anything else.
func constants(cond, subject types.Expr, list []uint64) ([]uint64, bool) {
	b, ok := cond.(*types.Binary)
	if !ok {
		return nil, false
	}
	if b.Op == syntax.Or {
		if list, ok = constants(b.Left, subject, list); !ok {
			return nil, false
		}
		return constants(b.Right, subject, list)
	}
	k, ok := b.Right.(*types.Const)
	if !ok || b.Op != syntax.Eq || !same(b.Left, subject) {
		return nil, false
	}
	v := uint64(AsNumber(k.Value).Int)
	return append(list, v), v < tableSize
}

// same reports whether two expressions are one variable, or one field of one.
func same(a, b types.Expr) bool {
	switch a := a.(type) {
	case *types.Use:
		b, ok := b.(*types.Use)
		return ok && a.Var == b.Var
	case *types.Member:
		b, ok := b.(*types.Member)
		return ok && a.Field == b.Field && same(a.X, b.X)
	}
	return false
}

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
	if call, ok := x.(*types.Call); ok && call.Func.Builtin != nil && call.Func.Builtin.Group() == isTagPresent {
		op := OpJumpTagged
		if !want {
			op = OpJumpUntagged
		}
		return []int{g.emit(call.At, Instruction{Op: op, N: uint16(g.partOf(call)), A: uint32(g.place(call.Args[0]))})}
	}
	if m, ok := x.(*types.Member); ok {
		if owner, offset, ok := g.field(m); ok {
			op := OpJumpFieldOther
			if !want {
				op = OpJumpFieldEqual
			}
			zero := uint32(g.constant(0))
			return []int{g.emit(m.X.Pos(), Instruction{Op: op, N: uint16(offset), A: uint32(owner), B: zero})}
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
	if m, ok := x.Left.(*types.Member); ok && !calls(x.Right) {
		if owner, offset, ok := g.field(m); ok {
			op := OpJumpFieldOther
			if equal {
				op = OpJumpFieldEqual
			}
			right := g.place(x.Right)
			return g.emit(m.X.Pos(), Instruction{Op: op, N: uint16(offset), A: uint32(owner), B: uint32(right)})
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
