package sim

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Transition is a row of the table of a coherence protocol, and how often runs
// took it; stalls count.
type Transition struct {
	Machine string `json:"machine"`
	State   string `json:"state"`
	Event   string `json:"event"`
	Count   uint64 `json:"count"`
	// Unreachable says why no run takes the transition; empty for those that
	// can be taken as far as anybody knows.
	Unreachable string `json:"unreachable,omitempty"`
}

// row tells whether two transitions are of one row.
func (t *Transition) row(u *Transition) bool {
	return t.Machine == u.Machine && t.State == u.State && t.Event == u.Event
}

// Coverage lists transitions machine by machine, those never taken among them
// where the simulator knows the whole table.
type Coverage []Transition

// Taken counts the transitions that were taken.
func (c Coverage) Taken() int {
	n := 0
	for i := range c {
		if c[i].Count > 0 {
			n++
		}
	}
	return n
}

// Whole tells whether the list is known to be the whole table, and not only
// what was taken: whether anything in it was not.
func (c Coverage) Whole() bool { return c.Taken() < len(c) }

// Reachable counts the transitions that are not known to be unreachable.
func (c Coverage) Reachable() int {
	n := 0
	for i := range c {
		if c[i].Unreachable == "" {
			n++
		}
	}
	return n
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

// find is the index of a transition, likely is; -1 if there is none.
func (c *Coverage) find(t *Transition, likely int) int {
	if likely < len(*c) && (*c)[likely].row(t) {
		return likely
	}
	for i := range *c {
		if (*c)[i].row(t) {
			return i
		}
	}
	return -1
}

// Machines splits the list by machine, in order.
func (c Coverage) Machines() []Coverage {
	var list []Coverage
	from := 0
	for i := range c {
		if i+1 == len(c) || c[i+1].Machine != c[i].Machine {
			list = append(list, c[from:i+1])
			from = i + 1
		}
	}
	return list
}

// WriteTo writes a line for each machine, one for each of its states in which
// transitions are missing, and one for each transition that was taken though
// it is called unreachable. Of what may not be the whole table, it only counts
// what was taken.
func (c Coverage) WriteTo(w io.Writer) (int64, error) {
	var total int64
	line := func(format string, args ...any) error {
		n, err := fmt.Fprintf(w, format+"\n", args...)
		total += int64(n)
		return err
	}
	for _, m := range c.Machines() {
		if !c.Whole() {
			if err := line("%-10s %d transitions taken", m[0].Machine, m.Taken()); err != nil {
				return total, err
			}
			continue
		}
		err := line("%-10s %d of %d transitions taken, %s", m[0].Machine, m.Taken(), len(m), m.share())
		var events []string
		missing := m.Missing()
		for i, t := range missing {
			events = append(events, t.Event)
			if i+1 == len(missing) || missing[i+1].State != t.State {
				err = errors.Join(err, line("%-10s never in %s: %s", "", t.State, strings.Join(events, ", ")))
				events = nil
			}
		}
		for _, t := range m {
			if t.Count > 0 && t.Unreachable != "" {
				err = errors.Join(err, line("%-10s (%s, %s) taken %d times, though %s", "", t.State, t.Event, t.Count, t.Unreachable))
			}
		}
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// share is the share of the reachable transitions that were taken.
func (c Coverage) share() string {
	reachable := c.Reachable()
	if reachable == 0 {
		return "none of them reachable"
	}
	taken := reachable - len(c.Missing())
	return fmt.Sprintf("%.1f %% of the reachable", 100*float64(taken)/float64(reachable))
}
