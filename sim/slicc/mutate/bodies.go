package mutate

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/slicc/ast"
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
	walk(s.body, func(stmt ast.Stmt) {
		list = append(list, m.stmtPoints(stmt, events)...)
	})
	return list
}

func (m *machine) stmtPoints(stmt ast.Stmt, events []string) []bodyPoint {
	var list []bodyPoint
	add := func(e edit, with ...ast.Stmt) {
		list = append(list, bodyPoint{e, func(s site) change { return s.inBody(stmt, with...) }})
	}
	addExpr := func(e edit, old, with ast.Expr, whole ast.Stmt) {
		list = append(list, bodyPoint{e, func(s site) change {
			c := s.inBody(stmt, whole)
			c.expr, c.with = old, with
			return c
		}})
	}
	switch stmt := stmt.(type) {
	case *ast.Assign:
		left := syntax.PrintExpr(stmt.Left)
		if _, local := stmt.Left.(*ast.Local); !local {
			add(edit{op: Skip, arg: left})
		}
		for _, v := range m.otherValues(stmt) {
			changed := *stmt
			changed.Right = v.expr
			addExpr(edit{op: Set, arg: left, what: v.name}, stmt.Right, v.expr, &changed)
		}
	case *ast.ExprStmt:
		if call, ok := stmt.X.(*ast.Call); ok && call.Func.Name == "trigger" {
			return triggerPoints(stmt, call, events)
		}
		if text := syntax.PrintExpr(stmt.X); matters(stmt.X) {
			add(edit{op: Skip, arg: text})
		}
	case *ast.Enqueue:
		add(edit{op: Skip, arg: "enqueue(" + stmt.Port.Name + ")"})
		if destinations(stmt.Body) {
			changed := *stmt
			changed.Body = &ast.Block{Pos: stmt.Body.Pos, Stmts: append(slices.Clone(stmt.Body.Stmts), forgetOne())}
			add(edit{op: Forget, arg: stmt.Port.Name}, &changed)
		}
	case *ast.If:
		changed := *stmt
		changed.Cond = negated(stmt.Cond)
		addExpr(edit{op: Negate, arg: syntax.PrintExpr(stmt.Cond)}, stmt.Cond, changed.Cond, &changed)
	}
	return list
}

// matters tells whether a call is more than a message for people.
func matters(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Call:
		switch x.Func.Name {
		case "DPRINTF", "APPEND_TRANSITION_COMMENT", "error", "assert":
			return false
		}
		return true
	case *ast.MethodCall:
		return true
	}
	return false
}

func negated(x ast.Expr) ast.Expr {
	if b, ok := x.(*ast.Binary); ok && (b.Op == ast.Eq || b.Op == ast.Ne) {
		changed := *b
		changed.Op = ast.Eq + ast.Ne - b.Op
		return &changed
	}
	if u, ok := x.(*ast.Unary); ok && u.Op == ast.Not {
		return u.X
	}
	if v, ok := x.(*ast.Valid); ok {
		changed := *v
		changed.Not = !v.Not
		return &changed
	}
	return &ast.Unary{Op: ast.Not, X: x}
}

// value is what an assignment might assign instead.
type value struct {
	name string
	expr ast.Expr
}

