package serial

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/serial/internal/seqgen"
	"ordeal/parse/formats/events"
)

// TestMonitor takes the verdict after every event: it is that of all pairs
// of the events so far, and once a cycle is there it stays.
func TestMonitor(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 0))
	turned := 0
	for range 60 {
		s := seqgen.Random(rng, seqgen.Shape{
			Threads: 3, Variables: 2, Events: 20, Read: 50, Fence: 5, Update: 5, End: 60, Commit: 40, Drained: true,
		})
		m := NewMonitor(TSO, s)
		serializable := true
		for n := 1; m.Next(); n++ {
			v, err := m.Verdict()
			if err != nil {
				t.Fatalf("%v\n%s", err, s.Text())
			}
			prefix := &events.Sequence{
				Execution: true, Threads: s.Threads, Variables: s.Variables,
				Transactions: s.Transactions, Events: s.Events[:n],
			}
			if want := acyclicByPairs(TSO, prefix, func(i int32) int32 { return s.Events[i].Tx }); v.Serializable != want {
				t.Fatalf("after %d events the monitor says %v, all pairs say %v:\n%s", n, v.Serializable, want, s.Text())
			}
			if v.Serializable && !serializable {
				t.Fatalf("after %d events the cycle is gone:\n%s", n, s.Text())
			}
			if !v.Serializable && serializable {
				turned++
			}
			serializable = v.Serializable
		}
	}
	if turned < 10 {
		t.Errorf("%d executions have a cycle", turned)
	}
}
