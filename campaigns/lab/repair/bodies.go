package repair

import (
	"slices"
	"strings"

	"ordeal/sim"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// place is an action, a port or a function of a machine.
type place struct{ machine, name string }

// bodyEdits are the mutants of actions, ports and functions that assign another value or
// negate a condition. A nil pointer has no edits.
type bodyEdits struct {
	mutants map[place][]string
	// data are the actions of a machine that pass the data of a message on, to a cache, a
	// queue or the core: not those that begin a transaction.
	data map[string][]string
}

func newBodyEdits(c *mutate.Catalogue) *bodyEdits {
	b := &bodyEdits{map[place][]string{}, map[string][]string{}}
	for m := range c.Bodies() {
		if m.Operator == mutate.Set || m.Operator == mutate.Negate {
			at := place{m.Machine, m.Place}
			b.mutants[at] = append(b.mutants[at], m.ID)
		}
	}
	b.read(c.Root.Decls, "")
	return b
}

// read notes the bodies of declarations.
func (b *bodyEdits) read(decls []syntax.Decl, machine string) {
	for _, d := range decls {
		switch d := d.(type) {
		case *syntax.Include:
			if d.File != nil {
				b.read(d.File.Decls, machine)
			}
		case *syntax.Machine:
			b.read(d.Body, d.Name.Value.Name)
		case *syntax.Action:
			text := syntax.PrintStmt(d.Body)
			if strings.Contains(text, "in_msg.DataBlk") && !strings.Contains(text, "TBEs.allocate(") {
				b.data[machine] = append(b.data[machine], d.Name.Name)
			}
		}
	}
}

// of lists the edits of an action, a port or a function.
func (b *bodyEdits) of(at place) []string {
	if b == nil {
		return nil
	}
	return b.mutants[at]
}

// taking lists the actions of a row that pass the data of its message on: where it has none,
// each of them alone still does.
func (b *bodyEdits) taking(machine string, tr *types.Transition) (list []string) {
	if b == nil {
		return nil
	}
	for _, a := range tr.Actions {
		if slices.Contains(b.data[machine], a.Name) {
			list = append(list, a.Name)
		}
	}
	return list
}

// failed lists the edits of the declaration whose statement failed.
func (b *bodyEdits) failed(f *sim.Failure) []string {
	if b == nil || f.Function == "" {
		return nil
	}
	return b.mutants[place{f.Row.Machine, f.Function}]
}
