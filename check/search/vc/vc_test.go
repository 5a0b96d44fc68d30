package vc_test

import (
	"testing"

	"ordeal/check/search/proctest"
	"ordeal/check/search/vc"
)

func TestSmall(t *testing.T) {
	decided := proctest.Small(t, vc.Procedure, vc.TSOtool)
	// On histories this small the rules find all violations and the
	// heuristic an order for all others.
	if got := decided["tsotool"]; got != 1 {
		t.Errorf("tsotool decides %v of the small histories", got)
	}
	if got := decided["vc"]; got == 0 || got == 1 {
		t.Errorf("vc decides %v of the small histories", got)
	}
}

func TestLarge(t *testing.T) { proctest.Large(t, 60, 200, vc.Procedure, vc.TSOtool) }

func BenchmarkVC(b *testing.B) {
	for _, m := range proctest.Totals[:2] {
		for _, p := range [][2]int{{2, 100}, {8, 800}, {16, 800}, {16, 8192}} {
			proctest.Bench(b, vc.Procedure, m, p[0], p[1], 16)
			proctest.Bench(b, vc.TSOtool, m, p[0], p[1], 16)
		}
	}
}
