// Package table lays out the transitions of a checked protocol as papers do:
// types.Machine in, a table with a row for each state and a column for each event
// out, as text or as a page of HTML.
package table

import (
	"strings"

	"ordeal/sim/slicc/types"
)

// Table is the transitions of one machine.
type Table struct {
	Machine string
	States  []string
	Events  []string
	// Cells has what each state does with each event, by their indices; nil is
	// an invalid transition.
	Cells [][]*Cell
	// Handled is how many cells are not nil.
	Handled int
	_       struct{}
}

// Cell is one transition.
type Cell struct {
	Actions []string // their short names
	Names   []string // their names
	Next    string   // the next state; empty if it stays, "*" if it is computed
	Stall   bool
	Place   string // file:line:col of the declaration
	_       struct{}
}

// Of is the table of a machine.
func Of(m *types.Machine) *Table {
	t := &Table{Machine: m.Name, States: m.State.EnumNames(), Events: m.Event.EnumNames()}
	t.Cells = make([][]*Cell, len(t.States))
	for i := range t.Cells {
		t.Cells[i] = make([]*Cell, len(t.Events))
	}
	for _, row := range m.Transitions {
		c := &Cell{Stall: row.Stall, Place: row.Decl.Pos.String()}
		for _, a := range row.Actions {
			c.Actions, c.Names = append(c.Actions, a.Short), append(c.Names, a.Name)
		}
		switch {
		case row.Next == types.Wildcard:
			c.Next = "*"
		case row.Next == types.GoTo && row.NextState != row.State:
			c.Next = t.States[row.NextState]
		}
		t.Cells[row.State][row.Event] = c
		t.Handled++
	}
	return t
}

// Unhandled is the events for which a state has no transition.
type Unhandled struct {
	State  string   `json:"state"`
	Events []string `json:"events"`
}

// Unhandled lists the states that do not have a transition for each event.
func (t *Table) Unhandled() []Unhandled {
	list := []Unhandled{}
	for i, row := range t.Cells {
		var events []string
		for k, c := range row {
			if c == nil {
				events = append(events, t.Events[k])
			}
		}
		if len(events) > 0 {
			list = append(list, Unhandled{t.States[i], events})
		}
	}
	return list
}

// String is what a cell says in a table: the actions and the next state.
func (c *Cell) String() string {
	switch {
	case c == nil:
		return ""
	case c.Stall:
		return "stall"
	}
	text := strings.Join(c.Actions, " ")
	if c.Next != "" {
		text = strings.TrimSpace(text + " /" + c.Next)
	}
	if text == "" {
		return "-"
	}
	return text
}
