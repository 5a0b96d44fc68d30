package suite_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/parse/formats/axe"
)

// reduction is the trace of a random formula of 50 variables and 213 clauses,
// where formulas are hardest.
func reduction(b *testing.B, seed uint64) (trace []byte, ops int) {
	h := histgen.FromCNF(histgen.RandomCNF(rand.New(rand.NewPCG(seed, 4)), 50, 213), false)
	return traceOf(b, h), len(h.Ops)
}

// BenchmarkReduction measures 3-SAT reductions one by one.
func BenchmarkReduction(b *testing.B) {
	for seed := range uint64(3) {
		b.Run(fmt.Sprint("sc/50/213/", seed), func(b *testing.B) {
			trace, ops := reduction(b, seed)
			m := startMeter()
			for b.Loop() {
				whole(b, trace, model.SC, check.Unknown) // either
			}
			m.report(b, ops)
		})
	}
}

// BenchmarkReductions measures the 3-SAT reductions of 40 formulas, from text
// to verdict with checked evidence, each once an iteration. It reports for the
// satisfiable ones and the others the median and the maximum of the user CPU
// times of single formulas, each the least of all iterations.
func BenchmarkReductions(b *testing.B) {
	const formulas = 40
	var traces [formulas][]byte
	for seed := range traces {
		traces[seed], _ = reduction(b, uint64(seed))
	}
	var least [formulas]float64 // ms
	var answers [formulas]check.Answer
	for round := 0; b.Loop(); round++ {
		for i, trace := range traces {
			start := userTime()
			t, err := axe.NewReader(bytes.NewReader(trace), "bench").Next()
			if err != nil || t.Err != nil {
				b.Fatal(err, t.Err)
			}
			v, err := check.Check(context.Background(), t.History, model.SC, check.Options{})
			if err != nil || v.Answer == check.Unknown {
				b.Fatal(err, v.Reason)
			}
			end := userTime()
			if ms := float64(end.Nano()-start.Nano()) / 1e6; round == 0 || ms < least[i] {
				least[i] = ms
			}
			answers[i] = v.Answer
		}
	}
	for _, answer := range []check.Answer{check.Allowed, check.Forbidden} {
		var times []float64
		for i, ms := range least {
			if answers[i] == answer {
				times = append(times, ms)
			}
		}
		slices.Sort(times)
		b.ReportMetric(times[len(times)/2], fmt.Sprintf("%v-median-ms", answer))
		b.ReportMetric(times[len(times)-1], fmt.Sprintf("%v-max-ms", answer))
	}
}
