package html

import (
	"fmt"
	"math/rand/v2"
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
		tables := map[string]sim.Coverage{}
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
			g.add(e, "p", "s")
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
		for what, c := range map[string]struct {
			got    *discovery
			counts map[string]int
			firsts []int
		}{"coverage": {g.protocols["p"], taken, firsts}, "findings": {&g.findings, found, founds}} {
			once := 0
			for _, n := range c.counts {
				once += btoi(n == 1)
			}
			if len(c.got.count) != len(c.counts) || fmt.Sprint(c.got.firsts) != fmt.Sprint(c.firsts) || c.got.once() != once || c.got.operations != operations || c.got.runs != len(runs) {
				t.Fatalf("%s: have %+v, once %d; want %v, firsts %v, once %d", what, c.got, c.got.once(), c.counts, c.firsts, once)
			}
		}
	}
}

// TestExpected is the estimate of Good and Turing of small samples.
func TestExpected(t *testing.T) {
	for _, c := range []struct {
		count           []int
		runs            int
		expected, class string
	}{
		{[]int{1, 1, 5}, 10, "about 0.2", ""}, // two of ten runs showed something that no other did
		{[]int{1, 5}, 100, "about 0.01", "good"},
		{[]int{3, 5}, 200, "below 0.005", "good"},
		{nil, 50, "below 0.02", ""},
		{[]int{1, 1, 1, 1, 1, 1, 1}, 2, "about 3.5", ""}, // of several new ones in a run
	} {
		r := (&discovery{runs: c.runs, count: c.count}).row("x", "")
		if r.Expected != c.expected || r.Class != c.class {
			t.Errorf("%v of %d runs: %s, %q; want %s, %q", c.count, c.runs, r.Expected, r.Class, c.expected, c.class)
		}
	}
}
