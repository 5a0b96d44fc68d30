package reduction

import (
	"fmt"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/parse/formats/axe"
)

// TestViolations counts violations that have no load in common, and one of two atomic operations
// whose refutation has no load that could be left out.
func TestViolations(t *testing.T) {
	// backwards has one violation at each of so many locations.
	backwards := func(locations int) string {
		var text strings.Builder
		for l := range locations {
			fmt.Fprintf(&text, "0: v%[1]d := 1\n0: v%[1]d := 2\n1: v%[1]d == 2\n1: v%[1]d == 1\n", l)
		}
		return text.String()
	}
	for _, test := range []struct {
		name, trace string
		want        int
	}{
		{"one", backwards(1), 1},
		{"two", backwards(2), 2},
		{"too many", backwards(mostViolations + 1), mostViolations},
		{"no load", "0: { v0 == 0; v0 := 1 }\n1: { v0 == 0; v0 := 2 }\n2: v1 := 1\n", 1},
		{"no load at first", "0: { v9 == 0; v9 := 1 }\n1: { v9 == 0; v9 := 2 }\n" + backwards(1), 1}, // that of v9 is found first, and stays
	} {
		trace, err := axe.NewReader(strings.NewReader(test.trace), test.name).Next()
		must.Succeed(t, err)
		v, err := check.Check(t.Context(), trace.History, model.TSO, check.Options{})
		must.Succeed(t, err)
		if v.Answer != check.Forbidden {
			t.Fatalf("%s: %v", test.name, v.Answer)
		}
		var s reducer
		got, err := s.violations(t.Context(), &run.Evaluation{History: trace.History, Verdicts: []check.Verdict{v}, Models: []model.Model{model.TSO}})
		must.Succeed(t, err)
		if got != test.want {
			t.Errorf("%s: %d violations, want %d", test.name, got, test.want)
		}
	}
}
