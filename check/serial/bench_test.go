package serial

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/serial/internal/seqgen"
	"ordeal/parse/formats/events"
)

// BenchmarkExecution monitors a million events, evidence included.
func BenchmarkExecution(b *testing.B) {
	shape := seqgen.Shape{
		Threads: 4, Variables: 64, Events: 1_000_000, Read: 50, End: 30, Close: 50, Commit: 30,
	}
	racy := seqgen.Random(rand.New(rand.NewPCG(1, 0)), shape)
	single := shape
	single.End = 100
	for _, c := range []struct {
		name string
		rel  Relation
		seq  *events.Sequence
	}{
		{"tso-racy", TSO, racy},
		{"tso-locked", TSO, eager(seqgen.Locked(rand.New(rand.NewPCG(1, 0)), shape, 64))},
		{"tso-single", TSO, seqgen.Random(rand.New(rand.NewPCG(1, 0)), single)},
		{"sc-racy", SC, racy.Trace()},
		{"sc-locked", SC, seqgen.Locked(rand.New(rand.NewPCG(1, 0)), shape, 64)},
	} {
		b.Run(c.name, func(b *testing.B) {
			serializable := 0.0
			for range b.N {
				v, err := Decide(c.rel, c.seq)
				if err != nil {
					b.Fatal(err)
				}
				if v.Serializable {
					serializable = 1
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(c.seq.Events)), "ns/event")
			b.ReportMetric(float64(len(c.seq.Events)), "events")
			b.ReportMetric(serializable, "serializable")
		})
	}
	b.Run("robust", func(b *testing.B) {
		for range b.N {
			if _, err := SCEquivalent(racy); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(racy.Events)), "ns/event")
	})
}

// eager commits every write of a trace at once.
func eager(s *events.Sequence) *events.Sequence {
	order := make([]int32, len(s.Events))
	for i := range order {
		order[i] = int32(i)
	}
	x, err := SCExecution(s, order)
	if err != nil {
		panic(err)
	}
	return x
}
