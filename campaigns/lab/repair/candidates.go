package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ordeal/sim"
	"ordeal/sim/slicc/types"
)

// namesRow reports whether a failure's row is more than a machine.
func namesRow(r sim.Row) bool { return r.State != "" || r.Event != "" }

// candidate is an edit that may repair a protocol: a mutant by name.
type candidate struct {
	id    string
	rank  int // 0 is the most likely
	edits int // of declarations
}

// table is a machine's transitions.
type table struct {
	*types.Machine
	protocol string
	reading  []int // access permissions
}

func (t *table) state(n int) string { return t.State.Enums[n].Name }

// row names a row.
func (t *table) row(tr *types.Transition) sim.Row {
	return sim.Row{Machine: t.Name, State: t.state(tr.State), Event: t.Event.Enums[tr.Event].Name}
}

// names returns the actions of a row, and its next state.
func (t *table) names(tr *types.Transition) (actions []string, next string) {
	for _, a := range tr.Actions {
		actions = append(actions, a.Name)
	}
	if tr.NextState < 0 {
		return actions, ""
	}
	return actions, t.state(tr.NextState)
}

// candidates lists edits for a failure, the most likely first, of four families:
//
//   - rows that the title or the text of the failure names, then those that the failing run took,
//     the last on the line that failed and the rarest first: an action that the row lacks, as it
//     stands in rows of the same event or state; another next state, an action less, or all those
//     that pass the data of the message on, two actions exchanged; the actions and the next state of
//     such a row in place of its own, or those that the state has for another event;
//   - where the row is missing, that of another state or event: alone, with all that its
//     declaration says of other events, or with another next state;
//   - notices to the core of a line that is lost, and wake-ups of messages that wait, in one row and
//     in all that may lack one;
//   - other values and conditions in the bodies of actions of these rows, and of the declaration whose
//     statement failed.
//
// A row that is less likely counts as one kind of edit that is: kinds with few edits
// are tried in many rows before kinds with many in any of them.
func candidates(p *types.Protocol, bodies *bodyEdits, f sim.Failure, shown *outcome) []candidate {
	title := f.Title()
	var list []candidate
	seen := map[string]bool{}
	add := func(rank, edits int, ids ...string) {
		id := strings.Join(ids, " + ")
		if id != "" && !seen[id] {
			seen[id] = true
			list = append(list, candidate{id, rank, edits})
		}
	}
	for _, id := range bodies.failed(&f) {
		add(0, 1, id)
	}
	readers := reading(p)
	for _, m := range p.Machines {
		t := &table{m, p.Name, readers}
		switch {
		case stuck(title):
			t.waking(func(ids ...string) { add(insertEdit, 1, ids...) })
		case strings.HasPrefix(title, "load ") || strings.HasPrefix(title, "old data"):
			t.losing(func(ids ...string) { add(insertEdit, 1, ids...) })
		}
	}
	var rows []sim.Row
	for _, r := range []sim.Row{f.Row, f.At.Row} {
		if namesRow(r) && !slices.Contains(rows, r) {
			rows = append(rows, r)
		}
	}
	first := len(rows)
	taken := likely(shown)
	rows = append(rows, taken...)
	for i, r := range rows {
		for _, m := range p.Machines {
			if m.Name != r.Machine {
				continue
			}
			t := &table{m, p.Name, readers}
			rank := min(i, first+(i-first)/rareRows)
			known := false
			if i < first && r.State != "" && r.Event == "" {
				t.leaving(r.State, func(ids ...string) { add(rank, 1, ids...) })
			}
			for _, tr := range m.Transitions {
				at := t.row(tr)
				if r.State != "" && at.State != r.State || r.Event != "" && at.Event != r.Event {
					continue
				}
				known = true
				if r.Event == "" || r.State == "" { // the title names many: those that were taken
					if !slices.Contains(taken, at) {
						continue
					}
				}
				notice := rank
				if t.loses(tr) {
					notice = min(rank, noticeRank)
				}
				t.notices(tr, func(edit string) { add(notice, 1, t.id(at, edit)) })
				whole := []sim.Row{at} // of the declaration, where its rows fail alike
				if i < first {
					whole = t.declared(tr)
				}
				t.edits(tr, func(kind int, edit string) {
					add(rank+kind, 1, t.id(at, edit))
					whole := whole
					if strings.HasPrefix(edit, "replace:") && kind < replaceEdit {
						whole = t.declared(tr)
					}
					var ids []string
					for _, r := range whole {
						ids = append(ids, t.id(r, edit))
					}
					add(rank+kind, 1, ids...)
				})
				if drops := bodies.taking(m.Name, tr); len(drops) > 1 {
					for i, a := range drops {
						drops[i] = t.id(at, "drop:"+a)
					}
					kind := rank + dropEdit
					if shown.value {
						kind = min(rank, noticeRank) // data of a message that has none overwrites the value
					}
					add(kind, 1, drops...)
				}
				t.others(tr, func(kind int, edit string) { add(rank+kind, 1, t.id(at, edit)) })
				for _, a := range tr.Actions {
					for _, id := range bodies.of(place{m.Name, a.Name}) {
						add(rank+bodyEdit, 1, id)
					}
				}
			}
			if !known && r.State != "" && r.Event != "" {
				t.missing(r, func(kind, edits int, ids ...string) { add(rank+kind, edits, ids...) })
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	return list
}

// The kinds of edit, by how many there are of a row. A missing row has copies only,
// the likeliest of the first kind.
const (
	insertEdit = iota
	nextEdit
	dropEdit
	copyEdit
	bodyEdit
	replaceEdit
	popEdit // leaves the message in its queue
)

const (
	// rareRows rows that a run took count as equally likely.
	rareRows = 3
	// noticeRank is the most that a missing notice ranks at where a line is lost, and that data which
	// are not taken rank at where a value is: few rows do that.
	noticeRank = 2
)

// likely are the rows that failing runs took, the likeliest first: by their place among
// the last on the line that failed, or by that among the rarest, whichever is less; where a
// value was lost, those of its line are likelier than others.
func likely(shown *outcome) []sim.Row {
	taken := slices.DeleteFunc(slices.Clone(shown.taken), func(c sim.Transition) bool { return c.Count == 0 })
	slices.SortStableFunc(taken, func(a, b sim.Transition) int { return cmp.Compare(a.Count, b.Count) })
	at := map[sim.Row]int{}
	rows := slices.Clone(shown.last)
	for i, r := range rows {
		at[r] = i
	}
	others := 0
	if shown.value {
		others = len(rows)
	}
	for i, c := range taken {
		i += others
		r := c.Row
		if n, has := at[r]; !has {
			rows = append(rows, r)
			at[r] = i
		} else {
			at[r] = min(n, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b sim.Row) int { return cmp.Compare(at[a], at[b]) })
	return rows
}

// stuck reports whether a title names an end without progress.
func stuck(title string) bool {
	return strings.HasPrefix(title, "deadlock") || strings.HasPrefix(title, "livelock") || strings.HasPrefix(title, "starvation")
}

// id names an edit of a row.
func (t *table) id(r sim.Row, edit string) string {
	return fmt.Sprintf("%s/%s/(%s,%s)/%s", t.protocol, t.Name, r.State, r.Event, edit)
}

// notices lists insertions of the actions that notify a core of a lost line, which
// gem5's protocols name alike: where one is missing, rows of the same event and state
// may lack it as well.
func (t *table) notices(tr *types.Transition, add func(edit string)) {
	own, _ := t.names(tr)
	for _, a := range t.Actions {
		if !strings.Contains(a.Name, "forward_eviction") || slices.Contains(own, a.Name) {
			continue
		}
		for _, b := range own {
			if strings.Contains(strings.ToLower(b), "dealloc") {
				add("insert:" + a.Name + "@" + b)
			}
		}
		add("insert:" + a.Name)
	}
}

// leaving lists the insertions of a notice into all rows that leave a state at once: where it
// is missing in one of them alone, the others still show the failure. They count as one
// edit.
func (t *table) leaving(state string, add func(ids ...string)) {
	t.noticed(func(tr *types.Transition) bool {
		return t.state(tr.State) == state && tr.NextState >= 0 && tr.NextState != tr.State
	}, add)
}

// losing lists the insertion of a notice into all rows at which a line is lost without one.
func (t *table) losing(add func(ids ...string)) { t.noticed(t.loses, add) }

// noticed lists the likeliest insertion of a notice into each of some rows, all at once.
func (t *table) noticed(some func(*types.Transition) bool, add func(ids ...string)) {
	var ids []string
	for _, tr := range t.Transitions {
		best := ""
		if some(tr) {
			t.notices(tr, func(edit string) { best = cmp.Or(best, edit) })
		}
		if best != "" {
			ids = append(ids, t.id(t.row(tr), best))
		}
	}
	if len(ids) > 1 {
		add(ids...)
	}
}

// loses reports whether a row takes a line to a state in which it may not be read, out
// of one in which it may.
func (t *table) loses(tr *types.Transition) bool {
	readable := func(state int) bool { return slices.Contains(t.reading, t.State.Enums[state].Permission) }
	return tr.NextState >= 0 && readable(tr.State) && !readable(tr.NextState)
}

// reading are the access permissions with which a line may be read, by their ordinals.
func reading(p *types.Protocol) (list []int) {
	access := p.Type("AccessPermission")
	for _, name := range []string{"Read_Only", "Read_Write"} {
		if e := access.Enum(name); e != nil {
			list = append(list, e.Ordinal)
		}
	}
	return list
}

// idle reports whether an action is one that no repair inserts: it makes the message
// wait, takes one more off a queue, or only counts.
func idle(action string) bool { return idleWord(action) != "" }

// popWord is in the names of actions that take a message off its queue.
const popWord = "pop"

// idleWord is the word by which an action is idle; empty if it is not.
func idleWord(action string) string {
	lower := strings.ToLower(action)
	for _, word := range []string{"stall", "recycle", popWord, "profile", "observe"} {
		if strings.Contains(lower, word) {
			return word
		}
	}
	return ""
}

// before is where an action goes that stands before others in a sibling: before the
// first of them that the row has, else at the end.
func before(own, following []string) string {
	for _, a := range following {
		if slices.Contains(own, a) {
			return "@" + a
		}
	}
	return ""
}
