package mutate

import (
	"maps"
	"slices"

	"ordeal/sim/slicc/syntax"
)

// Sender is an action that sends a message of a type with which a port triggers an event.
type Sender struct {
	Machine, Action string
	_               struct{}
}

// Senders are the actions of all machines that send what triggers an event of a machine: which of
// its ports asks for the type that the action assigns.
func (p *Catalogue) Senders(machine, event string) (list []Sender) {
	m := p.machine(machine)
	if m == nil {
		return nil
	}
	var kinds []string // enumerators that a condition above the trigger compares with
	for _, s := range m.bodies {
		if _, port := s.decl.(*syntax.InPort); !port {
			continue
		}
		for stmt := range s.body.All() {
			under, ok := stmt.(*syntax.If)
			if !ok || !slices.Contains(m.triggered(site{decl: s.decl, body: under.Then}), event) {
				continue
			}
			v := &vocabulary{values: map[string][]*syntax.EnumLit{}}
			v.read(under.Cond)
			for _, kind := range slices.Sorted(maps.Keys(v.values)) {
				for _, lit := range v.values[kind] {
					kinds = append(kinds, syntax.PrintExpr(lit))
				}
			}
		}
	}
	for _, from := range p.machines {
		for _, s := range from.bodies {
			if _, action := s.decl.(*syntax.Action); action && s.says(func(stmt syntax.Stmt) bool {
				a, ok := stmt.(*syntax.Assign)
				if !ok {
					return false
				}
				field, ok := a.Left.(*syntax.Member)
				return ok && field.Field.Name == "Type" && slices.Contains(kinds, syntax.PrintExpr(a.Right))
			}) {
				list = append(list, Sender{Machine: from.name, Action: s.name})
			}
		}
	}
	return list
}
