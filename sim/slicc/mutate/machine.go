package mutate

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
)

// machine is a machine with its declarations by kind, those of included files
// in their places.
type machine struct {
	name        string
	states      []syntax.State
	transitions []*syntax.Transition
	actions     map[string]*syntax.Action
	funcs       map[string]*syntax.Func
	directories map[string]bool // parameters that are DirectoryMemory
	stalling    map[string]bool // ports whose messages some action puts aside
	initial     string          // the default state
	heldStates  map[string]holdings
	bodies      []site // actions, ports and functions in the order of the text
}

type site struct {
	// A row of the table; row is nil where the table has no row for the pair.
	state, event string
	row          *syntax.Transition
	// Or a declaration with a body.
	name string
	decl syntax.Decl
	body *syntax.Block
}

func (s site) String() string {
	if s.name != "" {
		return s.name
	}
	return fmt.Sprintf("(%s,%s)", s.state, s.event)
}

func (m *machine) collect(body []syntax.Decl) {
	for _, d := range body {
		switch d := d.(type) {
		case *syntax.Include:
			if d.File != nil {
				m.collect(d.File.Decls)
			}
		case *syntax.StateDecl:
			m.states = append(m.states, d.States...)
			value, _ := d.Pairs.Get("default")
			m.initial = strings.TrimPrefix(value, m.name+"_State_")
		case *syntax.Transition:
			m.transitions = append(m.transitions, d)
		case *syntax.Action:
			m.actions[d.Name.Name] = d
			for s := range d.Body.All() {
				if p, ok := s.(*syntax.PortStmt); ok && p.Kind == syntax.StallAndWait {
					m.stalling[p.Port.Name] = true
				}
			}
			m.bodies = append(m.bodies, site{name: d.Name.Name, decl: d, body: d.Body})
		case *syntax.InPort:
			m.bodies = append(m.bodies, site{name: d.Name.Name, decl: d, body: d.Body})
		case *syntax.Func:
			if d.Body != nil {
				m.funcs[d.Name.Name] = d
				if !isPlumbing(d.Name.Name) {
					m.bodies = append(m.bodies, site{name: d.Name.Name, decl: d, body: d.Body})
				}
			}
		}
	}
}

// isPlumbing reports whether no mutant edits a function: one for gem5's
// functional accesses, which a simulation never calls, or one that carries
// states between the table and its entries, without which nothing works.
func isPlumbing(name string) bool {
	switch name {
	case "functionalRead", "functionalWrite", "getAccessPermission", "setAccessPermission", "getState", "setState":
		return true
	}
	return false
}

func (m *machine) sites() []site {
	var list []site
	for _, t := range m.transitions {
		for _, s := range t.States {
			for _, e := range t.Events {
				list = append(list, site{state: s.Name, event: e.Name, row: t})
			}
		}
	}
	return append(list, m.bodies...)
}

// row finds the row for a state and an event; nil if it is missing.
func (m *machine) row(state, event string) *syntax.Transition {
	for _, t := range m.transitions {
		if has(t.States, state) && has(t.Events, event) {
			return t
		}
	}
	return nil
}

// body finds a declaration with a body.
func (m *machine) site(name string) (site, bool) {
	for _, s := range m.bodies {
		if s.name == name {
			return s, true
		}
	}
	return site{}, false
}

func (m *machine) stable() []string {
	var list []string
	for _, s := range m.states {
		if s.Permission.Value.Name != "Busy" {
			list = append(list, s.Name.Name)
		}
	}
	return list
}

func (m *machine) hasState(name string) bool {
	return slices.ContainsFunc(m.states, func(s syntax.State) bool { return s.Name.Name == name })
}

func has(list []syntax.Ident, name string) bool { return index(list, name, 1) >= 0 }

// index is the place of the nth occurrence of a name, -1 if it is missing.
func index(list []syntax.Ident, name string, nth int) int {
	for i, id := range list {
		if id.Name == name {
			if nth--; nth == 0 {
				return i
			}
		}
	}
	return -1
}
