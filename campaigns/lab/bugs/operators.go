package bugs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// mostEdits bounds the edits of a mutant that counts as the bug.
const mostEdits = 2

// Operators lists the mutation operators that make the protocol without the fix of the
// one with it, one for each declaration that differs; ok is false where there are
// more than two differences, or one that no operator makes. Lines of bodies count
// as one edit each, of which skip leaves one out and set gives another one.
func Operators(t *Trees) (list []mutate.Operator, ok bool, err error) {
	fixed, err := checked(t.After)
	if err != nil {
		return nil, false, err
	}
	buggy, err := checked(t.Before)
	if err != nil {
		return nil, false, err
	}
	ok = true
	edits := map[string]mutate.Operator{} // by declaration and operator
	for name, m := range buggy.rows {
		for key, r := range m {
			before, has := fixed.rows[name][key]
			op := rowOperator(before, has, r, fixed.rows[name], key)
			if op == "" {
				continue
			}
			ok = ok && op != none
			edits[fmt.Sprint(name, r.place, op)] = op
		}
	}
	for name, m := range fixed.rows {
		for key, r := range m {
			if _, has := buggy.rows[name][key]; !has {
				edits[fmt.Sprint(name, r.place, mutate.Delete)] = mutate.Delete
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(edits)) {
		list = append(list, edits[key])
	}
	for _, machine := range slices.Sorted(maps.Keys(fixed.ports)) {
		if ports, has := buggy.ports[machine]; has && !inOrder(ports, fixed.ports[machine]) {
			ok = false // no operator moves a port
		}
	}
	bodies, fits := bodyOperators(fixed.bodies, buggy.bodies)
	list = append(list, bodies...)
	return list, ok && fits && len(list) > 0 && len(list) <= mostEdits, nil
}

// none is the operator of a difference that no operator makes.
const none mutate.Operator = "none"

// tableRow is a row of a transition table.
type tableRow struct {
	actions []string
	next    string
	place   string // of its declaration
}

type pair struct{ state, event string }

// content has the parts of a protocol that are compared.
type content struct {
	rows   map[string]map[pair]tableRow // by machine
	bodies map[string]string            // other declarations of machines, by their heads
	ports  map[string][]string          // by machine, in their order
}

func checked(path string) (*content, error) {
	tree, err := protocols.LoadFile(path)
	if err != nil {
		return nil, err
	}
	return contentOf(tree)
}

// contentOf returns the parts of a protocol's tree that are compared.
func contentOf(tree *syntax.File) (*content, error) {
	catalogue, err := mutate.NewCatalogue(tree)
	if err != nil {
		return nil, err
	}
	p, err := catalogue.Protocol()
	if err != nil {
		return nil, err
	}
	c := &content{map[string]map[pair]tableRow{}, map[string]string{}, map[string][]string{}}
	for _, m := range p.Machines {
		c.rows[m.Name] = map[pair]tableRow{}
		for _, t := range m.Transitions {
			r := tableRow{next: "*", place: fmt.Sprint(t.Decl.Position())}
			if t.Next != types.Wildcard {
				r.next = m.State.Enums[t.NextState].Name
			}
			for _, a := range t.Actions {
				r.actions = append(r.actions, a.Name)
			}
			c.rows[m.Name][pair{m.State.Enums[t.State].Name, m.Event.Enums[t.Event].Name}] = r
		}
	}
	var walk func(decls []syntax.Decl, machine string)
	walk = func(decls []syntax.Decl, machine string) {
		for _, d := range decls {
			switch d := d.(type) {
			case *syntax.Include:
				if d.File != nil {
					walk(d.File.Decls, machine)
				}
			case *syntax.Machine:
				walk(d.Body, d.Name.Value.Name)
			case *syntax.Transition:
			default:
				if port, ok := d.(*syntax.InPort); ok {
					c.ports[machine] = append(c.ports[machine], port.Name.Name)
				}
				if machine != "" {
					text := syntax.PrintDecl(d)
					head, _, _ := strings.Cut(text, "\n")
					c.bodies[machine+" "+head] = text
				}
			}
		}
	}
	walk(tree.Decls, "")
	return c, nil
}

// inOrder reports whether the ports that two lists both have are in the same order.
func inOrder(a, b []string) bool {
	both := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return !slices.Contains(other, name) })
	}
	return slices.Equal(both(a, b), both(b, a))
}

// rowOperator is the operator that makes a row of another one; "" where both are the
// same.
func rowOperator(from tableRow, has bool, to tableRow, all map[pair]tableRow, at pair) mutate.Operator {
	copied := func() mutate.Operator {
		for other, r := range all {
			if other.event == at.event && other != at && slices.Equal(r.actions, to.actions) {
				return mutate.Copy
			}
		}
		return none
	}
	if !has {
		return copied()
	}
	same := slices.Equal(from.actions, to.actions)
	if from.next != to.next {
		if same {
			return mutate.Next
		}
		return copied()
	}
	if same {
		return ""
	}
	for i := range from.actions {
		switch without := slices.Delete(slices.Clone(from.actions), i, i+1); {
		case slices.Equal(without, to.actions):
			return mutate.Drop
		case i+1 < len(from.actions) && slices.Equal(slices.Insert(slices.Clone(without), i+1, from.actions[i]), to.actions):
			return mutate.Swap
		case len(from.actions) == len(to.actions) && slices.Equal(without, slices.Delete(slices.Clone(to.actions), i, i+1)):
			return mutate.Replace
		}
	}
	for i := range to.actions {
		if slices.Equal(slices.Delete(slices.Clone(to.actions), i, i+1), from.actions) {
			if slices.Contains(from.actions, to.actions[i]) {
				return mutate.Dup
			}
			return mutate.Insert
		}
	}
	return copied()
}

// bodyOperators returns the operators of the differences of other declarations.
func bodyOperators(fixed, buggy map[string]string) (list []mutate.Operator, ok bool) {
	for _, head := range slices.Sorted(maps.Keys(fixed)) {
		text, has := buggy[head]
		if !has || text == fixed[head] {
			continue // what only the fix has is not used without it
		}
		for _, h := range compare(lines(fixed[head]), lines(text)) {
			switch gone := h.to - h.from; {
			case gone == 1 && len(h.new) == 0:
				list = append(list, mutate.Skip)
			case gone == 1 && len(h.new) == 1:
				list = append(list, mutate.Set)
			default:
				return list, false
			}
		}
	}
	return list, true
}
