package trace

import (
	"context"
	"math/rand/v2"
	"testing"

	"ordeal/check/serial/internal/seqgen"
	"ordeal/parse/formats/events"
)

// chain makes a trace without fences whose transactions write a variable of
// their thread and read one of the next thread. All of it is one cluster with
// open conflicts everywhere, and serializable, as no thread reads the first
// thread's variables and the last thread reads none.
func chain(o seqgen.Shape) *events.Sequence {
	rng := rand.New(rand.NewPCG(1, 0))
	b := events.NewBuilder(false, seqgen.Names("P", o.Threads), seqgen.Names("x", o.Variables))
	own := o.Variables / o.Threads
	for range o.Events / 2 {
		t := rng.IntN(o.Threads)
		// The calls cannot fail: transactions follow each other.
		_ = b.Begin(t)
		_ = b.Add(t, events.Write, t*own+rng.IntN(own))
		if t+1 < o.Threads {
			_ = b.Add(t, events.Read, (t+1)*own+rng.IntN(own))
		}
		_ = b.End(t)
	}
	return b.Sequence()
}

// BenchmarkTrace decides traces of 100,000 events, 4 threads and 8 variables.
func BenchmarkTrace(b *testing.B) {
	base := seqgen.Shape{Threads: 4, Variables: 8, Events: 100_000, Read: 60, End: 30, Trace: true}
	random := func(o seqgen.Shape) *events.Sequence { return seqgen.Random(rand.New(rand.NewPCG(1, 0)), o) }
	locked := func(private int) *events.Sequence {
		return seqgen.Locked(rand.New(rand.NewPCG(1, 0)), base, private)
	}
	single := base
	single.End = 100
	fenced := base
	fenced.Close, fenced.Fence = 100, 5
	for _, c := range []struct {
		name string
		seq  *events.Sequence
		want bool
	}{
		{"locked", locked(8), true},
		{"locked-half", locked(4), true},
		{"locked-most", locked(7), true},
		{"single", random(single), true},
		{"chain", chain(base), true},
		{"fenced", random(fenced), false},
		{"unfenced", random(base), false},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				v, err := Decide(context.Background(), c.seq)
				if err != nil {
					b.Fatal(err)
				}
				if v.Serializable != c.want {
					b.Fatalf("serializable: %v", v.Serializable)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(c.seq.Events)), "ns/event")
		})
	}
}