// otherValues lists wrong values for an assignment: other types of message
// that the machine sends by the same type, the other truth value, and counts
// off by one.
func (m *machine) otherValues(s *ast.Assign) []value {
	field, ok := s.Left.(*ast.Member)
	if !ok {
		return nil
	}
	switch right := s.Right.(type) {
	case *ast.EnumLit:
		if field.Field.Name == "MessageSize" {
			return nil
		}
		var list []value
		for _, name := range m.enumerators(field.Field.Name, right.Type.Name) {
			if name != right.Value.Name {
				lit := &ast.EnumLit{EnumName: ast.EnumName{Type: right.Type, Value: ast.Ident{Name: name}}}
				list = append(list, value{right.Type.Name + ":" + name, lit})
			}
		}
		return list
	case *ast.Bool:
		return []value{{fmt.Sprint(!right.Value), &ast.Bool{Value: !right.Value}}}
	}
	if !isCount(field.Field.Name) {
		return nil
	}
	return []value{
		{"+1", &ast.Binary{Op: ast.Add, Left: s.Right, Right: &ast.Int{Value: 1}}},
		{"-1", &ast.Binary{Op: ast.Sub, Left: s.Right, Right: &ast.Int{Value: 1}}},
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
		walk(s.body, func(stmt ast.Stmt) {
			a, ok := stmt.(*ast.Assign)
			if !ok {
				return
			}
			left, ok := a.Left.(*ast.Member)
			lit, isLit := a.Right.(*ast.EnumLit)
			if ok && isLit && left.Field.Name == field && lit.Type.Name == typ && !slices.Contains(list, lit.Value.Name) {
				list = append(list, lit.Value.Name)
			}
		})
	}
	return list
}

// destinations tells whether a message may go to several controllers.
func destinations(b *ast.Block) bool {
	found := false
	walk(b, func(s ast.Stmt) {
		switch s := s.(type) {
		case *ast.Assign:
			found = found || isDestination(s.Left)
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.MethodCall)
			found = found || ok && isDestination(call.X) && (call.Method.Name == "broadcast" || call.Method.Name == "addNetDest")
		}
	})
	return found
}

func isDestination(x ast.Expr) bool {
	field, ok := x.(*ast.Member)
	return ok && field.Field.Name == "Destination"
}

// forgetOne takes one controller out of a message's destinations if there is
// more than one.
func forgetOne() ast.Stmt {
	dest := func() ast.Expr {
		return &ast.Member{X: &ast.Name{Name: "out_msg"}, Field: ast.Ident{Name: "Destination"}}
	}
	call := func(method string, args ...ast.Expr) ast.Expr {
		return &ast.MethodCall{X: dest(), Method: ast.Ident{Name: method}, Args: args}
	}
	return &ast.If{
		Cond: &ast.Binary{Op: ast.Gt, Left: call("count"), Right: &ast.Int{Value: 1}},
		Then: &ast.Block{Stmts: []ast.Stmt{&ast.ExprStmt{X: call("remove", call("smallestElement"))}}},
	}
}

// triggered lists the events that a port triggers.
func (m *machine) triggered(s site) []string {
	if _, ok := s.decl.(*ast.InPort); !ok {
		return nil
	}
	var list []string
	walk(s.body, func(stmt ast.Stmt) {
		if x, ok := stmt.(*ast.ExprStmt); ok {
			if call, ok := x.X.(*ast.Call); ok && call.Func.Name == "trigger" && len(call.Args) > 0 {
				if lit, ok := call.Args[0].(*ast.EnumLit); ok && !slices.Contains(list, lit.Value.Name) {
					list = append(list, lit.Value.Name)
				}
			}
		}
	})
	return list
}

// triggerPoints lists the wrong events for a trigger.
func triggerPoints(stmt *ast.ExprStmt, call *ast.Call, events []string) []bodyPoint {
	if len(call.Args) == 0 {
		return nil
	}
	lit, ok := call.Args[0].(*ast.EnumLit)
	if !ok {
		return nil
	}
	var list []bodyPoint
	for _, event := range events {
		if event == lit.Value.Name {
			continue
		}
		other := &ast.EnumLit{EnumName: ast.EnumName{Type: lit.Type, Value: ast.Ident{Name: event}}}
		changed := *call
		changed.Args = append([]ast.Expr{other}, call.Args[1:]...)
		list = append(list, bodyPoint{
			edit{op: Trigger, arg: lit.Value.Name, what: event},
			func(s site) change {
				c := s.inBody(stmt, &ast.ExprStmt{X: &changed})
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
