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

// TestScheduleMore makes campaigns shorter and longer than their configurations: the
// runs of a shorter one are the first of a longer one, shares stay, and explorations
// are not repeated.
func TestScheduleMore(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		c := &Campaign{Configs: make([]Config, 2+rng.IntN(5))}
		for i := range c.Configs {
			c.Configs[i].Runs = 1 + rng.IntN(9)
		}
		c.Configs[1].Runs, c.Configs[1].Explore = 1, new(Explore)
		once := c.Schedule()
		c.Total = 4*len(once) + rng.IntN(9)
		long := c.Schedule()
		if len(long) != c.Total || c.Runs() != c.Total || !slices.Equal(long[:len(once)], once) {
			t.Fatalf("%d runs: %v does not continue %v", c.Total, long, once)
		}
		planned := make([]int, len(c.Configs))
		for _, i := range long {
			planned[i]++
		}
		if !slices.Equal(planned, c.Planned()) || planned[1] != 1 {
			t.Fatalf("planned %v, scheduled %v", c.Planned(), planned)
		}
		for i := range c.Configs {
			share := float64(c.Configs[i].Runs) * float64(c.Total-1) / float64(len(once)-1)
			if d := float64(planned[i]) - share; i != 1 && (d > 2.5 || d < -2.5) {
				t.Fatalf("configuration %d of %v has %d of %d runs, its share is %.1f", i, once, planned[i], c.Total, share)
			}
		}
		for _, total := range []int{1, len(once) - 1, len(once), c.Total - 1} {
			c.Total = total
			if got := c.Schedule(); !slices.Equal(got, long[:total]) {
				t.Fatalf("%d runs: %v is not the beginning of %v", total, got, long)
			}
		}
	}
}
