package html

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestHeat checks the kinds of cells, and that colours grow with counts.
func TestHeat(t *testing.T) {
	c := sim.Coverage{
		{Row: sim.Row{Machine: "M", State: "I", Event: "Load"}, Count: 100_000}, {Row: sim.Row{Machine: "M", State: "I", Event: "Store"}},
		{Row: sim.Row{Machine: "M", State: "S", Event: "Load"}, Count: 1}, {Row: sim.Row{Machine: "M", State: "S", Event: "Inv"}},
		{Row: sim.Row{Machine: "M", State: "M", Event: "Store"}, Count: 3},
	}
	v := heat(c, c, true)
	want := Machine{Sum: "3 of 5 transitions taken, 60.0 %", Share: 600, Events: []string{"Load", "Store", "Inv"}}
	if diff := cmp.Diff(want, Machine{Sum: v.Sum, Share: v.Share, Events: v.Events}); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	var got []string
	for _, r := range v.Rows {
		for _, x := range r.Cells {
			got = append(got, r.State+x.Class+x.Text)
		}
	}
	if want := "Ih6100k Inever0 I Sh01 S Snever0 M Mh03 M"; strings.Join(got, " ") != want {
		t.Errorf("cells %q, want %q", strings.Join(got, " "), want)
	}
	if title := v.Rows[1].Cells[2].Title; title != "S, Inv: never taken" {
		t.Errorf("title %q", title)
	}
	v = heat(c, c[:3], true) // the others are proven unreachable
	if x := v.Rows[1].Cells[2]; v.Sum != "2 of 3 transitions taken, 66.7 %" || v.Share != 666 || x.Class != "unreachable" {
		t.Errorf("%q, share %d, cell %+v", v.Sum, v.Share, x)
	}
	last := ""
	seen := map[string]bool{}
	for n := uint64(1); n <= 1<<30; n *= 2 {
		x := cell(&sim.Transition{Count: n}, 1<<30)
		if x.Class < last {
			t.Errorf("%d taken: %s after %s", n, x.Class, last)
		}
		last, seen[x.Class] = x.Class, true
	}
	if len(seen) != heatSteps || last != fmt.Sprintf("h%d", heatSteps-1) {
		t.Errorf("the colours %v", seen)
	}
}

// TestCoverage adds up what configurations of one protocol took, without
// those with an injected bug.
func TestCoverage(t *testing.T) {
	const file = `{name: x, sim: builtin, configs: [
 {name: one, runs: 1, protocol: mi}, {name: two, runs: 1, protocol: mi, core: ooo}, {name: bird, runs: 1, protocol: mi, bug: {about: x}},
 {name: mutant, runs: 1, protocol: moesi-hammer, mutant: 'MOESI_hammer/L1Cache/(S,L2_Replacement)/next:SM'}]}`
	camp, err := config.Parse("x", []byte(file), nil)
	must.Succeed(t, err)
	table := sim.Coverage{{Row: sim.Row{Machine: "M", State: "I", Event: "Load"}}, {Row: sim.Row{Machine: "M", State: "I", Event: "Store"}}}
	a := fake(t, file, journal.Header{}, func(yield func(*journal.Entry)) {
		for n, i := range camp.Schedule() {
			yield(entry(camp.Configs[i].Name, n, func(e *journal.Entry) {
				e.New, e.Counts, e.Covered = table, []uint64{uint64(10 * (i + 1))}, &run.Covered{}
			}))
		}
	})
	n, err := collect(context.Background(), a)
	must.Succeed(t, err)
	list := n.coverage()
	if len(list) != 2 {
		t.Fatalf("%d protocols, want 2: %+v", len(list), list)
	}
	if diff := cmp.Diff(protocolView{Name: "mi", Configs: []string{"one", "two"}}, protocolView{Name: list[0].Name, Configs: list[0].Configs, Note: list[0].Note}); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if x := list[0].Machines[0].Rows[0].Cells; x[0].Text != "30" || x[1].Class != "never" {
		t.Errorf("cells %+v, want 10 + 20 and never", x)
	}
	if name, text := list[1].Name, list[1].Machines[0].Rows[0].Cells[0].Text; name != "moesi-hammer" || text != "40" {
		t.Errorf("protocol %q with %q, want moesi-hammer with 40", name, text)
	}
	if list[1].Note == "" {
		t.Error("moesi-hammer has no note")
	}
}
