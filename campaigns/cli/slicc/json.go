package slicc

import "ordeal/sim/slicc/table"

// protocolTables is what table --json prints.
type protocolTables struct {
	Protocol string         `json:"protocol"`
	Machines []machineTable `json:"machines"`
}

type machineTable struct {
	Name        string       `json:"name"`
	States      []string     `json:"states"`
	Events      []string     `json:"events"`
	Transitions []transition `json:"transitions"`
}

// transition is a cell of a table. Next is empty where the state stays, * where it is
// computed.
type transition struct {
	State   string   `json:"state"`
	Event   string   `json:"event"`
	Actions []string `json:"actions"`
	Next    string   `json:"next,omitempty"`
	Stall   bool     `json:"stall,omitempty"`
	Place   string   `json:"place"` // FILE:LINE:COLUMN
}

func tableJSON(protocol string, tables []*table.Table) *protocolTables {
	out := &protocolTables{Protocol: protocol}
	for _, t := range tables {
		m := machineTable{Name: t.Machine, States: t.States, Events: t.Events, Transitions: []transition{}}
		for i, row := range t.Cells {
			for k, c := range row {
				if c != nil {
					m.Transitions = append(m.Transitions, transition{t.States[i], t.Events[k], append([]string{}, c.Names...), c.Next, c.Stall, c.Place})
				}
			}
		}
		out.Machines = append(out.Machines, m)
	}
	return out
}
