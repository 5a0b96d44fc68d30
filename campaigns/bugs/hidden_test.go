package bugs

import (
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/audit"
)

// TestRunsFor requires large programs to get fewer runs for their reduction, within bounds.
func TestRunsFor(t *testing.T) {
	for _, c := range []struct{ ops, rounds, want int }{{10, 1, reductionRuns}, {400, 1, reductionRuns}, {200, 3, 1000}, {1000, 3, fewRuns}} {
		text := "ordeal-program 1\nlayout spread\nlocations x\nthread 0\n" + strings.Repeat("load x\n", c.ops)
		if got, err := runsFor(&audit.Finding{Program: text, Rounds: c.rounds}); err != nil || got != c.want {
			t.Errorf("%d operations, %d rounds: %d runs, %v, want %d", c.ops, c.rounds, got, err, c.want)
		}
	}
	if _, err := runsFor(&audit.Finding{Program: "no program"}); err == nil {
		t.Error("no program: no error")
	}
}

// TestSeen requires a finding of a repaired protocol to be shown, absent or masked without the
// repair, by its audit and by runs of the program.
func TestSeen(t *testing.T) {
	const (
		bug   = "invalid transition (MI, Writeback_Nack) of L1Cache"
		other = "invalid transition (II, Writeback_Nack) of L1Cache"
	)
	remove := func(at string) string {
		return protocolFiles(t, &Edit{File: "MI_example-cache.sm", At: at, Remove: true})
	}
	buggy, repaired := remove("transition(MI, Writeback_Nack"), remove("transition(II, Writeback_Nack")
	o := audit.Options{Seed: 1, Steps: 300_000, Engines: []audit.Engine{audit.Sample}, SLICC: repaired}
	o.Stop = func(f *audit.Finding) bool { return f.Title == other }
	report, err := audit.Run(t.Context(), o)
	if err != nil || report.Stopped == nil {
		t.Fatal("nothing found", err)
	}
	f, named := report.Stopped, *report.Stopped
	named.Title = "what no run shows"
	for name, c := range map[string]struct {
		without string
		report  audit.Report
		finding *audit.Finding
		bug     string
		want    sight
	}{
		"in its runs":    {repaired, audit.Report{}, f, bug, shown},
		"in its audit":   {buggy, audit.Report{Findings: []*audit.Finding{{Title: other}}}, f, bug, shown},
		"of the repair":  {buggy, audit.Report{}, f, "another", absent},
		"behind the bug": {repaired, audit.Report{}, &named, other, masked},
	} {
		x := &comparison{
			b: &Bench{Dir: t.TempDir(), Audit: audit.Options{CPU: 100 * time.Millisecond}}, id: "x", of: repaired, in: c.without,
			audited: &c.report, hides: func(title string) bool { return title == c.bug },
		}
		if got, err := x.seen(t.Context(), c.finding); err != nil || got != c.want {
			t.Errorf("%s: %d, %v, want %d", name, got, err, c.want)
		}
	}
}
