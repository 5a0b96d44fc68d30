package repair

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/types"
)

// place is an action of a machine.
type place struct{ machine, action string }

// bodyEdits are edits of actions, ports and functions.
type bodyEdits struct {
	catalogue *mutate.Catalogue
	// mutants are other values, and conditions turned round; amendments those that repairs
	// have besides.
	mutants, amendments map[place][]string
	lacking             map[string]bool     // those that add an assignment, which others have
	asserts             map[place][]string  // those that leave an assertion out
	wider               map[place][]string  // conditions that hold in one more state, by its name
	ports               map[place][]string  // conditions of ports, by the event that is triggered where they hold
	groups              map[string][]string // all that make the same change in several places, by each
	under               []string            // those that move an assignment under a condition
	order               map[string][]string // those that move a port, by machine
	lines               map[string]int      // of the statements of amendments, by edit
	data                map[string][]string // actions that pass the data of a message on, by machine
	guards              []guard
	permits             map[string][]permit    // by machine
	queues              map[place]mutate.Queue // what actions do with the message at the head of a queue
}

func newBodyEdits(c *mutate.Catalogue) *bodyEdits {
	b := &bodyEdits{
		catalogue: c, mutants: map[place][]string{}, amendments: map[place][]string{}, lacking: map[string]bool{},
		asserts: map[place][]string{}, wider: map[place][]string{}, ports: map[place][]string{}, groups: map[string][]string{},
		lines: map[string]int{}, data: c.Data(), queues: map[place]mutate.Queue{}, permits: map[string][]permit{}, order: map[string][]string{},
	}
	for m := range c.Bodies() {
		if m.Operator == mutate.Set || m.Operator == mutate.Negate {
			at := place{m.Machine, m.Place}
			b.mutants[at] = append(b.mutants[at], m.ID)
		}
	}
	for _, q := range c.Queues() {
		b.queues[place{q.Machine, q.Action}] = q
	}
	same := map[string][]string{}
	for _, a := range c.Repairs() {
		at := place{a.Machine, a.Place}
		switch {
		case a.Guard != "":
			b.guard(a)
			continue
		case a.Operator == mutate.Permit:
			_, to, _ := strings.Cut(a.ID, "/permit:")
			b.permits[a.Machine] = append(b.permits[a.Machine], permit{a.State, to, a.ID})
			continue
		case a.Operator == mutate.Before:
			b.order[a.Machine] = append(b.order[a.Machine], a.ID)
			continue
		case a.Asserts:
			b.asserts[at] = append(b.asserts[at], a.ID)
			continue
		case a.State != "":
			at = place{a.Machine, a.State}
			b.wider[at] = append(b.wider[at], a.ID)
			continue
		}
		if a.Operator != mutate.Add {
			edit, _, _ := strings.Cut(strings.SplitN(a.ID, "/", 4)[3], "#")
			same[edit] = append(same[edit], a.ID)
		}
		for _, e := range a.Events {
			b.ports[place{a.Machine, e}] = append(b.ports[place{a.Machine, e}], a.ID)
		}
		if a.Operator == mutate.Under {
			b.under = append(b.under, a.ID)
		}
		b.amendments[at] = append(b.amendments[at], a.ID)
		b.lacking[a.ID] = a.Assigns
		b.lines[a.ID] = int(a.Pos.Line)
	}
	for _, ids := range same {
		if len(ids) > 1 && len(ids) <= mostAlike {
			slices.Reverse(ids) // the last of a place first, since that leaves the numbers of others as they are
			for _, id := range ids {
				b.groups[id] = ids
			}
		}
	}
	return b
}

// mostAlike bounds the places in which the same change is made at once: one that is possible in more
// of them is no slip.
const mostAlike = 8

// alike lists an edit, and those with which it makes the same change wherever it is possible.
func (b *bodyEdits) alike(kind int, id string, add func(kind int, ids ...string)) {
	add(kind, id)
	if all := b.groups[id]; all != nil {
		add(kind, all...)
	}
}

// guard notes one that the protocol lacks.
func (b *bodyEdits) guard(a mutate.Amendment) {
	same := func(g guard) bool { return g.machine == a.Machine && g.calls == a.Guard }
	i := slices.IndexFunc(b.guards, same)
	if i < 0 {
		i = len(b.guards)
		b.guards = append(b.guards, guard{machine: a.Machine, calls: a.Guard})
	}
	b.guards[i].ids = append(b.guards[i].ids, a.ID)
}

// of lists the edits of an action with their kinds.
func (b *bodyEdits) of(at place, add func(kind int, ids ...string)) {
	if b == nil {
		return
	}
	for _, id := range b.mutants[at] {
		add(bodyEdit, id)
	}
	for _, id := range b.amendments[at] {
		kind := amendEdit
		if b.lacking[id] {
			kind = dropEdit
		}
		b.alike(kind, id, add)
	}
}

