package witness

import (
	"io"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
)

// BenchmarkVerify checks and explains a refutation with case splits about a
// few operations hidden among a million.
func BenchmarkVerify(b *testing.B) {
	core, _ := histgen.SplitNeeded()
	h, at := histgen.Embed(rand.New(rand.NewPCG(1, 1)), core, model.SC, histgen.Params{Threads: 8, Ops: 1 << 20, Locations: 64})
	p := newProver(rand.New(rand.NewPCG(1, 2)), core, model.SC)
	ref := p.prove(true)
	rename := func(edges []Edge) {
		for i := range edges {
			e := &edges[i]
			for _, id := range []*int32{(*int32)(&e.From), (*int32)(&e.To), (*int32)(&e.Via)} {
				if *id >= 0 {
					*id = int32(at[*id])
				}
			}
		}
	}
	size := 0
	for i := range ref.Lemmas {
		e := []Edge{ref.Lemmas[i].Edge}
		rename(e)
		ref.Lemmas[i].Edge = e[0]
		rename(ref.Lemmas[i].Premise)
		size += len(ref.Lemmas[i].Premise)
	}
	var walk func(n *Node)
	walk = func(n *Node) {
		if n.leaf() {
			rename(n.Cycle)
			size += len(n.Cycle)
			return
		}
		n.From, n.To = at[n.From], at[n.To]
		walk(n.First)
		walk(n.Second)
	}
	walk(ref.Root)
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
