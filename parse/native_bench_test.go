package parse_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/gen"
	"ordeal/parse"
)

// BenchmarkNative decodes logs of 4 threads × 1,000 operations; the larger
// one is of four million operations.
func BenchmarkNative(b *testing.B) {
	for _, c := range []struct {
		name   string
		rounds int
		mix    gen.Mix
	}{
		{"100k", 25, gen.Defaults().Mix},
		{"4M", 1000, gen.Defaults().Mix},
		{"1M-adds", 250, gen.Mix{Load: 1, Add: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			o := gen.Defaults()
			o.Ops, o.Mix, o.Locations = 1000, c.mix, 16
			p, err := gen.Random(rng, o)
			if err != nil {
				b.Fatal(err)
			}
			r := interleave(rng, p, c.rounds)
			r.order, r.readsFrom = nil, nil
			log := r.log()
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parse.Native(p, c.rounds, log); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(r.steps), "ns/operation")
		})
	}
}
