package gen_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/gen"
)

// large is a program of a million operations.
func large(b *testing.B) *gen.Program {
	o := gen.Defaults()
	o.Threads, o.Ops, o.Locations = 8, 125_000, 64
	p, err := gen.Random(rand.New(rand.NewPCG(1, 1)), o)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func perOp(b *testing.B, p *gen.Program) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Ops()), "ns/operation")
}

func BenchmarkRandom(b *testing.B) {
	var p *gen.Program
	for b.Loop() {
		p = large(b)
	}
	perOp(b, p)
}

func BenchmarkText(b *testing.B) {
	p := large(b)
	for b.Loop() {
		p.Text()
	}
	perOp(b, p)
}

func BenchmarkParse(b *testing.B) {
	p := large(b)
	text := p.Text()
	for b.Loop() {
		if _, err := gen.Parse("large", text); err != nil {
			b.Fatal(err)
		}
	}
	perOp(b, p)
}
