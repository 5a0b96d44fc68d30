package config

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// plainSchedule is Schedule without groups.
func plainSchedule(c *Campaign) []int {
	total := c.Runs()
	var order []int
	done := make([]int, len(c.Configs))
	for n := range total {
		best, bestLag := -1, 0
		for i := range c.Configs {
			lag := (n+1)*c.Configs[i].Runs - done[i]*total
			if done[i] < c.Configs[i].Runs && (best < 0 || lag > bestLag) {
				best, bestLag = i, lag
			}
		}
		done[best]++
		order = append(order, best)
	}
	return order
}

// TestSchedule compares schedules with those of the plain algorithm, and looks
// at how far a configuration is ever away from its share.
func TestSchedule(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		c := &Campaign{Configs: make([]Config, 1+rng.IntN(9))}
		for i := range c.Configs {
			c.Configs[i].Runs = 1 + rng.IntN(1+rng.IntN(40))
		}
		got := c.Schedule()
		if want := plainSchedule(c); !slices.Equal(got, want) {
			t.Fatalf("%d runs: %v, want %v", c.Runs(), got, want)
		}
		made := make([]int, len(c.Configs))
		for n, i := range got {
			made[i]++
			for k := range made {
				share := float64(n+1) * float64(c.Configs[k].Runs) / float64(len(got))
				if d := float64(made[k]) - share; d > 2 || d < -2 {
					t.Fatalf("after %d of %d runs configuration %d has made %d, its share is %.1f", n+1, len(got), k, made[k], share)
				}
			}
		}
		for i := range made {
			if made[i] != c.Configs[i].Runs {
				t.Fatalf("configuration %d is scheduled %d times, want %d", i, made[i], c.Configs[i].Runs)
			}
		}
	}
}

// BenchmarkSchedule schedules a million runs of a thousand configurations, of
// five sizes.
func BenchmarkSchedule(b *testing.B) {
	c := &Campaign{Configs: make([]Config, 1000)}
	for i := range c.Configs {
		c.Configs[i].Runs = 800 + 100*(i%5)
	}
	for b.Loop() {
		if n := len(c.Schedule()); n != 1_000_000 {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/run")
}
