package wire

import "ordeal/gen"

// A sum is gem5's pseudo-instruction m5_sum, by which an executable reports
// values from registers instead of writing frames: six 64-bit arguments, of
// which the first is a header and the others are up to SumValues values. The
// header has the thread in its upper 8 bits, and below them the number of the
// sum among those of this thread, from 0.
//
// A thread reports the values of each round by SumsOf sums, in order, when it has
// completed the round or, in rounds of many reads, a part of it; the last has as
// many values as are left, and nothing of meaning after them. At the end of each
// program the pseudo-thread SumFinal reports the final values, one by each sum,
// FinalSums of them.
const (
	SumValues      = 5
	SumThreadShift = 56
	SumFinal       = 0xff
)

// SumsOf is how many sums report that many values of a round.
func SumsOf(reads int) int { return (reads + SumValues - 1) / SumValues }

// FinalGroup is how many locations lie next to each other in a layout, groups
// being at equal distances.
func FinalGroup(layout gen.Layout) int {
	if layout == gen.Pairs {
		return 2
	}
	return 1
}

// FinalSums is how many sums report the final values of p: one for each
// location and, where they lie in groups, for what completes the last group.
func FinalSums(p *gen.Program) int {
	group := FinalGroup(p.Layout)
	return (len(p.Locations) + group - 1) / group * group
}
