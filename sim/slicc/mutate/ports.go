package mutate

import (
	"slices"

	"ordeal/sim/slicc/syntax"
)

// Before is the operator of repairs that changes the order of in_ports, in which a machine looks for
// messages: before:PORT moves a port to before another one, of the same file, that precedes it.
const Before Operator = "before"

// portPoints are the moves of a port.
func (m *machine) portPoints(s site) (list []point) {
	port, ok := s.decl.(*syntax.InPort)
	if !ok {
		return nil
	}
	for _, other := range m.bodies {
		if other.decl == s.decl {
			break
		}
		if first, ok := other.decl.(*syntax.InPort); ok && first.Position().File == port.Position().File {
			c := change{decl: first, decls: []syntax.Decl{port, first}, moved: port}
			list = append(list, point{edit: edit{op: Before, arg: other.name}, change: c, pos: port.Position()})
		}
	}
	return list
}

// Ports lists the in_ports of a machine in their order; none if there is no such machine.
func (p *Catalogue) Ports(machine string) (names []string) {
	m := p.machine(machine)
	if m == nil {
		return nil
	}
	for _, s := range m.bodies {
		if _, ok := s.decl.(*syntax.InPort); ok {
			names = append(names, s.name)
		}
	}
	return names
}

// without is a list without the declaration that is moved.
func (c *change) without(list []syntax.Decl) []syntax.Decl {
	if c.moved == nil {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(d syntax.Decl) bool { return d == c.moved })
}
