package diagnose_test

import (
	"encoding/json"
	"testing"

	"ordeal/campaigns/diagnose"
	"ordeal/sim"
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, title string
		want           bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a*", "ab", true}, {"*b", "ab", true}, {"*(M, X)*", "invalid (M, X) of Y", true}, {"a*b*c", "abc", true},
		{"a*b*c", "acb", false}, {"*", "", true}, {"ab*ba", "aba", false}, {"", "", true}, {"", "a", false},
	} {
		if got := diagnose.Matches(c.pattern, c.title); got != c.want {
			t.Errorf("Matches(%q, %q) = %v", c.pattern, c.title, got)
		}
	}
}

// TestSame has pairs of failures that are the same up to some How, by the definitions of
// the ways.
func TestSame(t *testing.T) {
	row := func(s, e string) sim.Row { return sim.Row{Machine: "L1Cache", State: s, Event: e} }
	failed := func(o sim.Outcome, f sim.Failure) diagnose.Failure { return diagnose.Failure{Outcome: o, Failure: f} }
	assertion := func(text string, line int) sim.Failure {
		return sim.Failure{Kind: sim.KindAssertion, Row: sim.Row{Machine: "L1Cache"}, Function: "f", Text: text, At: sim.Place{File: "a.sm", Line: line}}
	}
	stale := sim.Failure{Kind: sim.KindStaleCopy, Row: row("S", "Inv"), Model: "tso", Shape: "RR|WW"}
	again := stale
	again.Shape = "RRs"
	for name, c := range map[string]struct {
		a, b                   diagnose.Failure
		exactly, ending, alike bool
	}{
		"an assertion whose line moved":  {failed(sim.Crash, assertion("x", 7)), failed(sim.Crash, assertion("x", 9)), true, true, true},
		"another assertion":              {failed(sim.Crash, assertion("x", 7)), failed(sim.Crash, assertion("y", 7)), false, false, false},
		"a place with another shape":     {failed(sim.Violation, stale), failed(sim.Violation, again), true, true, true},
		"a violation that is not traced": {failed(sim.Violation, stale), failed(sim.Violation, sim.Failure{Kind: sim.KindForbidden, Model: "tso"}), false, true, true},
		"a violation of another model":   {failed(sim.Violation, stale), failed(sim.Violation, sim.Failure{Kind: sim.KindForbidden, Model: "sc"}), false, false, true},
		"a row of the same state": {
			failed(sim.Crash, sim.Failure{Kind: sim.KindInvalidTransition, Row: row("S", "Inv")}),
			failed(sim.Crash, sim.Failure{Kind: sim.KindInvalidTransition, Row: row("S", "Data")}), false, false, true,
		},
		"a deadlock whose place is not known": {
			failed(sim.Deadlock, sim.Failure{Kind: sim.KindDeadlock, Row: row("S", ""), Text: "is busy"}),
			failed(sim.Deadlock, sim.Failure{Kind: sim.KindDeadlock, Text: "Possible Deadlock detected"}), false, true, true,
		},
		"another outcome": {failed(sim.Crash, assertion("x", 7)), failed(sim.Deadlock, assertion("x", 7)), false, false, false},
	} {
		for how, want := range []bool{c.exactly, c.ending, c.alike} {
			if c.a.Same(&c.b, diagnose.How(how)) != want || c.b.Same(&c.a, diagnose.How(how)) != want {
				t.Errorf("%s: want %v up to %d", name, want, how)
			}
		}
		if a, b := c.a.Title(), c.b.Title(); (a == b && c.a.Outcome == c.b.Outcome) != c.exactly {
			t.Errorf("%s: the titles are %q and %q", name, a, b)
		}
		text, err := json.Marshal(&c.a)
		var read diagnose.Failure
		if err != nil || json.Unmarshal(text, &read) != nil || read != c.a {
			t.Errorf("%s: %s is read as %+v", name, text, read)
		}
	}
}
