package summary

import (
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// TestCoverageOfPart wants what a simulator lists of a protocol, only what was
// taken, not to pass for the whole table when a journal is read back: its
// lines say zero of what other lines name.
func TestCoverageOfPart(t *testing.T) {
	written, read := journal.TransitionTables{}, journal.TransitionTables{}
	s := NewSummary(&config.Campaign{Configs: []config.Config{{Name: "a", Runs: 2}}}, "")
	for n, c := range []sim.Coverage{
		{{Machine: "L1", State: "I", Event: "Load", Count: 3}},
		{{Machine: "L1", State: "M", Event: "Load", Count: 1}},
	} {
		fresh, counts := written.EncodeCoverage("a", c)
		back, err := read.DecodeCoverage("a", fresh, counts)
		if err != nil {
			t.Fatal(err)
		}
		run := &journal.Run{Number: n, Config: &config.Config{Name: "a"}, Case: &rundir.Case{Coverage: back, Result: rundir.Result{Covered: rundir.CoveredBy(c)}}}
		s.Cover(run)
	}
	if r := s.Rows[0]; r.Whole || r.Coverage.Taken() != 2 {
		t.Errorf("whole %v, %d taken, want false and 2", r.Whole, r.Coverage.Taken())
	}
}
