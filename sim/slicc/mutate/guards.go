package mutate

import (
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
)

// Put is the operator that puts a guard before another statement, put:GUARD@OTHER. A
// guard is what SLICC has to be said beside another statement, whether the machine says
// it elsewhere or not: a look for room before an entry of a TBE table is taken
// (check_allocate; gem5's src/mem/slicc/ast/CheckAllocateStatementAST.py), one for a line that
// a locked access holds before another line takes its place (check_on_cache_probe,
// CheckProbeStatementAST.py), and after an entry was given back its pointer, which is put
// by Add (unset_tbe and unset_cache_entry, FuncCallExprAST.py). Others are calls in place of
// one, by Call: stall_and_wait in place of recycle, where the machine wakes messages up; the
// time now in front of a duration that a timer is set to (TimerTable.hh); and the address
// of a line in place of that of a message, with which an event is triggered.
const Put Operator = "put"

// guardPoints are the guards that a statement lacks.
func (m *machine) guardPoints(s site, stmt *syntax.ExprStmt) (list []point) {
	put := func(kind, guard, what string, with ...syntax.Stmt) {
		list = append(list, point{edit: edit{op: Put, arg: guard, what: what}, change: s.inBody(stmt, append(with, stmt)...), guard: kind})
	}
	what := syntax.PrintExpr(stmt.X)
	if kind, with := m.instead(s, stmt.X); with != nil {
		return []point{{edit: edit{op: Call, arg: what, what: text(with)}, change: s.inBody(stmt, with), guard: kind}}
	}
	if call, ok := stmt.X.(*syntax.MethodCall); ok {
		table, ok := call.X.(*syntax.Name)
		if !ok {
			return nil
		}
		switch call.Method.Name {
		case "allocate":
			check := &syntax.CheckAllocate{Table: syntax.Ident{Name: table.Name}}
			if strings.Contains(table.Name, "TBE") && !s.says(func(stmt syntax.Stmt) bool {
				other, ok := stmt.(*syntax.CheckAllocate)
				return ok && other.Table.Name == table.Name
			}) {
				put("check_allocate", text(check), what, check)
			}
		case "deallocate":
			name := "unset_cache_entry"
			if strings.Contains(table.Name, "TBE") {
				name = "unset_tbe"
			}
			unset := &syntax.ExprStmt{X: &syntax.Call{Func: syntax.Ident{Name: name}}}
			if !s.says(func(stmt syntax.Stmt) bool { return text(stmt) == text(unset) }) {
				list = append(list, point{edit: edit{op: Add, arg: syntax.PrintExpr(unset.X), what: what}, change: s.inBody(stmt, stmt, unset), guard: name})
			}
		}
		return list
	}
	port, ok := s.decl.(*syntax.InPort)
	call, lit := trigger(stmt)
	if !ok || lit == nil || len(call.Args) < 2 || s.says(func(stmt syntax.Stmt) bool {
		check, ok := stmt.(*syntax.PortStmt)
		return ok && check.Kind == syntax.CheckProbe
	}) {
		return nil
	}
	at := call.Args[1]
	if strings.HasPrefix(syntax.PrintExpr(at), "in_msg.") || !strings.Contains(syntax.PrintStmt(s.body), "cacheProbe(") {
		return nil
	}
	const victim = "line_to_evict"
	check := &syntax.PortStmt{Kind: syntax.CheckProbe, Port: port.Name, Addr: syntax.Ident{Name: victim}}
	var local []syntax.Stmt
	if v, ok := at.(*syntax.Name); ok {
		check.Addr.Name = v.Name
	} else {
		local = []syntax.Stmt{&syntax.Assign{Left: &syntax.Local{Type: syntax.TypeName{Name: "Addr"}, Name: check.Addr}, Right: at}}
	}
	put("check_on_cache_probe", "check_on_cache_probe("+syntax.PrintExpr(at)+")", "trigger("+lit.Value.Name+")", append(local, check)...)
	return list
}

// instead is the statement that is a guard in place of a call, and what it says; nil for none.
func (m *machine) instead(s site, x syntax.Expr) (kind string, with syntax.Stmt) {
	switch x := x.(type) {
	case *syntax.MethodCall:
		on, ok := x.X.(*syntax.Name)
		_, action := s.decl.(*syntax.Action)
		switch {
		case !ok:
		case x.Method.Name == "recycle" && action && m.wakes:
			return "stall_and_wait", &syntax.PortStmt{Kind: syntax.StallAndWait, Port: syntax.Ident{Name: on.Name}, Addr: syntax.Ident{Name: "address"}}
		case x.Method.Name == "set" && m.timers[on.Name] && len(x.Args) == 2 && called(x.Args[1]) == "cyclesToTicks":
			now := &syntax.Call{Func: syntax.Ident{Name: "clockEdge"}}
			changed := *x
			changed.Args = []syntax.Expr{x.Args[0], &syntax.Binary{Op: syntax.Add, Left: now, Right: x.Args[1]}}
			return "clockEdge", &syntax.ExprStmt{X: &changed}
		}
	case *syntax.Call:
		if x.Func.Name != "trigger" || len(x.Args) < 2 || !m.parts {
			break
		}
		if at, ok := x.Args[1].(*syntax.Member); ok && at.Field.Name != "LineAddress" && syntax.PrintExpr(at.X) == "in_msg" {
			changed := *x
			changed.Args = slices.Clone(x.Args)
			for i, arg := range x.Args {
				changed.Args[i] = ofLine(arg, syntax.PrintExpr(at))
			}
			return lineAddress, &syntax.ExprStmt{X: &changed}
		}
	}
	return "", nil
}

// lineAddress is the function that makes the address of a line.
const lineAddress = "makeLineAddress"

// ofLine is an expression with the address of a line in place of an address, that of a
// table's entry included.
func ofLine(x syntax.Expr, address string) syntax.Expr {
	if syntax.PrintExpr(x) == address {
		return &syntax.Call{Func: syntax.Ident{Name: lineAddress}, Args: []syntax.Expr{x}}
	}
	args := func(list []syntax.Expr) (changed []syntax.Expr) {
		for _, y := range list {
			changed = append(changed, ofLine(y, address))
		}
		return changed
	}
	switch x := x.(type) {
	case *syntax.Index:
		changed := *x
		changed.Args = args(x.Args)
		return &changed
	case *syntax.Call:
		if x.Func.Name != lineAddress {
			changed := *x
			changed.Args = args(x.Args)
			return &changed
		}
	}
	return x
}

func text(stmt syntax.Stmt) string {
	return strings.TrimSuffix(strings.TrimSpace(syntax.PrintStmt(stmt)), ";")
}

// says reports whether a body has a statement.
func (s site) says(is func(syntax.Stmt) bool) bool {
	return slices.ContainsFunc(slices.Collect(s.body.All()), is)
}
