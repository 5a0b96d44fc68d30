package event

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// Latency is a distribution of delays: Base ticks and a jitter with a heavy
// tail. Half of all jitters are uniform below Jitter, a quarter below twice
// Jitter, and so on up to 2^tail times Jitter, so that the chance of a jitter
// beyond x falls off no faster than 1/x. Rare long delays make messages cross
// in ways that narrow distributions never show.
type Latency struct {
	Base   Tick // at least 1
	Jitter Tick // 0 means that every delay is Base
}

// tail bounds the number of times that the range of the jitter doubles.
const tail = 6

// MaxLatency bounds the fields of a Latency.
const MaxLatency Tick = 1 << 20

// Validate reports a field out of range.
func (l Latency) Validate() error {
	if l.Base < 1 || l.Base > MaxLatency {
		return fmt.Errorf("latency %d: want 1 to %d ticks", l.Base, MaxLatency)
	}
	if l.Jitter < 0 || l.Jitter > MaxLatency {
		return fmt.Errorf("jitter %d: want 0 to %d ticks", l.Jitter, MaxLatency)
	}
	return nil
}

// Draw returns the next delay, using one number of random.
func (l Latency) Draw(random *rand.PCG) Tick {
	if l.Jitter == 0 {
		return l.Base
	}
	u := random.Uint64()
	doublings := min(bits.TrailingZeros64(u), tail)
	// The multiplication uses the high bits, independent of the doublings.
	jitter, _ := bits.Mul64(u, uint64(l.Jitter)<<doublings)
	return l.Base + Tick(jitter)
}
