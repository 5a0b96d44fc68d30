package bugs

import (
	"strings"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// tableRow is a row of a transition table.
type tableRow struct {
	actions []string
	next    string
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
			r := tableRow{next: "*"}
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
