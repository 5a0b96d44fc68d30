package robust

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/serial/internal/seqgen"
)

// BenchmarkSearch searches an execution of SC of 100,000 events without a
// violation: every access is followed by a fence.
func BenchmarkSearch(b *testing.B) {
	s := seqgen.Locked(rand.New(rand.NewPCG(1, 0)), seqgen.Shape{
		Threads: 4, Variables: 16, Events: 100_000, Read: 50, End: 100,
	}, 16)
	for range b.N {
		if v, err := Search(b.Context(), s); err != nil || v != nil {
			b.Fatal(v, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(s.Events)), "ns/event")
}
