package mutate

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
)

// bodyPoint is a statement that an edit may work on.
type bodyPoint struct {
	edit edit
	make func(s site) change
}

// bodyPoints lists the edits of a body with the ways to make them.
func (m *machine) bodyPoints(s site) []bodyPoint {
	var list []bodyPoint
	events := m.triggered(s)
	walk(s.body, func(stmt syntax.Stmt) {
		list = append(list, m.stmtPoints(stmt, events)...)
	})
	return list
}

func (m *machine) stmtPoints(stmt syntax.Stmt, events []string) []bodyPoint {
	var list []bodyPoint
	add := func(e edit, with ...syntax.Stmt) {
		list = append(list, bodyPoint{e, func(s site) change { return s.inBody(stmt, with...) }})
	}
	addExpr := func(e edit, old, with syntax.Expr, whole syntax.Stmt) {
		list = append(list, bodyPoint{e, func(s site) change {
			c := s.inBody(stmt, whole)
			c.expr, c.with = old, with
			return c
		}})
	}
	switch stmt := stmt.(type) {
	case *syntax.Assign:
		left := syntax.PrintExpr(stmt.Left)
		if _, local := stmt.Left.(*syntax.Local); !local {
			add(edit{op: Skip, arg: left})
		}
		for _, v := range m.otherValues(stmt) {
			changed := *stmt
			changed.Right = v.expr
			addExpr(edit{op: Set, arg: left, what: v.name}, stmt.Right, v.expr, &changed)
		}
	case *syntax.ExprStmt:
		if call, ok := stmt.X.(*syntax.Call); ok && call.Func.Name == "trigger" {
			return triggerPoints(stmt, call, events)
		}
		if text := syntax.PrintExpr(stmt.X); matters(stmt.X) {
			add(edit{op: Skip, arg: text})
		}
	case *syntax.Enqueue:
		add(edit{op: Skip, arg: "enqueue(" + stmt.Port.Name + ")"})
		if destinations(stmt.Body) {
			changed := *stmt
			changed.Body = &syntax.Block{Pos: stmt.Body.Pos, Stmts: append(slices.Clone(stmt.Body.Stmts), forgetOne())}
			add(edit{op: Forget, arg: stmt.Port.Name}, &changed)
		}
	case *syntax.If:
		changed := *stmt
		changed.Cond = negated(stmt.Cond)
		addExpr(edit{op: Negate, arg: syntax.PrintExpr(stmt.Cond)}, stmt.Cond, changed.Cond, &changed)
	}
	return list
}

// matters tells whether a call is more than a message for people.
func matters(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Call:
		switch x.Func.Name {
		case "DPRINTF", "APPEND_TRANSITION_COMMENT", "error", "assert":
			return false
		}
		return true
	case *syntax.MethodCall:
		return true
	}
	return false
}

func negated(x syntax.Expr) syntax.Expr {
	if b, ok := x.(*syntax.Binary); ok && (b.Op == syntax.Eq || b.Op == syntax.Ne) {
		changed := *b
		changed.Op = syntax.Eq + syntax.Ne - b.Op
		return &changed
	}
	if u, ok := x.(*syntax.Unary); ok && u.Op == syntax.Not {
		return u.X
	}
	if v, ok := x.(*syntax.Valid); ok {
		changed := *v
		changed.Not = !v.Not
		return &changed
	}
	return &syntax.Unary{Op: syntax.Not, X: x}
}

// value is what an assignment might assign instead.
type value struct {
	name string
	expr syntax.Expr
}

// otherValues lists wrong values for an assignment: other types of message
// that the machine sends by the same type, the other truth value, and counts
// off by one.
func (m *machine) otherValues(s *syntax.Assign) []value {
	field, ok := s.Left.(*syntax.Member)
	if !ok {
		return nil
	}
	switch right := s.Right.(type) {
	case *syntax.EnumLit:
		if field.Field.Name == "MessageSize" {
			return nil
		}
		var list []value
		for _, name := range m.enumerators(field.Field.Name, right.Type.Name) {
			if name != right.Value.Name {
				lit := &syntax.EnumLit{EnumName: syntax.EnumName{Type: right.Type, Value: syntax.Ident{Name: name}}}
				list = append(list, value{right.Type.Name + ":" + name, lit})
			}
		}
		return list
	case *syntax.Bool:
		return []value{{fmt.Sprint(!right.Value), &syntax.Bool{Value: !right.Value}}}
	}
	if !isCount(field.Field.Name) {
		return nil
	}
	return []value{
		{"+1", &syntax.Binary{Op: syntax.Add, Left: s.Right, Right: &syntax.Int{Value: 1}}},
		{"-1", &syntax.Binary{Op: syntax.Sub, Left: s.Right, Right: &syntax.Int{Value: 1}}},
	}
}

