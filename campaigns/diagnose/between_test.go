package diagnose

import (
	"fmt"
	"testing"

	"ordeal/sim/ruby"
)

// TestBetween requires the rows of a line around the one with which the writer gave it up,
// the nearest first, those before it first of two, each once.
func TestBetween(t *testing.T) {
	at := func(machine, state, next string) ruby.Step {
		return ruby.Step{Machine: machine, State: state, Next: next, Event: "E"}
	}
	r := &record{steps: []ruby.Step{
		at("C", "before", "M"),
		at("C", "IM", "IM"),                                                            // 1: serves the write
		at("D", "U", "B"), at("D", "U", "B"), {Machine: "D", State: "other", Line: 64}, // 2 to 4
		at("C", "MI", "I"), // 5: gives it up
		at("D", "B", "U"),
		at("C", "IS", "S"), // 7: serves the read
		at("D", "after", "U"),
	}}
	want := "[{C MI E} {D B E} {D U E} {C IS E} {C IM E}]"
	if got := fmt.Sprint(r.between(1, 7)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.steps[5].Own = true // nothing gives it up
	want = "[{C IS E} {D B E} {C MI E} {D U E} {C IM E}]"
	if got := fmt.Sprint(r.between(1, 7)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
