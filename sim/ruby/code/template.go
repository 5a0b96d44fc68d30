package code

import (
	"slices"

	"ordeal/sim/slicc/types"
)

// template is what a message begins with when it is made: the defaults of its fields, and
// the constants that the first statements of its enqueue give them. The other
// statements are left. No statement before that of a constant sees the field.
func (g *generator) template(s *types.Enqueue) (words []uint64, left []types.Stmt) {
	layout := g.Layout(s.Msg.Type)
	words = slices.Clone(layout.Init)
	seen := map[*types.Field]bool{}
	for i, st := range s.Body {
		field, value := assigned(st, s.Msg)
		if field == nil {
			return words, append(left, s.Body[i:]...)
		}
		if k, ok := value.(*types.Const); ok && !seen[field] && ShapeOf(field.Type) == Word {
			words[layout.Offset[field]] = numberOfConst(k)
			continue
		}
		seen[field] = true
		left = append(left, st)
	}
	return words, left
}

// assigned is the field of a message that a statement assigns a value to, or whose
// method it calls, if it has nothing else to do with the message; nil otherwise.
func assigned(s types.Stmt, msg *types.Var) (field *types.Field, value types.Expr) {
	var target types.Expr
	var others []types.Expr
	switch s := s.(type) {
	case *types.Assign:
		target, value, others = s.Left, s.Right, []types.Expr{s.Right}
	case *types.Eval:
		call, ok := s.X.(*types.Call)
		if !ok {
			return nil, nil
		}
		target, others = call.X, call.Args
	}
	m, ok := target.(*types.Member)
	if !ok {
		return nil, nil
	}
	if use, ok := m.X.(*types.Use); !ok || use.Var != msg {
		return nil, nil
	}
	if slices.ContainsFunc(others, func(x types.Expr) bool { return mentions(x, msg) }) {
		return nil, nil
	}
	return m.Field, value
}

// mentions reports whether an expression uses a variable.
func mentions(x types.Expr, v *types.Var) bool {
	switch x := x.(type) {
	case *types.Use:
		return x.Var == v
	case *types.Member:
		return mentions(x.X, v)
	case *types.Call:
		return x.X != nil && mentions(x.X, v) || slices.ContainsFunc(x.Args, func(a types.Expr) bool { return mentions(a, v) })
	case *types.Valid:
		return mentions(x.X, v)
	case *types.Cast:
		return mentions(x.X, v)
	case *types.Unary:
		return mentions(x.X, v)
	case *types.Binary:
		return mentions(x.Left, v) || mentions(x.Right, v)
	}
	return false
}