// triggering lists other conditions under which a port triggers an event.
func (b *bodyEdits) triggering(machine, event string, add func(kind int, ids ...string)) {
	if b == nil {
		return
	}
	for _, id := range b.ports[place{machine, event}] {
		kind := copyEdit
		if strings.Contains(id, "/omit:") { // of which there are few
			kind = dropEdit
		}
		b.alike(kind, id, add)
	}
}

// sending lists other receivers of the messages that trigger an event of a machine: where it is not
// expected, another one may be meant.
func (b *bodyEdits) sending(machine, event string, add func(kind int, ids ...string)) {
	if b == nil {
		return
	}
	for _, s := range b.catalogue.Senders(machine, event) {
		for _, id := range b.amendments[place{s.Machine, s.Action}] {
			if strings.Contains(id, "/call:out_msg.Destination.") {
				b.alike(nextEdit, id, add)
			}
		}
	}
}

// unsent leaves an action out of all rows, which are few, that sends the messages which trigger an event
// of a machine: where it is not expected, it may be one too many.
func (b *bodyEdits) unsent(p *types.Protocol, machine, event string, add func(ids ...string)) {
	if b == nil {
		return
	}
	for _, s := range b.catalogue.Senders(machine, event) {
		for _, m := range p.Machines {
			if m.Name != s.Machine {
				continue
			}
			t := &table{Machine: m, protocol: p.Name}
			var ids []string
			for _, tr := range m.Transitions {
				if own, _ := t.names(tr); slices.Contains(own, s.Action) {
					ids = append(ids, t.id(t.row(tr), "drop:"+s.Action))
				}
			}
			if len(ids) <= mostAlike {
				add(ids...)
			}
		}
	}
}

// moving lists the assignments under a condition, which are few, where a title says that data are
// old or lost.
func (b *bodyEdits) moving(title string) []string {
	data := func(part string) bool { return strings.Contains(title, part) }
	if b == nil || !slices.ContainsFunc([]string{"old data", "value lost", "memory returned", "old value"}, data) {
		return nil
	}
	return b.under
}

// reordering lists the moves of ports of a machine to before others.
func (b *bodyEdits) reordering(machine string) []string {
	if b == nil {
		return nil
	}
	return b.order[machine]
}

// widened lists the conditions that compare with several states, with one that they lack.
func (b *bodyEdits) widened(machine, state string) []string {
	if b == nil {
		return nil
	}
	return b.wider[place{machine, state}]
}

// taking are the actions of a row that pass the data of its message on: where it has none,
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

// waits lists copies of rows that do nothing but let the message wait, which a row takes off its
// queue: one for each way, of the same state where there is one.
func (b *bodyEdits) waits(t *table, tr *types.Transition, add func(edit string)) {
	if b == nil {
		return
	}
	port := ""
	for _, a := range tr.Actions {
		if q, ok := b.queues[place{t.Name, a.Name}]; ok && !q.Waits {
			port = q.Port
		}
	}
	if port == "" {
		return
	}
	var ways []string
	best := map[string]*types.Transition{}
	for _, other := range t.Transitions {
		if len(other.Actions) != 1 || other.NextState >= 0 && other.NextState != other.State {
			continue
		}
		way := other.Actions[0].Name
		if q, ok := b.queues[place{t.Name, way}]; !ok || !q.Waits || q.Port != port {
			continue
		}
		if best[way] == nil {
			ways = append(ways, way)
		}
		if best[way] == nil || best[way].State != tr.State && other.State == tr.State {
			best[way] = other
		}
	}
	for _, way := range ways {
		other := t.row(best[way])
		add("copy:" + other.State + "@" + other.Event)
	}
}

// titled lists the edits of the declaration with the line that a title names, those of
// the statements nearest to it first.
func (b *bodyEdits) titled(title string) []string {
	m := atLine().FindStringSubmatch(title)
	if m == nil || b == nil {
		return nil
	}
	line, err := strconv.Atoi(m[2])
	if err != nil {
		return nil
	}
	machine, name, ok := b.catalogue.At(m[1], line)
	if !ok {
		return nil
	}
	at := place{machine, name}
	list := slices.Clone(b.amendments[at])
	distance := func(id string) int { return max(line-b.lines[id], b.lines[id]-line) }
	slices.SortStableFunc(list, func(x, y string) int { return cmp.Compare(distance(x), distance(y)) })
	list = append(list[:min(len(list), mostTitled)], b.mutants[at]...)
	return append(list, b.asserts[at]...) // the assertion itself may be wrong
}

// mostTitled bounds the edits of a declaration that a title names: a port may have
// hundreds.
const mostTitled = 60
