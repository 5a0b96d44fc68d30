package mutate

import (
	"cmp"
	"fmt"
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

func (m *machine) rowEdits(s site) []edit {
	var list []edit
	actions := s.row.Actions
	for i, a := range actions {
		if i+1 < len(actions) && actions[i+1].Name != a.Name {
			list = append(list, edit{op: Swap, arg: a.Name, what: actions[i+1].Name})
		}
	}
	for _, op := range []Operator{Drop, Dup} {
		for _, a := range actions {
			list = append(list, edit{op: op, arg: a.Name})
		}
	}
	next := s.state
	if s.row.Next != nil {
		next = s.row.Next.Name
	}
	if next != s.state && next != "*" {
		list = append(list, edit{op: Next, arg: stay})
	}
	for _, state := range m.stable() {
		if state != s.state && state != next && next != "*" && m.near(s, state) {
			list = append(list, edit{op: Next, arg: state})
		}
	}
	if m.waits(s.row) {
		list = append(list, m.unwaits(s)...)
	}
	return append(list, edit{op: Delete})
}

// near reports whether some other row of the site's state, or for its event,
// leads to a state. Tables are large; other states break at once.
func (m *machine) near(s site, state string) bool {
	return slices.ContainsFunc(m.transitions, func(t *syntax.Transition) bool {
		return t.Next != nil && t.Next.Name == state && (has(t.States, s.state) || has(t.Events, s.event))
	})
}

// stay is the argument of Next that names no state.
const stay = "stay"

// waits reports whether a row leaves its message where it is.
func (m *machine) waits(t *syntax.Transition) bool {
	return slices.ContainsFunc(t.Actions, func(id syntax.Ident) bool {
		if id.Name == types.StallAction {
			return true
		}
		a := m.actions[id.Name]
		if a == nil {
			return false
		}
		for s := range a.Body.All() {
			if p, ok := s.(*syntax.PortStmt); ok && p.Kind == syntax.StallAndWait || isMethod(s, "recycle") {
				return true
			}
		}
		return false
	})
}

// unwaits lists what a row may do that should wait: what a stable state does,
// or to lose the message.
func (m *machine) unwaits(s site) []edit {
	var list []edit
	seen := map[string]bool{}
	for _, state := range m.stable() {
		t := m.row(state, s.event)
		if t == nil || state == s.state || m.waits(t) {
			continue
		}
		next := state
		if t.Next != nil {
			next = t.Next.Name
		}
		row := fmt.Sprint(next, t.RequestTypes)
		for _, a := range t.Actions {
			row += " " + a.Name
		}
		if !seen[row] { // states that do the same make one mutant
			seen[row] = true
			list = append(list, edit{op: Copy, arg: state})
		}
	}
	clear(seen)
	for _, t := range m.transitions {
		if !has(t.Events, s.event) {
			continue
		}
		for _, id := range t.Actions {
			if !seen[id.Name] && m.pops(id.Name) {
				seen[id.Name] = true
				list = append(list, edit{op: Pop, arg: id.Name})
			}
		}
	}
	return list
}

// pops reports whether all that an action does is to take a message off a queue.
func (m *machine) pops(action string) bool {
	a := m.actions[action]
	return a != nil && len(a.Body.Stmts) == 1 && isMethod(a.Body.Stmts[0], "dequeue")
}

func isMethod(s syntax.Stmt, name string) bool {
	x, ok := s.(*syntax.ExprStmt)
	if !ok {
		return false
	}
	call, ok := x.X.(*syntax.MethodCall)
	return ok && call.Method.Name == name
}

func (m *machine) rowChange(s site, e edit) (change, error) {
	if s.row == nil && e.op != Copy {
		return change{}, fmt.Errorf("machine %s has no transition %s", m.name, s)
	}
	if e.op == Copy {
		return m.copyRow(s, e.arg, cmp.Or(e.what, s.event))
	}
	row := syntax.Transition{
		DeclNode: s.row.DeclNode, States: []syntax.Ident{{Name: s.state}}, Events: []syntax.Ident{{Name: s.event}},
		Next: s.row.Next, RequestTypes: s.row.RequestTypes,
	}
	var err error
	switch e.op {
	case Delete:
		return s.rowBecomes(), nil
	case Next:
		row.Actions = s.row.Actions
		row.Next = nil
		if e.arg != stay {
			if !m.hasState(e.arg) {
				return change{}, fmt.Errorf("machine %s has no state %s", m.name, e.arg)
			}
			row.Next = &syntax.Ident{Name: e.arg}
		}
	case Pop:
		if !m.pops(e.arg) {
			return change{}, fmt.Errorf("action %s of machine %s does not just take a message off its queue", e.arg, m.name)
		}
		row.Next, row.RequestTypes = nil, nil
		row.Actions = []syntax.Ident{{Name: e.arg}}
	default:
		row.Actions, err = m.editActions(s, e)
	}
	if err != nil {
		return change{}, err
	}
	return s.rowBecomes(&row), nil
}

// copyRow gives a row what another state does with the event, or a state with another one. A row that stays in its
// state becomes one to that state; where the message waits, and where there was no
// row, it stays in its own.
func (m *machine) copyRow(s site, from, event string) (change, error) {
	source := m.row(from, event)
	if source == nil {
		return change{}, fmt.Errorf("machine %s has no transition (%s,%s) to copy", m.name, from, event)
	}
	if !m.hasState(s.state) {
		return change{}, fmt.Errorf("machine %s has no state %s", m.name, s.state)
	}
	row := *source
	row.States, row.Events = []syntax.Ident{{Name: s.state}}, []syntax.Ident{{Name: s.event}}
	if row.Next == nil && s.row != nil && !m.waits(source) {
		row.Next = &syntax.Ident{Name: from}
	}
	if s.row == nil { // a new row, behind the one it copies
		return change{decl: source, decls: []syntax.Decl{source, &row}}, nil
	}
	return s.rowBecomes(&row), nil
}

func (m *machine) editActions(s site, e edit) ([]syntax.Ident, error) {
	list := s.row.Actions
	for _, name := range []string{e.arg, e.what} {
		if name != "" && m.actions[name] == nil {
			return nil, fmt.Errorf("machine %s has no action %s", m.name, name)
		}
	}
	at := m.actionPoint(list, e)
	if at < 0 {
		return nil, fmt.Errorf("transition %s of machine %s has no such point: %s", s, m.name, e)
	}
	switch e.op {
	case Swap:
		edited := slices.Clone(list)
		edited[at], edited[at+1] = edited[at+1], edited[at]
		return edited, nil
	case Drop:
		return slices.Concat(list[:at], list[at+1:]), nil
	case Dup:
		return slices.Concat(list[:at+1], list[at:]), nil
	case Insert:
		return slices.Concat(list[:at], []syntax.Ident{{Name: e.arg}}, list[at:]), nil
	case Replace:
		edited := slices.Clone(list)
		edited[at] = syntax.Ident{Name: e.what}
		return edited, nil
	}
	return nil, fmt.Errorf("operator %s does not work on a transition", e.op)
}

// actionPoint finds where in the list of actions an edit works, -1 if nowhere.
func (m *machine) actionPoint(list []syntax.Ident, e edit) int {
	switch e.op {
	case Swap:
		nth := e.point()
		for i := 0; i+1 < len(list); i++ {
			if list[i].Name == e.arg && list[i+1].Name == e.what {
				if nth--; nth == 0 {
					return i
				}
			}
		}
		return -1
	case Insert:
		if e.what == "" {
			return len(list)
		}
		return index(list, e.what, e.point())
	}
	return index(list, e.arg, e.point())
}

// rowBecomes replaces one row by others and leaves the other rows of its
// declaration in declarations of their own.
func (s site) rowBecomes(rows ...*syntax.Transition) change {
	c := change{decl: s.row}
	for _, r := range rows {
		c.decls = append(c.decls, r)
	}
	keep := func(states, events []syntax.Ident) {
		if len(states) > 0 && len(events) > 0 {
			rest := *s.row
			rest.States, rest.Events = states, events
			c.decls = append(c.decls, &rest)
		}
	}
	keep(without(s.row.States, s.state), s.row.Events)
	keep([]syntax.Ident{{Name: s.state}}, without(s.row.Events, s.event))
	return c
}

func without(list []syntax.Ident, name string) []syntax.Ident {
	return slices.DeleteFunc(slices.Clone(list), func(id syntax.Ident) bool { return id.Name == name })
}
