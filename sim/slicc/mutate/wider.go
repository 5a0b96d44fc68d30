package mutate

import (
	"slices"

	"ordeal/sim/slicc/syntax"
)

// wider are the conditions that hold in one more state: where one compares something with
// several states, with each of the others, too.
func (m *machine) wider(x syntax.Expr) (list []condition) {
	or, ok := x.(*syntax.Binary)
	if !ok {
		return nil
	}
	if or.Op != syntax.Or {
		for _, c := range m.wider(or.Left) {
			changed := *or
			changed.Left = c.with
			list = append(list, condition{c.edit, &changed})
		}
		for _, c := range m.wider(or.Right) {
			changed := *or
			changed.Right = c.with
			list = append(list, condition{c.edit, &changed})
		}
		return list
	}
	var of []string               // what is compared
	said := map[string][]string{} // the states it is compared with
	last := map[string]*syntax.Binary{}
	var walk func(syntax.Expr)
	walk = func(x syntax.Expr) {
		b, ok := x.(*syntax.Binary)
		if !ok {
			return
		}
		if b.Op == syntax.Or {
			walk(b.Left)
			walk(b.Right)
			return
		}
		if lit, ok := b.Right.(*syntax.EnumLit); ok && b.Op == syntax.Eq && lit.Type.Name == "State" {
			left := syntax.PrintExpr(b.Left)
			if last[left] == nil {
				of = append(of, left)
			}
			said[left], last[left] = append(said[left], lit.Value.Name), b
		}
	}
	walk(or)
	for _, left := range of {
		for _, s := range m.states {
			if len(said[left]) < 2 || slices.Contains(said[left], s.Name.Name) {
				continue
			}
			equal := *last[left]
			equal.Right = &syntax.EnumLit{EnumName: syntax.EnumName{Type: syntax.Ident{Name: "State"}, Value: syntax.Ident{Name: s.Name.Name}}}
			list = append(list, condition{edit{op: Also, arg: syntax.PrintExpr(&equal), what: syntax.PrintExpr(last[left])}, &syntax.Binary{Op: syntax.Or, Left: or, Right: &equal}})
		}
	}
	return list
}

// receivers are the calls that send a message to another controller: to those that the TBE
// names.
func (m *machine) receivers(x syntax.Expr) (list []syntax.Expr) {
	call, ok := x.(*syntax.MethodCall)
	if !ok || !isDestination(call.X) || call.Method.Name != "add" {
		return nil
	}
	for _, name := range m.requestors {
		if slices.ContainsFunc(m.known().calls[".add"], func(y syntax.Expr) bool { return syntax.PrintExpr(y.(*syntax.MethodCall).Args[0]) == "tbe."+name }) {
			continue // known.instead has it
		}
		changed := *call
		changed.Args = []syntax.Expr{&syntax.Member{X: &syntax.Name{Name: "tbe"}, Field: syntax.Ident{Name: name}}}
		list = append(list, &changed)
	}
	return list
}