// isCount tells the fields that count outstanding messages.
func isCount(name string) bool {
	for _, part := range []string{"Ack", "Pending", "NumMsgs", "Count"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// enumerators lists the enumerators of a type that the machine assigns to
// fields of a name, in the order of their first use.
func (m *machine) enumerators(field, typ string) []string {
	var list []string
	for _, s := range m.bodies {
		walk(s.body, func(stmt syntax.Stmt) {
			a, ok := stmt.(*syntax.Assign)
			if !ok {
				return
			}
			left, ok := a.Left.(*syntax.Member)
			lit, isLit := a.Right.(*syntax.EnumLit)
			if ok && isLit && left.Field.Name == field && lit.Type.Name == typ && !slices.Contains(list, lit.Value.Name) {
				list = append(list, lit.Value.Name)
			}
		})
	}
	return list
}

// destinations tells whether a message may go to several controllers.
func destinations(b *syntax.Block) bool {
	found := false
	walk(b, func(s syntax.Stmt) {
		switch s := s.(type) {
		case *syntax.Assign:
			found = found || isDestination(s.Left)
		case *syntax.ExprStmt:
			call, ok := s.X.(*syntax.MethodCall)
			found = found || ok && isDestination(call.X) && (call.Method.Name == "broadcast" || call.Method.Name == "addNetDest")
		}
	})
	return found
}

func isDestination(x syntax.Expr) bool {
	field, ok := x.(*syntax.Member)
	return ok && field.Field.Name == "Destination"
}

// forgetOne takes one controller out of a message's destinations if there is
// more than one.
func forgetOne() syntax.Stmt {
	dest := func() syntax.Expr {
		return &syntax.Member{X: &syntax.Name{Name: "out_msg"}, Field: syntax.Ident{Name: "Destination"}}
	}
	call := func(method string, args ...syntax.Expr) syntax.Expr {
		return &syntax.MethodCall{X: dest(), Method: syntax.Ident{Name: method}, Args: args}
	}
	return &syntax.If{
		Cond: &syntax.Binary{Op: syntax.Gt, Left: call("count"), Right: &syntax.Int{Value: 1}},
		Then: &syntax.Block{Stmts: []syntax.Stmt{&syntax.ExprStmt{X: call("remove", call("smallestElement"))}}},
	}
}

// triggered lists the events that a port triggers.
func (m *machine) triggered(s site) []string {
	if _, ok := s.decl.(*syntax.InPort); !ok {
		return nil
	}
	var list []string
	walk(s.body, func(stmt syntax.Stmt) {
		if x, ok := stmt.(*syntax.ExprStmt); ok {
			if call, ok := x.X.(*syntax.Call); ok && call.Func.Name == "trigger" && len(call.Args) > 0 {
				if lit, ok := call.Args[0].(*syntax.EnumLit); ok && !slices.Contains(list, lit.Value.Name) {
					list = append(list, lit.Value.Name)
				}
			}
		}
	})
	return list
}

// triggerPoints lists the wrong events for a trigger.
func triggerPoints(stmt *syntax.ExprStmt, call *syntax.Call, events []string) []bodyPoint {
	if len(call.Args) == 0 {
		return nil
	}
	lit, ok := call.Args[0].(*syntax.EnumLit)
	if !ok {
		return nil
	}
	var list []bodyPoint
	for _, event := range events {
		if event == lit.Value.Name {
			continue
		}
		other := &syntax.EnumLit{EnumName: syntax.EnumName{Type: lit.Type, Value: syntax.Ident{Name: event}}}
		changed := *call
		changed.Args = append([]syntax.Expr{other}, call.Args[1:]...)
		list = append(list, bodyPoint{
			edit{op: Trigger, arg: lit.Value.Name, what: event},
			func(s site) change {
				c := s.inBody(stmt, &syntax.ExprStmt{X: &changed})
				c.expr, c.with = lit, other
				return c
			},
		})
	}
	return list
}

// edits lists the edits of a site.
func (m *machine) edits(s site) []edit {
	if s.name == "" {
		return m.rowEdits(s)
	}
	var list []edit
	for _, p := range m.bodyPoints(s) {
		list = append(list, p.edit)
	}
	return list
}

// change makes an edit of a site.
func (m *machine) change(s site, e edit) (change, error) {
	if s.name == "" {
		return m.rowChange(s, e)
	}
	nth := e.point()
	for _, p := range m.bodyPoints(s) {
		if p.edit.text() == e.text() {
			if nth--; nth == 0 {
				return p.make(s), nil
			}
		}
	}
	return change{}, fmt.Errorf("%s of machine %s has no such point: %s", s.name, m.name, e)
}
