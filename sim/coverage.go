package sim

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Transition is a row of the table of a coherence protocol, and how often runs
// took it, stalls included.
type Transition struct {
	Machine string `json:"machine"`
	State   string `json:"state"`
	Event   string `json:"event"`
	Count   uint64 `json:"count"`
	// Unreachable is why no run takes the transition; empty where that is not
	// known.
	Unreachable string `json:"unreachable,omitempty"`
}

// row reports whether two transitions are of the same row.
func (t *Transition) row(u *Transition) bool {
	return t.Machine == u.Machine && t.State == u.State && t.Event == u.Event
}

// Coverage lists transitions by machine, including those never taken if the
// simulator knows the whole table.
type Coverage []Transition

// Taken counts the transitions that were taken.
func (c Coverage) Taken() int {
	return c.count(func(t *Transition) bool { return t.Count > 0 })
}

func (c Coverage) count(of func(*Transition) bool) (n int) {
	for i := range c {
		if of(&c[i]) {
			n++
		}
	}
	return n
}

// Whole reports whether the list is known to be the whole table: whether it has
// transitions that were not taken.
func (c Coverage) Whole() bool { return c.Taken() < len(c) }

// Reachable counts the transitions that are not known to be unreachable.
func (c Coverage) Reachable() int {
	return c.count(func(t *Transition) bool { return t.Unreachable == "" })
}

// Missing lists the transitions that are reachable and were never taken.
func (c Coverage) Missing() []Transition {
	var list []Transition
	for _, t := range c {
		if t.Count == 0 && t.Unreachable == "" {
			list = append(list, t)
		}
	}
	return list
}

// Add adds the counts of other runs and reports how many of the transitions
// that they took were new.
func (c *Coverage) Add(other Coverage) (fresh int) {
	for i := range other {
		t := &other[i]
		at := c.find(t, i)
		if at < 0 {
			at = len(*c)
			*c = append(*c, Transition{t.Machine, t.State, t.Event, 0, t.Unreachable})
		}
		mine := &(*c)[at]
		if mine.Count == 0 && t.Count > 0 {
			fresh++
		}
		mine.Count += t.Count
	}
	return fresh
}

// find is the index of a transition, which is often likely; -1 if there is none.
func (c *Coverage) find(t *Transition, likely int) int {
	if likely < len(*c) && (*c)[likely].row(t) {
		return likely
	}
	return slices.IndexFunc(*c, func(u Transition) bool { return u.row(t) })
}

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

// WriteTo writes a line for each machine, one for each of its states with
// missing transitions, and one for each transition that was taken although it
// is called unreachable. If the list may not be the whole table, it only counts
// what was taken.
func (c Coverage) WriteTo(w io.Writer) (int64, error) {
	var out bytes.Buffer
	for _, m := range c.Machines() {
		if !c.Whole() {
			fmt.Fprintf(&out, "%-10s %d transitions taken\n", m[0].Machine, m.Taken())
			continue
		}
		fmt.Fprintf(&out, "%-10s %d of %d transitions taken, %s\n", m[0].Machine, m.Taken(), len(m), m.share())
		var events []string
		missing := m.Missing()
		for i, t := range missing {
			events = append(events, t.Event)
			if i+1 == len(missing) || missing[i+1].State != t.State {
				fmt.Fprintf(&out, "%-10s never in %s: %s\n", "", t.State, strings.Join(events, ", "))
				events = nil
			}
		}
		for _, t := range m {
			if t.Count > 0 && t.Unreachable != "" {
				fmt.Fprintf(&out, "%-10s (%s, %s) taken %d times, though %s\n", "", t.State, t.Event, t.Count, t.Unreachable)
			}
		}
	}
	return out.WriteTo(w)
}

// share is the part of the reachable transitions that were taken.
func (c Coverage) share() string {
	reachable := c.Reachable()
	if reachable == 0 {
		return "none of them reachable"
	}
	taken := reachable - len(c.Missing())
	return fmt.Sprintf("%.1f %% of the reachable", 100*float64(taken)/float64(reachable))
}
