package html

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestGrowth compares the growth of coverage and findings with sets that are
// made anew for each run.
func TestGrowth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		g := newGrowth()
		var runs []*journal.Entry
		tables, known := map[string]sim.Coverage{}, map[string]bool{} // by configuration
		for n := range rng.IntN(30) {
			name := []string{"a", "b"}[rng.IntN(2)]
			for range rng.IntN(3) { // as in a journal, the list of a configuration only grows
				tables[name] = append(tables[name], sim.Transition{Row: sim.Row{Machine: "L1", State: fmt.Sprint(len(tables[name]) * (1 + rng.IntN(2))), Event: "e"}})
			}
			e := &journal.Entry{Number: n, ConfigName: name, Config: &config.Config{}, Result: &run.Result{Operations: 1 + rng.IntN(5), Covered: &run.Covered{}}}
			for _, tr := range tables[name] {
				tr.Count = uint64(rng.IntN(2))
				e.Coverage = append(e.Coverage, tr)
			}
			if rng.IntN(3) == 0 {
				e.Outcome, e.Title = sim.Crash, fmt.Sprint(rng.IntN(4))
			} else {
				e.Outcome = sim.Passed
			}
			runs = append(runs, e)
			g.add(e, "p", "s", slices.ContainsFunc(e.Coverage, func(tr sim.Transition) bool { return tr.Count > 0 && !known[name+tr.State] }))
			for _, tr := range e.Coverage {
				known[name+tr.State] = known[name+tr.State] || tr.Count > 0
			}
		}
		if len(runs) == 0 {
			continue
		}
		operations := 0
		taken, found := map[string]int{}, map[string]int{}
		var firsts, founds []int
		for _, e := range runs {
			operations += e.Operations
			here := map[string]bool{}
			for _, tr := range e.Coverage {
				if tr.Count > 0 {
					here[tr.State] = true
				}
			}
			for state := range here {
				if taken[state] == 0 {
					firsts = append(firsts, operations)
				}
				taken[state]++
			}
			if e.Outcome == sim.Crash {
				if found[e.Title] == 0 {
					founds = append(founds, operations)
				}
				found[e.Title]++
			}
		}
		protocol := g.protocols["p"]
		for what, c := range map[string]struct {
			seen, runs, operations int
			firsts                 []int
			counts                 map[string]int
			want                   []int
		}{
			"coverage": {len(protocol.seen), protocol.runs, protocol.operations, protocol.firsts, taken, firsts},
			"findings": {len(g.findings.seen), g.findings.runs, g.findings.operations, g.findings.firsts, found, founds},
		} {
			if c.seen != len(c.counts) || fmt.Sprint(c.firsts) != fmt.Sprint(c.want) || c.operations != operations || c.runs != len(runs) {
				t.Fatalf("%s: have %+v; want %v, firsts %v", what, c, c.counts, c.want)
			}
		}
	}
}

// TestExpected is the estimate of Good and Turing of small samples.
func TestExpected(t *testing.T) {
	for _, c := range []struct {
		once, runs      int
		expected, class string
	}{
		{2, 10, "about 0.2", ""}, // two of ten runs showed something that no other did
		{1, 100, "about 0.01", "good"},
		{0, 200, "below 0.005", "good"},
		{0, 50, "below 0.02", ""},
		{7, 2, "about 3.5", ""}, // of several new ones in a run
	} {
		r := (&discovery[int]{runs: c.runs}).row("x", "", c.once)
		if r.Expected != c.expected || r.Class != c.class {
			t.Errorf("%d of %d runs: %s, %q; want %s, %q", c.once, c.runs, r.Expected, r.Class, c.expected, c.class)
		}
	}
}
