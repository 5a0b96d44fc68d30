package summary

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/sim"
)

// explorations is a campaign with two explorations and programs on one system.
const explorations = `{name: bounds, sim: builtin, configs: [
  {name: small, protocol: mi, explore: {}},
  {name: cut, protocol: mi, explore: {lines: 2}},
  {name: sampled, protocol: mi, runs: 2},
  {name: other, protocol: moesi-hammer}]}`

// TestUnreachable takes transitions that a complete exploration does not reach out
// of the figures of its system, unless some run takes them.
func TestUnreachable(t *testing.T) {
	c, err := config.Parse("bounds.yaml", []byte(explorations), nil)
	must.Succeed(t, err)
	s := New(c, t.TempDir(), config.Shard{}, time.Now())
	table := func(counts ...uint64) sim.Coverage {
		var list sim.Coverage
		for i, n := range counts {
			list = append(list, sim.Transition{Row: sim.Row{Machine: "L1", State: "SIM"[i : i+1], Event: "Load"}, Count: n})
		}
		return list
	}
	add := func(number, of int, coverage sim.Coverage, answer check.Answer) {
		cfg := &c.Configs[of]
		s.Add(&journal.Entry{Number: number, Config: cfg, ConfigName: cfg.Name, Coverage: coverage, Result: &run.Result{
			Outcome: sim.Passed, Covered: run.CoveredBy(coverage),
			Answers: []run.Answer{{Model: "tso", Answer: answer.String()}},
		}})
	}
	figure := func(row int) string {
		text, _, _ := strings.Cut(s.Rows[row].coverage(), " transitions")
		return text
	}
	add(0, 1, table(1, 0, 0), check.Unknown) // incomplete: it proves nothing
	add(1, 2, table(1, 0, 0), check.Allowed)
	if got := figure(2); got != "sampled: 1 of 3" {
		t.Error(got)
	}
	add(2, 0, table(1, 0, 0), check.Allowed)
	add(3, 3, table(1, 0, 0), check.Allowed)
	if a, b := figure(2), figure(3); a != "sampled: 1 of 1" || b != "other: 1 of 3" {
		t.Error(a, b)
	}
	if got := s.Rows[2].Reachable(); len(got) != 1 || got[0].State != "S" {
		t.Errorf("reachable are %v", got)
	}
	add(4, 2, table(0, 1, 0), check.Allowed)
	if got := figure(2); got != "sampled: 2 of 2" {
		t.Error(got)
	}
	if got := wrapped(s.Rows[0].coverage()); !strings.Contains(got, "small: 1 of 2 ") || !strings.Contains(got, "1 more are unreachable") || !strings.Contains(got, "never: L1 (I, Load)") {
		t.Error(got)
	}
}

// TestUnreachableOfOutcomes has an exploration for outcomes only, which leaves out states, so that what it does
// not reach stays in the figures.
func TestUnreachableOfOutcomes(t *testing.T) {
	for _, only := range []string{"", ", outcomes-only: true"} {
		c, err := config.Parse("bounds.yaml", []byte(`{name: bounds, sim: builtin, configs: [
  {name: cycle, protocol: mi, explore: {shape: [SB]`+only+`}}, {name: sampled, protocol: mi, runs: 2}]}`), nil)
		must.Succeed(t, err)
		s := New(c, t.TempDir(), config.Shard{}, time.Now())
		coverage := sim.Coverage{{Row: sim.Row{Machine: "L1", State: "S", Event: "Load"}, Count: 1}, {Row: sim.Row{Machine: "L1", State: "S", Event: "Inv"}}}
		for number := range 2 {
			cfg := &c.Configs[number]
			s.Add(&journal.Entry{Number: number, Config: cfg, ConfigName: cfg.Name, Coverage: coverage, Result: &run.Result{
				Outcome: sim.Passed, Covered: run.CoveredBy(coverage),
				Answers: []run.Answer{{Model: "tso", Answer: check.Allowed.String()}},
			}})
		}
		want := "sampled: 1 of 1 "
		if only != "" {
			want = "sampled: 1 of 2 "
		}
		if got := s.Rows[1].coverage(); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", only, got, want)
		}
	}
}

// TestCounterexample has an exploration and a program show the same finding: it has
// the shortest path beside the sampled run.
func TestCounterexample(t *testing.T) {
	c, err := config.Parse("bounds.yaml", []byte(explorations), nil)
	must.Succeed(t, err)
	s := New(c, t.TempDir(), config.Shard{}, time.Now())
	add := func(number, of, steps int) {
		cfg := &c.Configs[of]
		s.Add(&journal.Entry{Number: number, Config: cfg, ConfigName: cfg.Name, Kept: true, Dir: run.Dir(run.Name(number)), Result: &run.Result{
			Outcome: sim.Crash, Title: "invalid transition", Counterexample: steps,
		}})
	}
	add(0, 0, 9)
	add(1, 1, 7)
	if f := &s.Findings[0]; !f.Explored() || f.Counterexample.Steps != 7 || strings.Contains(f.text(s), "reduce") {
		t.Errorf("%+v", f)
	}
	add(2, 2, 0)
	f := &s.Findings[0]
	if len(s.Findings) != 1 || f.Explored() || f.Best.Dir != run.Name(2) || f.Counterexample.Dir != run.Name(1) {
		t.Errorf("%+v", f)
	}
	if text := f.text(s); !strings.Contains(text, "shortest 7 steps, ordeal repro "+run.Name(1)) || !strings.Contains(text, "reduce") {
		t.Error(text)
	}
}

