package summary

import (
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestCoverageOfPart requires that the transitions of a simulator that lists
// only what was taken do not pass for the whole table when the journal is read:
// its lines have counts of zero for what other lines list.
func TestCoverageOfPart(t *testing.T) {
	dir := t.TempDir()
	c, err := config.Parse("part.yaml", []byte("name: part\nconfigs: [{name: a, runs: 2}]\n"), nil)
	must.Succeed(t, err)
	w, err := journal.Create(dir, c, journal.Header{Version: run.FormatVersion, Started: time.Now()})
	must.Succeed(t, err)
	for number, coverage := range []sim.Coverage{
		{{Row: sim.Row{Machine: "L1", State: "I", Event: "Load"}, Count: 3}},
		{{Row: sim.Row{Machine: "L1", State: "M", Event: "Load"}, Count: 1}},
	} {
		e := w.NewEntry(number)
		e.Coverage = coverage
		e.Result = &run.Result{Outcome: sim.Passed, Covered: run.CoveredBy(coverage)}
		must.Succeed(t, w.Append(e))
	}
	must.Succeed(t, w.Close())
	a, err := journal.Open(dir)
	must.Succeed(t, err)
	s, err := Read(a)
	must.Succeed(t, err)
	if r := s.Rows[0]; r.Whole || r.Coverage.Taken() != 2 {
		t.Errorf("whole %v, %d taken, want false and 2", r.Whole, r.Coverage.Taken())
	}
}
