package builtin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby"
)

// TestDeviceThreads counts the transfers that each machine for devices has under way at a
// time: one, or as many as threads of devices share it, never two of a line.
func TestDeviceThreads(t *testing.T) {
	o := gen.Defaults()
	o.Threads, o.DMA, o.Locations, o.Ops = 2, 3, 6, 60
	for _, c := range []struct {
		threads int
		want    []int // most transfers, by machine
	}{{0, []int{1, 1, 1}}, {2, []int{2, 1}}, {3, []int{3}}, {8, []int{3}}} {
		most := make([]int, 3)
		for seed := range uint64(4) {
			p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
			if err != nil {
				t.Fatal(err)
			}
			var open [3][]memory.Addr
			step := func(s ruby.Step) {
				if s.Machine != "DMA" {
					return
				}
				lines := &open[s.Number]
				switch asks := s.Next == "IR" || s.Next == "IW"; {
				case asks && s.State == "I" && slices.Contains(*lines, s.Line):
					t.Errorf("%d threads: two transfers of line %#x", c.threads, int64(s.Line))
				case asks && s.State == "I":
					*lines = append(*lines, s.Line)
					most[s.Number] = max(most[s.Number], len(*lines))
				case s.Next != s.State: // the transfer has ended
					*lines = slices.DeleteFunc(*lines, func(l memory.Addr) bool { return l == s.Line })
				}
			}
			r := newRunner(t, Options{Protocol: "mi", Core: core.TSO, Hardware: ruby.Hardware{Transfers: c.threads}, Trace: step})
			ends(t, r, sim.Job{Program: p, Rounds: 3, Seed: seed}, sim.Passed, "")
		}
		if got := fmt.Sprint(most[:len(c.want)]); got != fmt.Sprint(c.want) || slices.Max(append(most[len(c.want):], 0)) > 0 {
			t.Errorf("%d threads share a machine: most transfers %v, want %v", c.threads, most, c.want)
		}
	}
	if _, err := New(Options{Protocol: "mi", Core: core.TSO, Hardware: ruby.Hardware{Transfers: ruby.MaxCores + 1}}); err == nil {
		t.Error("too many threads: no error")
	}
}
