package certificate_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/check/witness/certificate"
	"ordeal/parse"
)

// BenchmarkVerify reads and checks certificates; MB/s is about their bytes:
// the same for orders of any length, less for refutations of larger unsatisfiable
// 3-SAT formulas, whose leaves stand in many places of the tree.
func BenchmarkVerify(b *testing.B) {
	run := func(name string, m model.Model, h *parse.History) {
		b.Run(name, func(b *testing.B) {
			v, err := check.Check(b.Context(), h, m, check.Options{})
			if err != nil {
				b.Fatal(err)
			}
			data, err := json.Marshal(certificate.New("h", h, []witness.Verdict{v}))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				c := new(certificate.Trace)
				if err := json.Unmarshal(data, c); err != nil {
					b.Fatal(err)
				}
				if r, err := c.Verify(h); err != nil || !r[0].Proved {
					b.Fatal(r, err)
				}
			}
		})
	}
	for _, ops := range []int{10_000, 100_000, 1_000_000} {
		p := histgen.Params{Threads: 8, Ops: ops, Locations: 16}
		run(fmt.Sprintf("order/%d", ops), model.TSO, histgen.Machine(rand.New(rand.NewPCG(1, 1)), model.TSO, p).History)
	}
	for _, n := range []int{10, 20, 30} {
		run(fmt.Sprintf("refutation/%d", n), model.SC, histgen.FromCNF(histgen.RandomCNF(rand.New(rand.NewPCG(3, 3)), n, 6*n), false))
	}
}
