package procedures_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/procedures/frontier"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// BenchmarkBlocks searches histories that SC forbids, of pairs of threads and
// one thread that all pairs share: with the communication graph in blocks, and
// as a whole.
func BenchmarkBlocks(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 7))
	part := func(m model.Model, want witness.Answer) *parse.History {
		for {
			h := histgen.Machine(rng, m, histgen.Params{Threads: 3, Ops: 40, Locations: 2}).History
			if v, err := frontier.DBCOP.Run(b.Context(), h, model.SC, search.Limits{}); err == nil && v.Answer == want && v.Stats.Backtracks > 100 {
				return h
			}
		}
	}
	parts := []*parse.History{part(model.TSO, witness.Forbidden)}
	for pairs := 1; pairs <= 3; pairs++ {
		h := atThread(rng, parts...)
		parts = append(parts, part(model.SC, witness.Allowed))
		for _, p := range []search.Procedure{frontier.DBCOP, frontier.Plain} {
			if pairs > 2 && p.Name == frontier.Plain.Name {
				continue // minutes
			}
			b.Run(fmt.Sprintf("pairs=%d/%s", pairs, p.Name), func(b *testing.B) {
				for range b.N {
					v, err := p.Run(b.Context(), h, model.SC, search.Limits{})
					if err != nil || v.Answer != witness.Forbidden {
						b.Fatal(v.Answer, err)
					}
					b.ReportMetric(float64(v.Stats.Backtracks), "frontiers")
				}
			})
		}
	}
}
