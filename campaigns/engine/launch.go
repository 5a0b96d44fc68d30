package engine

import (
	"context"
	"iter"

	"ordeal/campaigns/execute"
)

// launch is the runs that are made together.
type launch struct {
	config int
	// numbers are the runs that are to be made.
	numbers []int
	// batch is all runs of the launch, where they are several: numbers, or
	// those and runs that are recorded already.
	batch []int
}

// launches gives what is left to make, in the order of first runs. A batch is
// the same whatever was made before: runs n·k to n·k+n−1 of a configuration
// with batches of n, counted from 0 in the order of the schedule.
func (r *session) launches() iter.Seq[launch] {
	return func(yield func(launch) bool) {
		seen := make([]int, len(r.c.Configs)) // runs of the configuration so far
		for number, config := range r.schedule {
			size := r.c.Configs[config].Batch
			seen[config]++
			l := launch{config: config, numbers: []int{number}}
			if size > 1 {
				if (seen[config]-1)%size != 0 {
					continue
				}
				l.batch = r.ahead(number, size)
				l.numbers = l.batch
			}
			if l.numbers = r.missing(l.numbers); len(l.numbers) > 0 && !yield(l) {
				return
			}
		}
	}
}

// ahead lists at most n runs of the configuration of a run: it and the ones
// that follow it.
func (r *session) ahead(number, n int) []int {
	var list []int
	for other := number; other < len(r.schedule) && len(list) < n; other++ {
		if r.schedule[other] == r.schedule[number] {
			list = append(list, other)
		}
	}
	return list
}

// missing lists those of the numbers whose runs have not ended.
func (r *session) missing(numbers []int) []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []int
	for _, n := range numbers {
		if !r.done[n] && r.waiting[n] == nil {
			list = append(list, n)
		}
	}
	return list
}

// launch makes the runs of a launch: in one go, where the simulator can.
func (r *session) launch(ctx context.Context, l launch) error {
	runner, ok := r.runners[l.config].(execute.BatchRunner)
	if ok && len(l.batch) > 1 && len(l.numbers) == len(l.batch) {
		return r.runBatch(ctx, runner, l.numbers, l.config)
	}
	if !ok || len(l.batch) == 1 {
		l.batch = nil
	}
	for _, number := range l.numbers {
		if err := r.runOne(ctx, number, l.config, l.batch); err != nil {
			return err
		}
	}
	return nil
}
