package mutate

import (
	"slices"

	"ordeal/sim/slicc/syntax"
)

// waitsAtHead reports whether all that a row does is to put its message aside,
// and all that takes the line out of the state comes by other queues: without
// the action, the message stays at the head of its queue and is looked at
// again and again, until the line has left the state.
func (m *machine) waitsAtHead(s site) bool {
	if len(s.row.Actions) != 1 || s.row.Next != nil && s.row.Next.Name != s.state {
		return false
	}
	port := m.putsAside(s.row.Actions[0].Name)
	if port == "" {
		return false
	}
	inQueue := m.portEvents(port)
	leaves := false
	for _, t := range m.transitions {
		if !has(t.States, s.state) || t.Next == nil || t.Next.Name == s.state || m.waits(t) {
			continue
		}
		for _, e := range t.Events {
			if slices.Contains(inQueue, e.Name) {
				return false // what the line waits for may be behind the message
			}
			leaves = true
		}
	}
	return leaves
}

// putsAside is the port whose message an action puts aside; empty if the
// action does not, or does more.
func (m *machine) putsAside(action string) string {
	a := m.actions[action]
	if a == nil || len(a.Body.Stmts) != 1 {
		return ""
	}
	if s, ok := a.Body.Stmts[0].(*syntax.PortStmt); ok && s.Kind == syntax.StallAndWait {
		return s.Port.Name
	}
	return ""
}

// portEvents lists the events that a port may trigger, those named by the
// functions that it calls among them.
func (m *machine) portEvents(port string) []string {
	s, ok := m.site(port)
	if !ok {
		return nil
	}
	var list []string
	called := map[*syntax.Func]bool{}
	var block func(b *syntax.Block)
	var expr func(x syntax.Expr)
	expr = func(x syntax.Expr) {
		if lit, ok := x.(*syntax.EnumLit); ok && lit.Type.Name == "Event" {
			list = append(list, lit.Value.Name)
		}
		if call, ok := x.(*syntax.Call); ok {
			if f := m.funcs[call.Func.Name]; f != nil && !called[f] {
				called[f] = true
				block(f.Body)
			}
		}
		for _, operand := range syntax.Operands(x) {
			expr(operand)
		}
	}
	block = func(b *syntax.Block) {
		for stmt := range b.All() {
			switch stmt := stmt.(type) {
			case *syntax.ExprStmt:
				expr(stmt.X)
			case *syntax.Return:
				expr(stmt.X)
			case *syntax.Assign:
				expr(stmt.Right)
			}
		}
	}
	block(s.body)
	return list
}
