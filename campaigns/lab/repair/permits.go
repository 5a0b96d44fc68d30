package repair

import (
	"strings"

	"ordeal/sim/slicc/types"
)

// functional begins the titles of failures of functional reads, which find copies by the access
// permissions of their states.
const functional = "functional read finds "

// permitting lists other permissions of states where a functional read fails: of the state that the
// title names, alone and with those of its machine that have the same one, then of all states of
// another machine that have the same one, and late of each of them.
func (b *bodyEdits) permitting(p *types.Protocol, title string, add func(kind int, ids ...string)) {
	if b == nil || !strings.HasPrefix(title, functional) {
		return
	}
	for _, m := range p.Machines {
		edits := b.permits[m.Name]
		had := map[string]int{} // the permission of a state
		for _, s := range m.State.Enums {
			had[s.Name] = s.Permission
		}
		// together has the edits to a permission of the states that have the same one.
		type group struct {
			from int
			to   string
		}
		var order []group
		together := map[group][]string{}
		for _, e := range edits {
			g := group{had[e.state], e.to}
			if together[g] == nil {
				order = append(order, g)
			}
			together[g] = append(together[g], e.id)
		}
		isNamed := false
		for _, r := range named(title) {
			if r.Machine != m.Name {
				continue
			}
			isNamed = true
			for _, e := range edits {
				if e.state == r.State {
					add(insertEdit, e.id)
					add(insertEdit, together[group{had[e.state], e.to}]...)
				}
			}
		}
		if isNamed {
			continue
		}
		for _, g := range order {
			add(nextEdit, together[g]...)
		}
		for _, e := range edits {
			add(amendEdit, e.id)
		}
	}
}

// permit is an edit that gives a state another permission.
type permit struct{ state, to, id string }
