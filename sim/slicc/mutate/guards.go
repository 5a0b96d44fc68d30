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
// by Add (unset_tbe and unset_cache_entry, FuncCallExprAST.py).
const Put Operator = "put"

// guardPoints are the guards that a statement lacks.
func (m *machine) guardPoints(s site, stmt *syntax.ExprStmt) (list []point) {
	put := func(kind, guard, what string, with ...syntax.Stmt) {
		list = append(list, point{edit{op: Put, arg: guard, what: what}, s.inBody(stmt, append(with, stmt)...), kind})
	}
	what := syntax.PrintExpr(stmt.X)
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
				list = append(list, point{edit{op: Add, arg: syntax.PrintExpr(unset.X), what: what}, s.inBody(stmt, stmt, unset), name})
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

func text(stmt syntax.Stmt) string {
	return strings.TrimSuffix(strings.TrimSpace(syntax.PrintStmt(stmt)), ";")
}

// says reports whether a body has a statement.
func (s site) says(is func(syntax.Stmt) bool) bool {
	return slices.ContainsFunc(slices.Collect(s.body.All()), is)
}
