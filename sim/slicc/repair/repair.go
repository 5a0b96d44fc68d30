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

	"ordeal/sim/slicc/syntax"
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

// Apply repairs a protocol's tree in place and lists the repairs that changed
// something.
func Apply(root *syntax.File) []string {
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

func protocolName(root *syntax.File) string {
	for _, d := range root.Decls {
		if p, ok := d.(*syntax.Protocol); ok {
			return p.Name
		}
	}
	return ""
}

func (e *edit) file(f *syntax.File) bool {
	changed := false
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *syntax.Machine:
			if d.Name.Value.Name == e.machine {
				changed = e.body(d) || changed
			}
		case *syntax.Include:
			if d.File != nil {
				changed = e.file(d.File) || changed
			}
		}
	}
	return changed
}

// body edits the transitions of a machine, if it has the action to insert.
func (e *edit) body(m *syntax.Machine) bool {
	if e.insert != "" && !hasAction(m, e.insert) {
		return false
	}
	changed := false
	var body []syntax.Decl
	for _, d := range m.Body {
		t, ok := d.(*syntax.Transition)
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

func hasAction(m *syntax.Machine, name string) bool {
	return slices.ContainsFunc(m.Body, func(d syntax.Decl) bool {
		a, ok := d.(*syntax.Action)
		return ok && a.Name.Name == name
	})
}

// transition edits the rows of a transition that are meant, and leaves the
// others in declarations of their own.
func (e *edit) transition(t *syntax.Transition) ([]syntax.Decl, bool) {
	states, otherStates := split(t.States, e.states)
	events, otherEvents := split(t.Events, e.events)
	actions, changed := e.actions(t.Actions)
	if len(states) == 0 || len(events) == 0 || !changed {
		return []syntax.Decl{t}, false
	}
	parts := []syntax.Decl{with(t, states, events, actions)}
	if len(otherEvents) > 0 {
		parts = append(parts, with(t, states, otherEvents, t.Actions))
	}
	if len(otherStates) > 0 {
		parts = append(parts, with(t, otherStates, t.Events, t.Actions))
	}
	return parts, true
}

func with(t *syntax.Transition, states, events, actions []syntax.Ident) *syntax.Transition {
	part := *t
	part.States, part.Events, part.Actions = states, events, actions
	return &part
}

// split divides names into those that are meant and the others.
func split(names []syntax.Ident, patterns []string) (meant, others []syntax.Ident) {
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
func (e *edit) actions(list []syntax.Ident) ([]syntax.Ident, bool) {
	var edited []syntax.Ident
	changed := false
	for i, a := range list {
		if slices.Contains(e.drop, a.Name) {
			changed = true
			continue
		}
		if e.insert != "" && a.Name == e.before && (i == 0 || list[i-1].Name != e.insert) {
			edited = append(edited, syntax.Ident{Pos: a.Pos, Name: e.insert})
			changed = true
		}
		edited = append(edited, a)
	}
	return edited, changed
}
