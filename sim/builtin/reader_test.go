package builtin

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
)

// TestInAccessedLines lists what the reader reads of eight locations of which the
// program accesses M[1] and M[4]: words of 8 bytes on lines of 64, so that packed
// locations are on one line, and pairs are 2n and 2n+1. A fence has no location.
func TestInAccessedLines(t *testing.T) {
	for layout, want := range map[gen.Layout][]gen.LocID{
		gen.Packed: {0, 1, 2, 3, 4, 5, 6, 7},
		gen.Pairs:  {0, 1, 4, 5},
		gen.Spread: {1, 4},
	} {
		p := lonely(8, layout)
		p.Threads[0] = append(p.Threads[0], gen.Op{Kind: gen.Load, Loc: 4}, gen.Op{Kind: gen.FullFence})
		if got := inAccessedLines(p); !slices.Equal(got, want) {
			t.Errorf("layout %v: %v, want %v", layout, got, want)
		}
	}
}

// TestLinesNotAccessed runs a store on machines whose program has 2 and 32 locations:
// the protocol does the same, and the value is read.
func TestLinesNotAccessed(t *testing.T) {
	var taken []string
	for _, locations := range []int{2, 32} {
		job := sim.Job{Program: lonely(locations, gen.Spread), Rounds: 1, Seed: 1}
		s := newSimulation(newRunner(t, Options{Protocol: "mesi-two-level", Core: core.InOrder}), job)
		if r := s.run(t.Context(), time.Now().Add(time.Hour)); r.Outcome != sim.Passed {
			t.Fatalf("%d locations: %+v", locations, r)
		}
		want := make([]gen.Value, locations)
		want[1] = 1
		if !slices.Equal(s.reader.values, want) {
			t.Errorf("final values %v, want %v", s.reader.values, want)
		}
		taken = append(taken, fmt.Sprint(s.system.(*ruby.System).Coverage()))
	}
	if taken[0] != taken[1] {
		t.Errorf("transitions of one store: %s with 2 locations, %s with 32", taken[0], taken[1])
	}
}

// lonely is a program of one store to M[1].
func lonely(locations int, layout gen.Layout) *gen.Program {
	p := &gen.Program{Layout: layout, Threads: [][]gen.Op{{{Kind: gen.Store, Loc: 1, Value: 1}}}}
	for i := range locations {
		p.Locations = append(p.Locations, fmt.Sprintf("M[%d]", i))
	}
	return p
}
