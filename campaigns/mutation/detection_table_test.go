package mutation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
)

// TestDetectionTable has a bug with two outcomes and a seed that missed it, one
// that most seeds missed, and a negative control.
func TestDetectionTable(t *testing.T) {
	hit := func(ops int, by string) Trial { return Trial{Killed: true, By: by, Ops: ops} }
	machine := config.Machine{Protocol: "mi", Core: "ooo"}
	list := []*Detection{
		{Name: "one", Bug: config.Bug{Known: "A Race"}, Machine: machine, Seeds: []Trial{hit(30, "violation"), {Ops: 99}, hit(10, "deadlock"), hit(20, "violation")}},
		{Name: "rare", Bug: config.Bug{Budget: 500}, Machine: machine, Seeds: []Trial{{Ops: 99}, hit(10, "crash"), {Ops: 99}}},
		{Name: "control", Bug: config.Bug{Equivalent: "it counts"}, Machine: machine, Seeds: []Trial{{Ops: 99}}},
	}
	want := `bug      in       caught  by                               median      most  known as
─────────────────────────────────────────────────────────────────────────────────────
one      mi, ooo  3 of 4  deadlock, violation                  20  > budget  A Race
rare     mi, ooo  1 of 3  crash (rare: within 500)       > budget  > budget
control  mi, ooo  0 of 1  never, as expected: it counts         -         -
`
	if diff := cmp.Diff(want, DetectionTable(list).String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestNamed(t *testing.T) {
	for known, want := range map[string]bool{"": false, "H10": false, "SQ+no-FIFO (McVerSi, HPCA 2016)": true, "H10 of hammer": true} {
		if Named(&config.Bug{Known: known}) != want {
			t.Errorf("%q: named is not %v", known, want)
		}
	}
}
