package sim

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Row names a row of the transition table of a coherence protocol: what a
// controller of type Machine does in a state on an event. Where a Row stands for
// several rows, an empty field stands for any value.
type Row struct {
	Machine string `json:"machine"`
	State   string `json:"state"`
	Event   string `json:"event"`
}

// Transition is a row and how often runs took it. Count counts executions, as
// gem5 does; Stalls counts the messages that the row put off. Real gem5 does not
// count stalls.
type Transition struct {
	Row
	Count  uint64 `json:"count"`
	Stalls uint64 `json:"stalls,omitempty"`
	// Runs is how many runs took it, in a sum that Add made; 0 of one run.
	Runs int `json:"-"`
}

// Taken reports whether the event occurred in the state: the row was executed or
// put a message off. A row whose only action is a stall is part of the protocol and
// is never executed: without stalls, no test could cover the whole table.
func (t *Transition) Taken() bool { return t.Count > 0 || t.Stalls > 0 }

// Coverage lists transitions by machine, including those never taken if the
// simulator knows the whole table.
type Coverage []Transition

// Taken counts the transitions that were taken.
func (c Coverage) Taken() int {
	n := 0
	for i := range c {
		if c[i].Taken() {
			n++
		}
	}
	return n
}

// Whole reports whether the list is known to be the whole table: whether it has
// transitions that were not taken.
func (c Coverage) Whole() bool { return c.Taken() < len(c) }

// Share is the part of the list that was taken.
func (c Coverage) Share() float64 { return float64(c.Taken()) / float64(max(len(c), 1)) }

// Missing lists the transitions that were never taken.
func (c Coverage) Missing() []Transition {
	var list []Transition
	for _, t := range c {
		if !t.Taken() {
			list = append(list, t)
		}
	}
	return list
}

// Add adds the counts of other runs and reports how many of the transitions
// that they took were new.
func (c *Coverage) Add(other Coverage) (fresh int) {
	if len(*c) == 0 {
		*c = make(Coverage, 0, len(other))
	}
	for i := range other {
		t := &other[i]
		at := c.find(t, i)
		if at < 0 {
			at = len(*c)
			*c = append(*c, Transition{Row: t.Row})
		}
		mine := &(*c)[at]
		if t.Taken() {
			if !mine.Taken() {
				fresh++
			}
			mine.Runs += max(t.Runs, 1)
		}
		mine.Count += t.Count
		mine.Stalls += t.Stalls
	}
	return fresh
}

// find is the index of a transition, which is often likely; -1 if there is none.
func (c *Coverage) find(t *Transition, likely int) int {
	if likely < len(*c) && (*c)[likely].Row == t.Row {
		return likely
	}
	return slices.IndexFunc(*c, func(u Transition) bool { return u.Row == t.Row })
}

// Has reports whether a transition is in the list.
func (c Coverage) Has(t *Transition) bool { return c.find(t, 0) >= 0 }

// Machines splits the list by machine, in order.
func (c Coverage) Machines() []Coverage {
	var list []Coverage
	for from, i := 0, 0; i < len(c); i++ {
		if i+1 == len(c) || c[i+1].Machine != c[i].Machine {
			list = append(list, c[from:i+1])
			from = i + 1
		}
	}
	return list
}

// WriteTo writes a line for each machine, and one for each of its states with
// missing transitions. If the list may not be the whole table, it only counts
// what was taken.
func (c Coverage) WriteTo(w io.Writer) (int64, error) {
	var out bytes.Buffer
	for _, m := range c.Machines() {
		if !c.Whole() {
			fmt.Fprintf(&out, "%-10s %d transitions taken\n", m[0].Machine, m.Taken())
			continue
		}
		fmt.Fprintf(&out, "%-10s %d of %d transitions taken, %.1f %%\n", m[0].Machine, m.Taken(), len(m), 100*m.Share())
		writeRows(&out, "never in", m.Missing())
	}
	return out.WriteTo(w)
}

// WriteTaken writes a line for each state of a machine with transitions that were taken.
func (c Coverage) WriteTaken(w io.Writer) (int64, error) {
	var out bytes.Buffer
	for _, m := range c.Machines() {
		fmt.Fprintf(&out, "%s\n", m[0].Machine)
		writeRows(&out, "reached in", slices.DeleteFunc(slices.Clone(m), func(t Transition) bool { return !t.Taken() }))
	}
	return out.WriteTo(w)
}

// writeRows writes a line for each state of some transitions, which lists its events.
func writeRows(w io.Writer, what string, list []Transition) {
	var events []string
	for i, t := range list {
		events = append(events, t.Event)
		if i+1 == len(list) || list[i+1].State != t.State {
			fmt.Fprintf(w, "%-10s %s %s: %s\n", "", what, t.State, strings.Join(events, ", "))
			events = nil
		}
	}
}
