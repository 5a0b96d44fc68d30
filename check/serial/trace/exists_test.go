package trace

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/check/internal/scale"
	"ordeal/check/search"
	"ordeal/check/serial"
	"ordeal/check/serial/internal/seqgen"
	"ordeal/parse/formats/events"
)

// TestSerializable compares the search for a serializable execution with all
// executions of random traces.
func TestSerializable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	runs, searched, none := scale.Of(300, 400, 15_000), 0, 0
	for range runs {
		s := seqgen.Random(rng, seqgen.Shape{
			Threads: 2 + rng.IntN(3), Variables: 1 + rng.IntN(3), Events: 6 + rng.IntN(5), Trace: true,
			Read: 30 + rng.IntN(40), Fence: rng.IntN(20), Update: rng.IntN(10), End: 20 + rng.IntN(40),
		})
		want := false
		executions(s, func(x *events.Sequence) bool {
			v, err := serial.Decide(serial.TSO, x)
			if err != nil {
				t.Fatal(err)
			}
			want = v.Serializable
			return !want
		})
		got, err := Serializable(t.Context(), s, search.Limits{})
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Text())
		}
		if (got != nil) != want {
			t.Fatalf("an execution is serializable: %v; found: %v\n%s", want, got != nil, s.Text())
		}
		// The same without the first attempts.
		o, err := newTimeline(s).openOrders(search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err = o.search(t.Context()); err != nil || (got != nil) != want {
			t.Fatalf("an execution is serializable: %v; searched: %v, %v\n%s", want, got != nil, err, s.Text())
		}
		if len(o.pairs) > 1 {
			searched++
		}
		if !want {
			none++
		}
	}
	t.Logf("%d traces, %d with open pairs, %d without a serializable execution", runs, searched, none)
	if searched < runs/4 || none < runs/20 {
		t.Error("the traces are too uniform for a test")
	}
}

// TestSerializableLimits: the search stops for the context and the limits.
func TestSerializableLimits(t *testing.T) {
	s := trace(t, `trace
threads a b
variables x y
a begin
a write x
a write y
a read x
b begin
b write y
b write x
a read y
b read x
a end
b end
`)
	l := newTimeline(s)
	if _, err := l.openOrders(search.Limits{MemoryBytes: 1}); err == nil || !strings.Contains(err.Error(), "memory budget") {
		t.Errorf("one byte: %v", err)
	}
	o, err := l.openOrders(search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.search(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
