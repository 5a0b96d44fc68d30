package mutate

import (
	"fmt"
	"slices"

	"ordeal/sim/slicc/syntax"
)

// Permit is the operator of repairs on states: permit:P gives a state, which is the place, another
// access permission, by which gem5 finds the copies that a functional access reads and writes
// (RubySystem.cc, functionalRead). What is permitted to others stands in the protocol already.
const Permit Operator = "permit"

// permissions are the access permissions of the states of a protocol, in the order of the text.
func (p *Catalogue) permissions() (list []string) {
	for _, m := range p.machines {
		for _, s := range m.states {
			if name := s.Permission.Value.Name; !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// permits lists the edits of the states of a machine.
func (p *Catalogue) permits(m *machine) (list []Amendment) {
	for _, s := range m.states {
		at, _ := m.stateSite(s.Name.Name)
		for _, name := range p.permissions() {
			if name == s.Permission.Value.Name {
				continue
			}
			e := edit{op: Permit, arg: name}
			c, _ := at.permit(e)
			list = append(list, Amendment{Mutant: p.mutant(m, at, point{edit: e, change: c}), Pos: s.Name.Pos, State: s.Name.Name})
		}
	}
	return list
}

// stateSite is the site of a state's declaration.
func (m *machine) stateSite(name string) (site, bool) {
	for _, d := range m.stateDecls {
		if slices.ContainsFunc(d.States, func(s syntax.State) bool { return s.Name.Name == name }) {
			return site{name: name, decl: d}, true
		}
	}
	return site{}, false
}

// permit gives the state of a site another permission.
func (s site) permit(e edit) (change, error) {
	d := s.decl.(*syntax.StateDecl)
	if e.op != Permit {
		return change{}, fmt.Errorf("%s is a state, which has no edits but %s", s.name, Permit)
	}
	changed := *d
	changed.States = slices.Clone(d.States)
	i := slices.IndexFunc(d.States, func(of syntax.State) bool { return of.Name.Name == s.name })
	old := d.States[i].Permission
	with := syntax.EnumName{Type: old.Type, Value: syntax.Ident{Pos: old.Value.Pos, Name: e.arg}}
	changed.States[i].Permission = with
	return change{decl: d, decls: []syntax.Decl{&changed}, expr: &syntax.EnumLit{EnumName: old}, with: &syntax.EnumLit{EnumName: with}}, nil
}
