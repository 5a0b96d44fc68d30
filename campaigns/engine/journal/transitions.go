package journal

import (
	"fmt"
	"slices"

	"ordeal/sim"
)

// transitions holds, for each configuration, the transitions that its lines
// have listed so far, in order, so that a line can refer to them by index.
type transitions map[string]*transitionTable

// transitionTable is the table of one configuration.
type transitionTable struct {
	list  sim.Coverage // counts are zero
	taken []bool       // by any run that counts: not of outcome infra
	index map[sim.Row]int
	rows  []int        // index of what was row i of a coverage at last
	spare sim.Coverage // list with the counts of the last line
}

// of is the table of a configuration.
func (t transitions) of(config string) *transitionTable {
	if t[config] == nil {
		t[config] = &transitionTable{index: make(map[sim.Row]int)}
	}
	return t[config]
}

func (t *transitionTable) add(rows sim.Coverage) {
	for i := range rows {
		row := rows[i]
		row.Count, row.Stalls = 0, 0
		t.index[row.Row] = len(t.list)
		t.list, t.taken = append(t.list, row), append(t.taken, false)
	}
}

// at is the index of row i of a coverage, which is added if no earlier line lists it:
// most often that of row i before, since a simulator lists its table in one order.
func (t *transitionTable) at(c sim.Coverage, i int) int {
	key := c[i].Row
	if i < len(t.rows) && t.list[t.rows[i]].Row == key {
		return t.rows[i]
	}
	at, ok := t.index[key]
	if !ok {
		at = len(t.list)
		t.add(c[i : i+1])
	}
	if i < len(t.rows) {
		t.rows[i] = at
	} else {
		t.rows = append(t.rows, at)
	}
	return at
}

// take marks the transitions that a run took and returns how many no earlier
// run took.
func (t *transitionTable) take(e *Entry) int {
	fresh := 0
	for _, numbers := range [][]uint64{e.Counts, e.Stalls} {
		for i, n := range numbers {
			if n > 0 && !t.taken[i] {
				t.taken[i] = true
				fresh++
			}
		}
	}
	return fresh
}

// withoutZeros is a list without its trailing zeros.
func withoutZeros(list []uint64) []uint64 {
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return list
}

// encode sets Known, New, Counts and Stalls of e from its coverage, and how many of the
// transitions are new.
func (t transitions) encode(e *Entry) {
	e.Known, e.New, e.Counts, e.Stalls = 0, nil, nil, nil
	if len(e.Coverage) == 0 {
		return
	}
	table := t.of(e.ConfigName)
	e.Known = len(table.list)
	e.Counts = make([]uint64, e.Known, e.Known+len(e.Coverage))
	e.Stalls = slices.Clone(e.Counts)
	for i := range e.Coverage {
		at := table.at(e.Coverage, i)
		if at == len(e.Counts) {
			e.New, e.Counts, e.Stalls = append(e.New, table.list[at]), append(e.Counts, 0), append(e.Stalls, 0)
		}
		e.Counts[at] += e.Coverage[i].Count
		e.Stalls[at] += e.Coverage[i].Stalls
	}
	e.Counts, e.Stalls = withoutZeros(e.Counts), withoutZeros(e.Stalls)
	if e.Covered != nil {
		e.Covered.New = table.take(e)
	}
}

// decode sets the coverage of e from what encode set. It shares the memory of the
// last line's coverage if that is not used any more.
func (t transitions) decode(e *Entry, share bool) error {
	table := t.of(e.ConfigName)
	if n := len(table.list); e.Known > 0 && e.Known != n {
		return fmt.Errorf("earlier lines of %s list %d transitions, not %d: one is lost", e.ConfigName, n, e.Known)
	}
	table.add(e.New)
	if n := max(len(e.Counts), len(e.Stalls)); n > len(table.list) {
		return fmt.Errorf("%d counts of %d transitions", n, len(table.list))
	}
	if len(e.Counts) == 0 && len(e.Stalls) == 0 && len(e.New) == 0 {
		return nil
	}
	if e.Covered != nil {
		table.take(e)
	}
	if share {
		table.spare = append(table.spare, table.list[len(table.spare):]...)
		e.Coverage = table.spare
	} else {
		e.Coverage = slices.Clone(table.list)
	}
	for i := range e.Coverage {
		e.Coverage[i].Count, e.Coverage[i].Stalls = 0, 0
	}
	for i, n := range e.Counts {
		e.Coverage[i].Count = n
	}
	for i, n := range e.Stalls {
		e.Coverage[i].Stalls = n
	}
	return nil
}
