package ruby

import (
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// fewest is the number of comparisons from which a jump is worth a table; most
// bounds the constants of one.
const (
	fewest    = 3
	tableSize = 256
)

// jump compiles if, else if and so on that compare one variable or field with
// constants, as the bodies of most ports do with the type of a message: the value
// is the index of what is executed. It is nil where the conditions are others.
func (g *generator) jump(s *types.If) statement {
	subject := compared(s.Cond)
	if subject == nil {
		return nil
	}
	var branches []*types.If
	comparisons := 0
	rest := []types.Stmt{s}
	table := make([]uint8, tableSize) // 1 + the number of the branch; 0 for the rest
	for len(rest) == 1 {
		next, ok := rest[0].(*types.If)
		if !ok || len(branches) == tableSize-1 {
			break
		}
		values, ok := constants(next.Cond, subject, nil)
		if !ok {
			break
		}
		branches = append(branches, next)
		for _, v := range values {
			if comparisons++; table[v] == 0 {
				table[v] = uint8(len(branches))
			}
		}
		rest = next.Else
	}
	if comparisons < fewest {
		return nil
	}
	code := make([]statement, 1+len(branches))
	for i, b := range branches {
		g.word(b.Cond) // for what it notes
		code[1+i] = g.block(b.Then)
	}
	code[0] = g.block(rest)
	value := g.word(subject)
	return func(c *controller) flow {
		v, at := value(c), uint8(0)
		if v < tableSize {
			at = table[v]
		}
		return code[at](c)
	}
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
