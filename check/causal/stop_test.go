package causal_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"ordeal/check/causal"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/witness"
)

// countdown is a context that is done when it has been asked so often.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestStops ends the decision at each place where it looks at its context: then there is no verdict. It looks
// at it every so many operations, as what each costs grows with the threads.
func TestStops(t *testing.T) {
	const threads = 60
	rng := rand.New(rand.NewPCG(23, 0))
	h := histgen.Mutate(rng, histgen.Machine(rng, model.SC, histgen.Params{Threads: threads, Ops: 30 * threads, Locations: 40}), 0)
	for _, m := range models {
		asked := 0
		for stride := 1; ; asked += stride {
			var v witness.Verdict
			err := causal.Decide(&countdown{t.Context(), asked}, h, m, &v)
			if err == nil {
				if v.Answer == witness.Unknown {
					t.Errorf("%s: no answer", m.Name)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || v.Answer != witness.Unknown || v.Refutation != nil {
				t.Fatalf("%s, ended at the %d. look: %v, %v", m.Name, asked, v.Answer, err)
			}
			stride = 1 + asked/2 // a decision has hundreds of them
		}
		if accesses := len(h.Ops); asked < accesses/128 {
			t.Errorf("%s: %d looks at the context for %d operations of %d threads", m.Name, asked, accesses, threads)
		}
	}
}
