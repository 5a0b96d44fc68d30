package html

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/mutation"
)

// TestMatrix checks the views of a few results against counts by hand.
func TestMatrix(t *testing.T) {
	killed := func(ops ...int) (list []mutation.Trial) {
		for _, n := range ops {
			list = append(list, mutation.Trial{Killed: n > 0, By: "crash", Ops: max(n, -n)})
		}
		return list
	}
	v := viewMatrix([]mutation.Result{
		{Protocol: "mi", Mutant: "a", Operator: "drop", Core: "tso", Seeds: killed(100, 300), Taken: 5},
		{Protocol: "mi", Mutant: "a", Operator: "drop", Core: "ooo", Seeds: killed(200, -900), Taken: 5},
		{Protocol: "mi", Mutant: "b", Operator: "swap", Core: "tso", Seeds: killed(-900, -900), Taken: 0},
		{Protocol: "mi", Mutant: "b", Operator: "swap", Core: "ooo", Seeds: killed(-900, -900), Taken: 0},
		{Protocol: "mi", Mutant: "c", Operator: "swap", Core: "tso", Equivalent: "it counts", Taken: -1},
		{Protocol: "mi", Mutant: "c", Operator: "swap", Core: "ooo", Equivalent: "it counts", Taken: -1},
	})
	p := v.Protocols[0]
	if len(v.Protocols) != 1 || p.Mutants != 3 || p.Equivalent != 1 || p.Compared != 2 || p.Killed != 1 || p.Never != 1 || p.Censored != 1 ||
		p.Score != "50.0 %" || p.Median != "200" || p.Most != "> 300" || p.By != "crash 1" {
		t.Errorf("mi: %+v", p)
	}
	var grid []string
	for _, o := range v.Operators {
		for _, c := range append(o.Cells, o.All) {
			grid = append(grid, fmt.Sprintf("%s %s %d/%d", o.Name, c.Name, c.Killed, c.Compared))
		}
	}
	want := "drop tso 1/1, drop ooo 1/1, drop drop 1/1, swap tso 0/1, swap ooo 0/1, swap swap 0/1"
	if got := strings.Join(grid, ", "); got != want {
		t.Errorf("the grid is %s, want %s", got, want)
	}
	if len(v.Survivors) != 1 || v.Survivors[0].Mutant != "b" {
		t.Errorf("survivors: %+v, want b", v.Survivors)
	} else if why := v.Survivors[0].Why; !strings.Contains(why, "never taken") {
		t.Errorf("b survives as %q, want never taken", why)
	}
	if viewMatrix(nil) != nil {
		t.Error("there is a matrix without results")
	}
}

// TestMatrixFound finds the results in the directory of a campaign.
func TestMatrixFound(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "matrix.json"))
	must.Succeed(t, err)
	for _, name := range []string{"matrix.json", "kill/matrix.json", "mutants/matrix.json"} {
		a := fake(t, twoConfigs, journal.Header{}, func(func(*journal.Entry)) {})
		put(t, a, name, string(text))
		if all := parsePage(t, reported(t, a, Options{})); !strings.Contains(byID(t, all, "kill").content(), "By operator and kind of core") {
			t.Errorf("%s is not found", name)
		}
	}
}
