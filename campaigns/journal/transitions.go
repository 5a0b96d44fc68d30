package journal

import (
	"fmt"

	"ordeal/sim"
)

// tables holds, for each configuration, the transitions that its journal has
// named so far, in order, so that a line can name them by their place. Counts
// are those of all lines.
type TransitionTables map[string]sim.Coverage

// row names a transition.
type row struct{ machine, state, event string }

// encode gives what a line says of the coverage of a run: the transitions that
// no earlier line named, and counts of all in the order of being named, zeros
// at the end left out.
func (t TransitionTables) EncodeCoverage(config string, c sim.Coverage) (fresh sim.Coverage, counts []uint64) {
	if len(c) == 0 {
		return nil, nil
	}
	place := make(map[row]int, len(t[config]))
	for i, x := range t[config] {
		place[row{x.Machine, x.State, x.Event}] = i
	}
	counts = make([]uint64, len(place), len(place)+len(c))
	for _, x := range c {
		i, ok := place[row{x.Machine, x.State, x.Event}]
		if !ok {
			i = len(counts)
			counts = append(counts, 0)
			y := x
			y.Count = 0
			fresh = append(fresh, y)
		}
		counts[i] += x.Count
	}
	for len(counts) > 0 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	t[config] = append(t[config], fresh...)
	return fresh, counts
}

// decode is the coverage that encode was given, in the order of the table.
func (t TransitionTables) DecodeCoverage(config string, fresh sim.Coverage, counts []uint64) (sim.Coverage, error) {
	t[config] = append(t[config], fresh...)
	if len(counts) > len(t[config]) {
		return nil, fmt.Errorf("%d counts of %d transitions", len(counts), len(t[config]))
	}
	if len(counts) == 0 && len(fresh) == 0 {
		return nil, nil
	}
	c := make(sim.Coverage, len(t[config]))
	copy(c, t[config])
	for i, n := range counts {
		c[i].Count = n
	}
	return c, nil
}
