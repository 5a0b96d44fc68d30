package builtin

import (
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// TestMemoryLimit has jobs whose values do not fit into their memory, or into that of the
// machine: none is begun, and nothing is allocated.
func TestMemoryLimit(t *testing.T) {
	old := available
	t.Cleanup(func() { available = old })
	// Two values are read and two written.
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout packed\nlocations x y\nthread 0\nload x\nstore x 1\nfence\nthread 1\nexchange y 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 10_000_000
	r := newRunner(t, Options{Core: core.TSO})
	for _, test := range []struct {
		rounds            int
		memory, available int64
		want              string
	}{
		{rounds, 100 << 20, 0, "take 640000000 bytes of memory: the limit is 104857600"},
		{rounds, 0, 639_999_999, "take 640000000 bytes of memory: the limit is 639999999"},
		{10, 0, 1, ""}, // not asked
		{10, 640, 1, ""},
		{10, 639, 1, "take 640 bytes of memory: the limit is 639"},
	} {
		available = func() int64 { return test.available }
		report, err := r.Simulate(t.Context(), sim.Job{Program: p, Rounds: test.rounds, Memory: test.memory})
		if err != nil {
			t.Fatal(err)
		}
		if test.want == "" && report.Outcome != sim.Passed || !strings.Contains(report.Detail, test.want) || test.want != "" && report.Title != "memory limit" {
			t.Errorf("%d rounds, memory %d, %d available: %v %s: %s, want %q", test.rounds, test.memory, test.available, report.Outcome, report.Title, report.Detail, test.want)
		}
	}
}
