package mutate

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
)

// point is a place in a body where an edit is possible, and the change it makes.
type point struct {
	edit   edit
	change change
}

func (m *machine) bodyPoints(s site) []point {
	var list []point
	events := m.triggered(s)
	for stmt := range s.body.All() {
		list = append(list, m.stmtPoints(s, stmt, events)...)
	}
	return list
}

func (m *machine) stmtPoints(s site, stmt syntax.Stmt, events []string) []point {
	var list []point
	add := func(e edit, with ...syntax.Stmt) {
		list = append(list, point{edit: e, change: s.inBody(stmt, with...)})
	}
	addExpr := func(e edit, old, with syntax.Expr, whole syntax.Stmt) {
		c := s.inBody(stmt, whole)
		c.expr, c.with = old, with
		list = append(list, point{edit: e, change: c})
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
		if call, lit := trigger(stmt); call != nil {
			for _, event := range events {
				if lit == nil || event == lit.Value.Name {
					continue
				}
				other := &syntax.EnumLit{EnumName: syntax.EnumName{Type: lit.Type, Value: syntax.Ident{Name: event}}}
				changed := *call
				changed.Args = append([]syntax.Expr{other}, call.Args[1:]...)
				addExpr(edit{op: Trigger, arg: lit.Value.Name, what: event}, lit, other, &syntax.ExprStmt{X: &changed})
			}
		} else if hasEffect(stmt.X) {
			add(edit{op: Skip, arg: syntax.PrintExpr(stmt.X)})
		}
	case *syntax.Enqueue:
		add(edit{op: Skip, arg: "enqueue(" + stmt.Port.Name + ")"})
		if multicast(stmt.Body) {
			changed := *stmt
			changed.Body = &syntax.Block{StmtNode: stmt.Body.StmtNode, Stmts: append(slices.Clone(stmt.Body.Stmts), dropDestination())}
			add(edit{op: Forget, arg: stmt.Port.Name}, &changed)
		}
	case *syntax.If:
		changed := *stmt
		changed.Cond = negated(stmt.Cond)
		addExpr(edit{op: Negate, arg: syntax.PrintExpr(stmt.Cond)}, stmt.Cond, changed.Cond, &changed)
	}
	return list
}

// hasEffect reports whether a call does more than check or write a message.
func hasEffect(x syntax.Expr) bool {
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

// value is another value for an assignment.
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

// isCount reports whether a field counts outstanding messages.
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
		for stmt := range s.body.All() {
			a, ok := stmt.(*syntax.Assign)
			if !ok {
				continue
			}
			left, ok := a.Left.(*syntax.Member)
			lit, isLit := a.Right.(*syntax.EnumLit)
			if ok && isLit && left.Field.Name == field && lit.Type.Name == typ && !slices.Contains(list, lit.Value.Name) {
				list = append(list, lit.Value.Name)
			}
		}
	}
	return list
}

// multicast reports whether a message may go to several controllers.
func multicast(b *syntax.Block) bool {
	for s := range b.All() {
		switch s := s.(type) {
		case *syntax.Assign:
			if isDestination(s.Left) {
				return true
			}
		case *syntax.ExprStmt:
			call, ok := s.X.(*syntax.MethodCall)
			if ok && isDestination(call.X) && (call.Method.Name == "broadcast" || call.Method.Name == "addNetDest") {
				return true
			}
		}
	}
	return false
}

func isDestination(x syntax.Expr) bool {
	field, ok := x.(*syntax.Member)
	return ok && field.Field.Name == "Destination"
}

// dropDestination takes one controller out of a message's destinations if there
// is more than one.
func dropDestination() syntax.Stmt {
	dest := &syntax.Member{X: &syntax.Name{Name: "out_msg"}, Field: syntax.Ident{Name: "Destination"}}
	call := func(method string, args ...syntax.Expr) syntax.Expr {
		return &syntax.MethodCall{X: dest, Method: syntax.Ident{Name: method}, Args: args}
	}
	return &syntax.If{
		Cond: &syntax.Binary{Op: syntax.Gt, Left: call("count"), Right: &syntax.Int{Value: 1}},
		Then: &syntax.Block{Stmts: []syntax.Stmt{&syntax.ExprStmt{X: call("remove", call("smallestElement"))}}},
	}
}

// trigger is the call of trigger in a statement and the event that it names;
// nil if there is none.
func trigger(stmt *syntax.ExprStmt) (*syntax.Call, *syntax.EnumLit) {
	call, ok := stmt.X.(*syntax.Call)
	if !ok || call.Func.Name != "trigger" {
		return nil, nil
	}
	if len(call.Args) == 0 {
		return call, nil
	}
	lit, _ := call.Args[0].(*syntax.EnumLit)
	return call, lit
}

func (m *machine) triggered(s site) []string {
	if _, ok := s.decl.(*syntax.InPort); !ok {
		return nil
	}
	var list []string
	for stmt := range s.body.All() {
		if x, ok := stmt.(*syntax.ExprStmt); ok {
			if _, lit := trigger(x); lit != nil && !slices.Contains(list, lit.Value.Name) {
				list = append(list, lit.Value.Name)
			}
		}
	}
	return list
}

func (m *machine) points(s site) []point {
	if s.name != "" {
		return m.bodyPoints(s)
	}
	var list []point
	for _, e := range m.rowEdits(s) {
		c, err := m.rowChange(s, e)
		if err != nil {
			panic(fmt.Sprintf("edit %s of the list: %v", e, err))
		}
		list = append(list, point{edit: e, change: c})
	}
	return list
}

func (m *machine) change(s site, e edit) (change, error) {
	if s.name == "" {
		return m.rowChange(s, e)
	}
	nth := e.point()
	for _, p := range m.bodyPoints(s) {
		if p.edit.text() == e.text() {
			if nth--; nth == 0 {
				return p.change, nil
			}
		}
	}
	return change{}, fmt.Errorf("%s of machine %s has no such point: %s", s.name, m.name, e)
}
