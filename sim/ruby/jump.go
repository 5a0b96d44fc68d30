package ruby

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
		ends = append(ends, g.emit(b.At, instruction{op: opJump}))
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
	table := addTo(&g.code.jumps, jumps)
	if m, ok := subject.(*types.Member); ok {
		if owner, offset, ok := g.field(m); ok {
			return g.emit(m.X.Pos(), instruction{op: opSwitchField, n: uint16(offset), a: uint32(owner), b: table})
		}
	}
	return g.emit(subject.Pos(), instruction{op: opSwitch, a: uint32(g.place(subject)), b: table})
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
	case b.Op != syntax.Eq || shapeOf(b.Left.Type()) != word || !same(b.Left, b.Left):
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
	v := uint64(asNumber(k.Value).Int)
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
