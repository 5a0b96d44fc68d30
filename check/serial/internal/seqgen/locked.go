package seqgen

import (
	"math/rand/v2"

	"ordeal/parse/formats/events"
)

// Locked makes a trace whose transactions take locks: each holds the variables
// that it has accessed until it ends, with a fence. Transactions of a thread
// may overlap those of others that access other variables. It is serializable,
// and has no open conflicts but those that the variables from private on bring
// in, which transactions of one event each access without locks and fences.
func Locked(rng *rand.Rand, o Shape, private int) *events.Sequence {
	b := events.NewBuilder(false, Names("P", o.Threads), Names("x", o.Variables))
	holder := make([]int, o.Variables) // thread + 1
	inside := make([]bool, o.Threads)
	n := 0
	end := func(t int) {
		must(b.Add(t, events.Fence, -1))
		must(b.End(t))
		inside[t] = false
		n++
		for x := range holder {
			if holder[x] == t+1 {
				holder[x] = 0
			}
		}
	}
	for n < o.Events {
		t := rng.IntN(o.Threads)
		if inside[t] && rng.IntN(100) < o.End {
			end(t)
			continue
		}
		x := rng.IntN(o.Variables)
		if x >= private && inside[t] || holder[x] != 0 && holder[x] != t+1 {
			continue
		}
		kind := events.Write
		if rng.IntN(100) < o.Read {
			kind = events.Read
		}
		if x < private {
			if !inside[t] {
				must(b.Begin(t))
				inside[t] = true
			}
			holder[x] = t + 1
		}
		must(b.Add(t, kind, x))
		n++
	}
	return b.Sequence()
}
