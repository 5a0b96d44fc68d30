package bugs

import (
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
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
	o := audit.Options{Seed: 1, Steps: 300_000, Engines: []audit.Engine{audit.Sample}, Machine: config.Machine{SLICC: repaired}}
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

// TestDeadlocks requires a deadlock to be none of a bug if the same program ends with any deadlock
// in the protocol with the fix: titles name what waits, which differs from run to run.
func TestDeadlocks(t *testing.T) {
	without := func(file, at, drop string) string {
		return protocolFiles(t, &Edit{File: file, At: at, Drop: drop})
	}
	before := without("MI_example-cache.sm", "transition(M, Fwd_GETX", "e_sendData")
	for name, c := range map[string]struct {
		after string
		want  Status
	}{
		"fixed":                 {protocolFiles(t, nil), Found},
		"another deadlock":      {without("MI_example-dir.sm", "transition(M, GETX", "f_forward"), Missed},
		"no deadlock, but this": {without("MI_example-cache.sm", "transition(MI, Writeback_Ack", "w_deallocateTBE"), Found},
	} {
		b := &Bench{
			Maker: &Maker{List: &List{}}, Dir: t.TempDir(), Audit: audit.Options{Seed: 1, Steps: 20_000, Engines: []audit.Engine{audit.Faithful}},
		}
		r := &Result{Trees: &Trees{Before: before, After: c.after, AfterIdentity: "x"}}
		if err := b.search(t.Context(), &Bug{ID: "x", Fix: "abc", Protocol: "MI_example"}, r); err != nil || r.Status != c.want {
			t.Errorf("%s: %v %s, %v, want %v", name, r.Status, r.Reason, err, c.want)
		}
		if r.Finding != nil && !strings.HasPrefix(r.Finding.Title, "deadlock: ") {
			t.Errorf("%s: found %q, want a deadlock", name, r.Finding.Title)
		}
	}
}
