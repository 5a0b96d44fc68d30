package explore

import (
	"testing"

	"ordeal/sim/explore/machine"
)

// BenchmarkExpand measures the steps of states of a machine with two cores and
// two lines, a Go map being the set of seen states.
func BenchmarkExpand(b *testing.B) {
	const states = 100_000
	c := tiny(compiled(b, "mesi-two-level"), 2, 2)
	c.Symmetry = true
	steps := 0
	for b.Loop() {
		v := visit(b, c, states)
		steps += v.expanded
	}
	b.ReportMetric(float64(states*b.N)/b.Elapsed().Seconds(), "orbits/s")
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}

// TestExpandAllocatesNothing expands a state whose steps are known.
func TestExpandAllocatesNothing(t *testing.T) {
	m, err := New(tiny(compiled(t, "mi"), 2, 2))
	if err != nil {
		t.Fatal(err)
	}
	var e machine.Expansion
	s := m.Initial()
	m.Expand(s, &e)
	if n := testing.AllocsPerRun(10, func() { m.Expand(s, &e) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
