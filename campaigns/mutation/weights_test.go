package mutation

import (
	"math"
	"strings"
	"testing"

	"ordeal/sim/slicc/mutate"
)

// TestWeighted requires operators to count by the edits of real fixes, equivalent mutants and
// operators without real edits not to count.
func TestWeighted(t *testing.T) {
	result := func(op mutate.Operator, id string, killed, equivalent bool) Result {
		r := Result{Protocol: "p", Core: "ooo", Mutant: id, Operator: op, Seeds: []Trial{{Killed: killed, By: "crash"}}}
		if equivalent {
			r.Equivalent, r.Seeds = "known", nil
		}
		return r
	}
	list := []Result{
		result(mutate.Delete, "a", true, false), result(mutate.Delete, "b", true, false),
		result(mutate.Drop, "c", true, false), result(mutate.Drop, "d", false, false),
		result(mutate.Dup, "e", false, false), result(mutate.Next, "f", false, true),
	}
	// Delete 15 edits with 100 %, drop 7 with 50 %; dup has none, next no mutant to kill.
	percent, used, all := Weighted(list)
	if want := (15*100. + 7*50) / 22; math.Abs(percent-want) > 1e-9 || used != 22 || all != 57 {
		t.Errorf("%.3f %% of %d of %d edits, want %.3f of 22 of 57", percent, used, all, want)
	}
	if text := Table(list, 0); !strings.HasSuffix(text, "fixes: 84.1 % (22 of 57 edits)\n") {
		t.Errorf("%s", text)
	}
	if line := weightedLine(list[4:]); line != "" {
		t.Errorf("without such operators: %q", line)
	}
}
