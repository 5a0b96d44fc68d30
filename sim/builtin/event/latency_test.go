package event

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTail compares the share of jitters beyond 1, 2, 4 … times Jitter with
// the sum over all numbers of doublings d that the doc comment implies: d has
// probability 2^-(d+1), the last one twice that, and then a jitter uniform
// below Jitter·2^d is beyond Jitter·2^k with probability 1 - 2^k/2^d.
func TestTail(t *testing.T) {
	const draws = 400_000
	m := Latency{Base: 7, Jitter: 1 << 12}
	random := rand.NewPCG(1, 2)
	beyond := make([]int, tail+1)
	for range draws {
		d := m.Draw(random) - m.Base
		if d < 0 || d >= m.Jitter<<tail {
			t.Fatalf("jitter %d", d)
		}
		for k := range beyond {
			if d >= m.Jitter<<k {
				beyond[k]++
			}
		}
	}
	for k := range beyond {
		want := 0.0
		for d := k + 1; d <= tail; d++ {
			p := math.Ldexp(1, -d-1)
			if d == tail {
				p *= 2
			}
			want += p * (1 - math.Ldexp(1, k-d))
		}
		got := float64(beyond[k]) / draws
		if slack := 5 * math.Sqrt(want*(1-want)/draws); math.Abs(got-want) > slack {
			t.Errorf("share of jitters beyond %d×Jitter: %.5f, want %.5f ± %.5f", 1<<k, got, want, slack)
		}
	}
}

func TestNoJitter(t *testing.T) {
	random := rand.NewPCG(1, 2)
	for range 10 {
		if d := (Latency{Base: 3}).Draw(random); d != 3 {
			t.Fatalf("latency %d without jitter, want 3", d)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, m := range []Latency{{Base: 1}, {Base: MaxLatency, Jitter: MaxLatency}} {
		if err := m.Validate(); err != nil {
			t.Errorf("%+v: %v", m, err)
		}
	}
	for _, m := range []Latency{{}, {Base: -1}, {Base: MaxLatency + 1}, {Base: 1, Jitter: -1}, {Base: 1, Jitter: MaxLatency + 1}} {
		if m.Validate() == nil {
			t.Errorf("%+v is accepted", m)
		}
	}
	// The longest delay of a valid model is far from overflowing a Tick.
	if longest := Tick(1) << tail * MaxLatency; longest < 0 {
		t.Error("ticks overflow")
	}
}
