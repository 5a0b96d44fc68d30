package wire

import (
	"slices"

	"ordeal/gen"
)

// An item is gem5's pseudo-instruction work_begin, by which an executable reports
// values where gem5 prints no debug lines: with System.exit_on_work_items gem5
// returns 32 bits of its first argument to the script. The lower ItemBits are a
// part of a value, the upper ones the thread, or ItemFinal for final values. The
// parts of a value follow each other, the least significant one first, and the
// values of a thread as in a frame of kind Thread; final values as with sums.
const (
	ItemBits  = 25
	ItemFinal = gen.MaxThreads
)

// ItemsOf is how many items report a value of a batch of programs: without
// additions, values stay below gen.AddUnit.
func ItemsOf(programs []*gen.Program) int {
	adds := func(op gen.Op) bool { return op.Kind == gen.FetchAdd }
	for _, p := range programs {
		for _, ops := range p.Threads {
			if slices.ContainsFunc(ops, adds) {
				return 3
			}
		}
	}
	return 2
}