// TestShownStays requires that the directories a finding shows are among those that stay, whatever
// explorations and sampled runs show it in whatever order.
func TestShownStays(t *testing.T) {
	c, err := config.Parse("bounds.yaml", []byte(explorations), nil)
	must.Succeed(t, err)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c.KeepPerFinding = 1 + int(seed%4)
		s, r, stay := New(c, t.TempDir(), config.Shard{}, time.Now()), journal.NewRetention(c), map[string]bool{}
		for number := range 12 {
			cfg := c.Configs[rng.IntN(3)]
			cfg.Rounds = 1 + rng.IntN(5)
			e := &journal.Entry{Number: number, Config: &cfg, ConfigName: cfg.Name, Dir: run.Dir(run.Name(number)), Result: &run.Result{
				Outcome: sim.Crash, Title: "invalid transition", Counterexample: rng.IntN(2) * (1 + rng.IntN(9)),
			}, Drawn: &journal.Drawn{Conditions: make([]string, rng.IntN(2))}}
			var replaces *int
			if e.Kept, replaces = r.Keep(e); replaces != nil {
				delete(stay, run.Name(*replaces))
			}
			if e.Kept {
				stay[run.Name(number)] = true
			}
			s.Add(e)
			f := &s.Findings[0]
			if !stay[f.Best.Dir] || f.Counterexample != nil && !stay[f.Counterexample.Dir] || !stay[f.Dir] {
				t.Fatalf("seed %d, run %d: %v stay: shown %s, %s, %+v", seed, number, slices.Sorted(maps.Keys(stay)), f.Dir, f.Best.Dir, f.Counterexample)
			}
		}
	}
}

// TestNamesBeginNoLine has recorded names that are broken into lines nowhere: a word of
// one at the beginning of a line would read as a message of the summary.
func TestNamesBeginNoLine(t *testing.T) {
	const name = "a long name of a state that is not to be broken, whatever it says and however long it is: forged"
	row := newRow(name, "sc")
	row.Whole, row.Runs = true, 1
	row.Coverage = []sim.Transition{{Row: sim.Row{Machine: "L1", State: name, Event: "Load"}}, {Row: sim.Row{Machine: "L1", State: "S", Event: name}, Count: 1}}
	s := &Summary{Simulator: "builtin: " + name + "; " + name, Rows: []Row{row}}
	text := wrapped(row.coverage()) + "\n" + s.simulators() + wrapped(named([]string{name, name}))
	if strings.Count(text, name) != 6 {
		t.Errorf("a name is broken: %s", text)
	}
}

// TestSameMutant has an exploration and programs of configurations with one mutant: one finding
// where the titles are the same, and of others the exploration's path with its title.
func TestSameMutant(t *testing.T) {
	c, err := config.Parse("mutants.yaml", []byte(`{name: mutants, sim: builtin, configs: [
  {name: sampled, protocol: mi, mutant: "MI_example/L1Cache/(M,Fwd_GETX)/delete", runs: 4},
  {name: whole, protocol: mi, mutant: "MI_example/L1Cache/(M,Fwd_GETX)/delete", explore: {}},
  {name: other, protocol: mi, mutant: "MI_example/L1Cache/(I,Load)/next:stay", runs: 4}]}`), nil)
	must.Succeed(t, err)
	s := New(c, t.TempDir(), config.Shard{}, time.Now())
	add := func(number, of, steps int, outcome sim.Outcome, title string) {
		cfg := &c.Configs[of]
		s.Add(&journal.Entry{Number: number, Config: cfg, ConfigName: cfg.Name, Kept: true, Dir: run.Dir(run.Name(number)), Result: &run.Result{
			Outcome: outcome, Title: title, Counterexample: steps,
		}})
	}
	add(0, 0, 0, sim.Violation, "stale copy")
	add(1, 2, 0, sim.Crash, "invalid transition")
	add(2, 1, 5, sim.Crash, "invalid transition")
	add(3, 0, 0, sim.Deadlock, "deadlock")
	add(4, 0, 0, sim.Crash, "invalid transition")
	want := []struct {
		runs  int
		steps string
	}{
		{1, "5 steps to invalid transition, ordeal repro " + run.Name(2)},
		{1, ""},
		{2, "5 steps, ordeal repro " + run.Name(2)},
		{1, "5 steps to invalid transition, ordeal repro " + run.Name(2)},
	}
	if len(s.Findings) != len(want) {
		t.Fatalf("%d findings, want %d: %+v", len(s.Findings), len(want), s.Findings)
	}
	for i, w := range want {
		f := &s.Findings[i]
		_, after, found := strings.Cut(f.text(s), "  shortest ")
		line, _, _ := strings.Cut(after, "\n")
		if f.Runs != w.runs || found != (w.steps != "") || line != w.steps {
			t.Errorf("finding %d: %s: %d runs, %q, want %d, %q", i, f.Title, f.Runs, line, w.runs, w.steps)
		}
	}
	// A path to the finding itself counts before a shorter one to another.
	add(5, 1, 9, sim.Deadlock, "deadlock")
	if f := &s.Findings[3]; f.Counterexample.Steps != 9 || f.Counterexample.Title != "" || f.Explored() {
		t.Errorf("%+v", f.Counterexample)
	}
	if f := &s.Findings[0]; f.Counterexample.Steps != 5 {
		t.Errorf("%+v", f.Counterexample)
	}
}
