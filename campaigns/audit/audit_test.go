package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
)

// steps is the budget of a test: about a tenth of a second of work.
const steps = 400_000

// mutant writes the files of an embedded protocol with a mutant, and returns the
// root file.
func mutant(t *testing.T, name, id string) string {
	t.Helper()
	root, err := protocols.Root(name)
	if err != nil {
		t.Fatal(err)
	}
	fsys := protocols.Files()
	if id != "" {
		files, err := mutate.Text(fsys, root, id)
		if err != nil {
			t.Fatal(err)
		}
		fsys = mutate.Overlay(fsys, files)
	}
	dir := t.TempDir()
	names, err := fs.Glob(protocols.Files(), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, root)
}

// store is a mutant of mi: the core hears that its store is done before the line has
// come.
const store = "MI_example/L1Cache/(IM,Data)/swap:u_writeDataToCache,sx_store_hit"

// TestFinds requires the mutant to be found, that the finding says how, that it is
// recorded, and that the protocol without the mutant does not show it.
func TestFinds(t *testing.T) {
	path := mutant(t, "mi", store)
	r, err := Run(t.Context(), Options{Machine: config.Machine{SLICC: path}, Seed: 1, Steps: steps, Engines: []Engine{Sample, Cycles}})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(r.Findings, func(f *Finding) bool { return f.Outcome == "violation" && len(f.Conditions) == 0 })
	if at < 0 {
		t.Fatalf("no violation among %d findings", len(r.Findings))
	}
	f := r.Findings[at]
	if f.Program == "" || f.Rounds == 0 || f.Tries == 0 {
		t.Errorf("incomplete finding: %+v", f)
	}
	if shows, err := Shows(t.Context(), path, f); err != nil || !shows {
		t.Errorf("Shows of the protocol itself: %v, %v", shows, err)
	}
	if shows, err := Shows(t.Context(), mutant(t, "mi", ""), f); err != nil || shows {
		t.Errorf("Shows of the protocol without the mutant: %v, %v", shows, err)
	}
	for id, want := range map[string]bool{store: true, "": false} { // the protocol that is given counts
		tree, err := protocols.LoadFile(mutant(t, "mi", id))
		if err != nil {
			t.Fatal(err)
		}
		protocol, err := ruby.Compile(tree)
		if err != nil {
			t.Fatal(err)
		}
		same := func(title string) bool { return title == f.Title }
		failures, _, _, err := Again(t.Context(), f.Machine, protocol, f, same)
		titles := Titles(failures)
		if err != nil || slices.ContainsFunc(titles, same) != want {
			t.Errorf("runs with mutant %q: %q, %v; want %q among them: %v", id, titles, err, f.Title, want)
		}
	}
	one := &Report{Findings: []*Finding{f}}
	if err := one.Record(t.Context(), t.TempDir(), []string{"ordeal"}); err != nil {
		t.Fatal(err)
	}
	var result struct {
		Signature, Title string
		Timing           run.Timing
	}
	data, err := os.ReadFile(filepath.Join(f.Dir, "result.json"))
	if err == nil {
		err = json.Unmarshal(data, &result)
	}
	if err != nil || result.Signature != f.Title || result.Timing.Seeds != f.Tries || result.Timing.Same != f.Faithful {
		t.Errorf("recorded %+v, %v: want signature %q", result, err, f.Title)
	}
}

