package summary

import (
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/rundir"
)

// TestApart has a finding of each kind: only those that show at the latencies of
// the simulated machine, or were not repeated there, make the campaign fail.
func TestApart(t *testing.T) {
	s := &Summary{Findings: []Finding{
		{Title: "not repeated"},
		{Title: "known", Known: &config.Known{}},
		{Title: "shows", Timing: &rundir.Timing{Seeds: 20, Same: 1}},
		{Title: "exploring", Timing: &rundir.Timing{Seeds: 20}},
	}}
	for anyLatency, want := range map[bool]int{false: 2, true: 3} {
		s.anyLatency = anyLatency
		if got := len(s.Unknown()); got != want {
			t.Errorf("any latency %v: %d findings make the campaign fail, want %d", anyLatency, got, want)
		}
	}
	if got, want := s.Findings[3].Timing.String(), "only with latencies that gem5's simple network does not produce (0 of 20 seeds at gem5's)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := s.Findings[2].Timing.String(), "also at gem5's latencies (1 of 20 seeds)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
