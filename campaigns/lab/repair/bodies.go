package repair

import (
	"slices"
	"strconv"
	"strings"

	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// place is an action, a port or a function of a machine.
type place struct{ machine, name string }

// bodyEdits are the mutants of actions, ports and functions that assign another value or
// negate a condition. A nil pointer has none.
type bodyEdits struct {
	mutants map[place][]string
	// lines are the statements of the bodies, by file and line.
	lines map[string]map[int]place
	// data are the actions of a machine that pass the data of a message on, to a cache, a
	// queue or the core: not those that begin a transaction.
	data map[string][]string
}

func newBodyEdits(c *mutate.Catalogue) *bodyEdits {
	b := &bodyEdits{map[place][]string{}, map[string]map[int]place{}, map[string][]string{}}
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
			b.note(place{machine, d.Name.Name}, d.Body)
			text := syntax.PrintStmt(d.Body)
			if strings.Contains(text, "in_msg.DataBlk") && !strings.Contains(text, "TBEs.allocate(") {
				b.data[machine] = append(b.data[machine], d.Name.Name)
			}
		case *syntax.InPort:
			b.note(place{machine, d.Name.Name}, d.Body)
		case *syntax.Func:
			b.note(place{machine, d.Name.Name}, d.Body)
		}
	}
}

func (b *bodyEdits) note(at place, body *syntax.Block) {
	for stmt := range body.All() {
		pos := stmt.Position()
		if b.lines[pos.File] == nil {
			b.lines[pos.File] = map[int]place{}
		}
		b.lines[pos.File][int(pos.Line)] = at
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

// titled lists the edits of the declaration with the line that a title names.
func (b *bodyEdits) titled(title string) []string {
	m := atLine().FindStringSubmatch(title)
	if m == nil || b == nil {
		return nil
	}
	line, err := strconv.Atoi(m[2])
	if err != nil {
		return nil
	}
	return b.mutants[b.lines[m[1]][line]]
}
