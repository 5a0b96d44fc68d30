package campaigns

import (
	"testing"

	"ordeal/sim"
)

// TestCoverageOfPart wants what a simulator lists of a protocol, only what was
// taken, not to pass for the whole table when a journal is read back: its
// lines say zero of what other lines name.
func TestCoverageOfPart(t *testing.T) {
	written, read := tables{}, tables{}
	s := newSummary(&Campaign{Configs: []Config{{Name: "a", Runs: 2}}}, "")
	for n, c := range []sim.Coverage{
		{{Machine: "L1", State: "I", Event: "Load", Count: 3}},
		{{Machine: "L1", State: "M", Event: "Load", Count: 1}},
	} {
		fresh, counts := written.encode("a", c)
		back, err := read.decode("a", fresh, counts)
		if err != nil {
			t.Fatal(err)
		}
		run := &Run{Number: n, Config: &Config{Name: "a"}, Case: &Case{Coverage: back, Judgement: Judgement{Covered: coveredBy(c)}}}
		s.cover(run)
	}
	if r := s.Rows[0]; r.Whole || r.Coverage.Taken() != 2 {
		t.Errorf("whole %v, %d taken, want false and 2", r.Whole, r.Coverage.Taken())
	}
}
