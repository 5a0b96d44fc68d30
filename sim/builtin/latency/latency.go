// Package latency draws how long things take in the embedded simulator:
// mostly about as long as always, now and then much longer.
package latency

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"ordeal/sim/builtin/event"
)

// Model is a distribution of delays: Base ticks and a jitter with a heavy
// tail. Half of all jitters are uniform below Jitter, a quarter below twice
// Jitter, and so on up to 2^tail times Jitter, so that the chance of a jitter
// beyond x falls off no faster than 1/x. Rare long delays are what makes
// messages cross in ways that narrow distributions never show.
type Model struct {
	Base   event.Tick // at least 1
	Jitter event.Tick // 0 means that every delay is Base
}

// tail bounds the number of times that the range of the jitter doubles.
const tail = 6

// MaxTicks bounds the fields of a Model.
const MaxTicks event.Tick = 1 << 20

// Validate reports a field out of range.
func (m Model) Validate() error {
	if m.Base < 1 || m.Base > MaxTicks {
		return fmt.Errorf("latency %d: want 1 to %d ticks", m.Base, MaxTicks)
	}
	if m.Jitter < 0 || m.Jitter > MaxTicks {
		return fmt.Errorf("jitter %d: want 0 to %d ticks", m.Jitter, MaxTicks)
	}
	return nil
}

// Draw returns the next delay: one number of random.
func (m Model) Draw(random *rand.PCG) event.Tick {
	if m.Jitter == 0 {
		return m.Base
	}
	u := random.Uint64()
	doublings := min(bits.TrailingZeros64(u), tail)
	// The multiplication uses the high bits, which the doublings leave alone.
	jitter, _ := bits.Mul64(u, uint64(m.Jitter)<<doublings)
	return m.Base + event.Tick(jitter)
}