// TestStop requires an audit to end with the finding that is searched for, and the
// budgets to hold.
func TestStop(t *testing.T) {
	path := mutant(t, "mi", store)
	r, err := Run(t.Context(), Options{Machine: config.Machine{SLICC: path}, Seed: 1, Steps: 100 * steps, Stop: func(*Finding) bool { return true }})
	if err != nil || r.Limit != LimitFound || r.Stopped == nil || r.Steps > 2*steps {
		t.Errorf("limit %s after %d steps with %v, %v", r.Limit, r.Steps, r.Stopped, err)
	}
	now := time.Duration(0)
	clock := func() time.Duration { now += time.Second; return now }
	r, err = Run(t.Context(), Options{Machine: config.Machine{Protocol: "mi"}, Seed: 1, CPU: 9 * time.Second, Clock: clock, Engines: []Engine{Sample}})
	if err != nil || r.Limit != LimitCPU {
		t.Errorf("limit %s, %v", r.Limit, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err = Run(ctx, Options{Machine: config.Machine{Protocol: "mi"}, Seed: 1}); err != nil || r.Limit != LimitInterrupted {
		t.Errorf("limit %v, %v", r, err)
	}
}

// TestSame requires an audit to be a function of the seed and the steps.
func TestSame(t *testing.T) {
	text := func(seed uint64) string {
		r, err := Run(t.Context(), Options{Machine: config.Machine{Protocol: "mi"}, Seed: seed, Steps: steps, Clock: func() time.Duration { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	first := text(1)
	if text(1) != first {
		t.Error("two audits of one seed differ")
	}
	if text(2) == first {
		t.Error("audits of two seeds are the same")
	}
}

// TestShares requires each engine to get its share of the work, up to a turn.
func TestShares(t *testing.T) {
	lanes := []*lane{{work: &Work{Engine: "a"}, share: 3}, {work: &Work{Engine: "b"}, share: 1}, {work: &Work{Engine: "c"}, share: 2, done: true}}
	for range 400 {
		least(lanes).work.Steps += 10
	}
	if a, b, c := lanes[0].work.Steps, lanes[1].work.Steps, lanes[2].work.Steps; a != 3000 || b != 1000 || c != 0 {
		t.Errorf("steps %d, %d, %d: want 3000, 1000, 0", a, b, c)
	}
}

// TestReports writes a report of what others named in every form.
func TestReports(t *testing.T) {
	r := &Report{Protocol: "<b>", Source: "a\x1b[31mb", Limit: LimitSteps, Engines: []Work{{Engine: Sample}}, Findings: []*Finding{
		{Title: "<script>\x1b[0m", Outcome: "crash", Detail: "<i>", Conditions: []string{"x"}, Path: []string{"<step>"}},
	}}
	var text bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "\x1b") || !strings.Contains(text.String(), "finding 1") || strings.Contains(text.String(), "known") {
		t.Errorf("text:\n%s", text.String())
	}
	if _, err := ParseEngines([]string{"sampel"}); err == nil {
		t.Error("unknown engine: no error")
	}
}

// TestKnown requires reports to tell findings that are known of the base from others.
func TestKnown(t *testing.T) {
	r := &Report{Protocol: "p", Base: "gem5 v", Findings: []*Finding{
		{Title: "a", Outcome: "crash", Cause: 1, Known: []Known{{ID: "S-1", About: "<about>"}}},
		{Title: "b", Outcome: "crash", Cause: 1, Known: []Known{{About: "none"}}},
		{Title: "c", Outcome: "crash", Cause: 2},
	}}
	text := func() string {
		var b bytes.Buffer
		if err := r.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, want := range []string{
		"\n1 finding not known of gem5 v as it is: 3\n",
		"\n  known    S-1: <about>\n",
		"finding 2: b (crash, 0 times), known: no defect\n",
	} {
		if !strings.Contains(text(), want) {
			t.Errorf("want %q in\n%s", want, text())
		}
	}
	r.Findings = r.Findings[:2]
	if !strings.Contains(text(), "\nall titles are known of gem5 v as it is\n") {
		t.Errorf("all known:\n%s", text())
	}
}

// TestStopAsksAgain requires a finding that needed an artificial machine to end
// the audit when a run on an ordinary one shows it.
func TestStopAsksAgain(t *testing.T) {
	s := &session{report: &Report{}, o: Options{
		Clock: func() time.Duration { return 0 },
		Stop:  func(f *Finding) bool { return len(f.Conditions) == 0 },
	}}
	var w Work
	for i, conditions := range [][]string{{"2 transactions", "random order"}, {"2 transactions"}, nil} {
		if s.report.Stopped != nil {
			t.Fatalf("stopped before run %d", i)
		}
		if isNew := s.found(&Finding{Title: "t", Conditions: conditions}, &w); isNew != (i == 0) {
			t.Errorf("run %d: new %v", i, isNew)
		}
	}
	if s.report.Stopped == nil || s.report.Stopped != s.report.Findings[0] {
		t.Errorf("stopped for %+v", s.report.Stopped)
	}
}

// TestExploredOutcomes requires a property that does not hold to have the outcome of a
// run that shows it, so that every form of the report can tell it.
func TestExploredOutcomes(t *testing.T) {
	r, err := Run(t.Context(), Options{Machine: config.Machine{SLICC: mutant(t, "mi", store)}, Seed: 1, Steps: steps, Engines: []Engine{Explore}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) == 0 || r.Findings[0].Outcome != "violation" || !strings.HasPrefix(r.Findings[0].Detail, "values: ") {
		t.Errorf("findings %+v: want a violation of the property values first", r.Findings)
	}
}
