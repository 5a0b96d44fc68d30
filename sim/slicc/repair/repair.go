// Package repair edits known defects out of gem5's own protocols, so that what
// a user's changes break shows against a baseline that keeps its model.
//
// A repair is an edit of the actions of some transitions. It looks at what a
// protocol has, not at its version: where the transitions or the actions that
// it names are absent, it does nothing.
package repair

import (
	"slices"
	"strings"

	"ordeal/sim/slicc/ast"
)

// Repair is the edit of one defect.
type Repair struct {
	// ID names the repair.
	ID string
	// Protocol is the name that the protocol gives itself.
	Protocol string
	// Defect says what goes wrong without the repair.
	Defect string
	edits  []edit
}

// edit changes the actions of the transitions of a machine from some states
// for some events.
type edit struct {
	machine string
	states  []string // empty means all
	events  []string // a name, or a beginning that ends in '*'
	drop    []string // actions to leave out
	insert  string   // an action to put in, or empty
	before  string   // the action in front of which it belongs
}

// All lists the repairs.
func All() []Repair { return slices.Clone(repairs) }

// Apply repairs a protocol's tree in place and lists the repairs that changed
// something.
func Apply(root *ast.File) []string {
	var applied []string
	name := protocolName(root)
	for _, r := range repairs {
		if r.Protocol != name {
			continue
		}
		changed := false
		for _, e := range r.edits {
			changed = e.file(root) || changed
		}
		if changed {
			applied = append(applied, r.ID)
		}
	}
	return applied
}

func protocolName(root *ast.File) string {
	for _, d := range root.Decls {
		if p, ok := d.(*ast.Protocol); ok {
			return p.Name
		}
	}
	return ""
}

// file edits the machine wherever it is in a file and those it includes.
func (e *edit) file(f *ast.File) bool {
	changed := false
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.Machine:
			if d.Name.Value.Name == e.machine {
				changed = e.body(d) || changed
			}
		case *ast.Include:
			if d.File != nil {
				changed = e.file(d.File) || changed
			}
		}
	}
	return changed
}

// body edits the transitions of a machine, if it has the action to insert.
func (e *edit) body(m *ast.Machine) bool {
	if e.insert != "" && !hasAction(m, e.insert) {
		return false
	}
	changed := false
	var body []ast.Decl
	for _, d := range m.Body {
		t, ok := d.(*ast.Transition)
		if !ok {
			body = append(body, d)
			continue
		}
		parts, edited := e.transition(t)
		body = append(body, parts...)
		changed = changed || edited
	}
	m.Body = body
	return changed
}

func hasAction(m *ast.Machine, name string) bool {
	return slices.ContainsFunc(m.Body, func(d ast.Decl) bool {
		a, ok := d.(*ast.Action)
		return ok && a.Name.Name == name
	})
}

// transition edits the rows of a transition that are meant, and leaves the
// others in declarations of their own.
func (e *edit) transition(t *ast.Transition) ([]ast.Decl, bool) {
	states, otherStates := split(t.States, e.states)
	events, otherEvents := split(t.Events, e.events)
	actions, changed := e.actions(t.Actions)
	if len(states) == 0 || len(events) == 0 || !changed {
		return []ast.Decl{t}, false
	}
	parts := []ast.Decl{with(t, states, events, actions)}
	if len(otherEvents) > 0 {
		parts = append(parts, with(t, states, otherEvents, t.Actions))
	}
	if len(otherStates) > 0 {
		parts = append(parts, with(t, otherStates, t.Events, t.Actions))
	}
	return parts, true
}

// with is a transition with other states, events and actions.
func with(t *ast.Transition, states, events, actions []ast.Ident) *ast.Transition {
	part := *t
	part.States, part.Events, part.Actions = states, events, actions
	return &part
}

// split divides names into those that are meant and the others.
func split(names []ast.Ident, patterns []string) (meant, others []ast.Ident) {
	for _, n := range names {
		if len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return fits(n.Name, p) }) {
			meant = append(meant, n)
		} else {
			others = append(others, n)
		}
	}
	return meant, others
}

func fits(name, pattern string) bool {
	if beginning, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, beginning)
	}
	return name == pattern
}

// actions edits a list of actions, and reports whether that changes it. What
// is in front of the place already is not put in again.
func (e *edit) actions(list []ast.Ident) ([]ast.Ident, bool) {
	var edited []ast.Ident
	changed := false
	for i, a := range list {
		if slices.Contains(e.drop, a.Name) {
			changed = true
			continue
		}
		if e.insert != "" && a.Name == e.before && (i == 0 || list[i-1].Name != e.insert) {
			edited = append(edited, ast.Ident{Pos: a.Pos, Name: e.insert})
			changed = true
		}
		edited = append(edited, a)
	}
	return edited, changed
}
