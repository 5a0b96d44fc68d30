package witness

import (
	"io"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/parse"
)

// BenchmarkVerify checks and explains a refutation with case splits about a
// few operations hidden among a million.
func BenchmarkVerify(b *testing.B) {
	core, _ := histgen.SplitNeeded()
	h, at := histgen.Embed(rand.New(rand.NewPCG(1, 1)), core, model.SC, histgen.Params{Threads: 8, Ops: 1 << 20, Locations: 64})
	p := newProver(rand.New(rand.NewPCG(1, 2)), core, model.SC)
	ref := p.prove(true)
	size := -len(ref.Lemmas)
	for e := range ref.Edges() {
		for _, id := range []*parse.OpID{&e.From, &e.To, &e.Via} {
			if *id >= 0 {
				*id = at[*id]
			}
		}
		size++
	}
	for n := range ref.Nodes() {
		if !n.leaf() {
			n.From, n.To = at[n.From], at[n.To]
		}
	}
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if err := Verify(h, model.SC, ref); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/edge")
	})
	b.Run("restrict", func(b *testing.B) {
		for b.Loop() {
			Restrict(h, ref)
		}
	})
	b.Run("explain", func(b *testing.B) {
		for b.Loop() {
			if err := Explain(io.Discard, h, model.SC, ref); err != nil {
				b.Fatal(err)
			}
		}
	})
}
