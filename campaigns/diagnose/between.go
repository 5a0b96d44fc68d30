package diagnose

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ordeal/sim"
)

// Between are the rows that controllers took of a line from a write on until the first
// access that finds an older value: those nearest to where the writer gave the line up
// first, each once. There are none where no access finds an older value.
func Between(ctx context.Context, observer Observer, job sim.Job) ([]sim.Row, error) {
	r := newRecord(job.Program, nil)
	if _, err := observer.Observe(ctx, job, r.step, r.access); err != nil {
		return nil, fmt.Errorf("rows of a violation: %w", err)
	}
	if r.full() {
		return nil, nil
	}
	read, last := r.firstStale()
	if read == nil {
		return nil, nil
	}
	return r.between(r.accesses[last[read.Loc]].step, read.step), nil
}

// between are the rows of the line of step end from step start on.
func (r *record) between(start, end int) []sim.Row {
	near := r.given(start, end)
	if near < 0 {
		near = end
	}
	var steps []int
	for i := max(start, 0); i <= end; i++ {
		if r.steps[i].Line == r.steps[end].Line {
			steps = append(steps, i)
		}
	}
	distance := func(i int) int { return max(i-near, near-i) }
	slices.SortStableFunc(steps, func(i, j int) int { return cmp.Compare(distance(i), distance(j)) })
	var rows []sim.Row
	for _, i := range steps {
		s := &r.steps[i]
		if at := (sim.Row{Machine: s.Machine, State: s.State, Event: s.Event}); !slices.Contains(rows, at) {
			rows = append(rows, at)
		}
	}
	return rows
}
