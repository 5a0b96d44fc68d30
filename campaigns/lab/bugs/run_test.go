package bugs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/sim/protocols"
)

// TestRepeat requires the run that the list has of a bug to be made where the search finds
// nothing, first in the unmodified protocol and then where the others are repaired.
func TestRepeat(t *testing.T) {
	const title = "invalid transition (MI, Writeback_Nack) of L1Cache"
	broken, whole := protocolFiles(t, &Edit{File: "MI_example-cache.sm", At: "transition(MI, Writeback_Nack", Remove: true}), protocolFiles(t, nil)
	search := audit.Options{Seed: 8, Steps: 150_000, Engines: []audit.Engine{audit.Sample}, Machine: config.Machine{SLICC: broken}}
	search.Stop = func(f *audit.Finding) bool { return f.Title == title }
	report, err := audit.Run(t.Context(), search)
	if err != nil || report.Stopped == nil {
		t.Fatal("the bug was not found", err)
	}
	// shown is by which run of a finding, counted from 1, the bug shows.
	shown := func(f *audit.Finding) int {
		failures, _, runs, err := audit.Again(t.Context(), f.Machine, nil, f, func(got string) bool { return got == title })
		if err != nil || !slices.Contains(audit.Titles(failures), title) {
			t.Fatalf("seed %d does not show it again: %q, %v", f.Seed, audit.Titles(failures), err)
		}
		return runs
	}
	f := report.Stopped
	for shown(f) == 1 {
		f.Seed--
	}
	bug := &Bug{ID: "x", Protocol: "MI_example", Title: "another", Also: []string{title}, Run: &Run{Machine: f.Machine, Program: f.Program, Rounds: f.Rounds, Seed: f.Seed}}
	bug.Run.Machine.SLICC = ""
	// little finds nothing.
	little := audit.Options{Seed: 1, Steps: 1, Engines: []audit.Engine{audit.Faithful}, Machine: config.Machine{SLICC: broken}}
	for {
		report, err := audit.Run(t.Context(), little)
		if err != nil {
			t.Fatal(err)
		}
		if report.Find(title) == nil {
			break
		}
		little.Seed++
	}
	for name, c := range map[string]struct {
		before, alone string
		unordered     bool
		want          string // status, and whether where the others are repaired
	}{
		"unmodified":           {broken, whole, false, "repeated false"},
		"others repaired":      {whole, broken, false, "repeated true"},
		"nowhere":              {whole, whole, false, "missed true"},
		"of no repair":         {whole, "", false, "missed false"},
		"a network of another": {broken, whole, true, "missed true"},
	} {
		t.Run(name, func(t *testing.T) {
			b := &Bench{Maker: &Maker{List: &List{}}, Audit: little, Dir: t.TempDir()}
			run := *bug.Run
			if c.unordered {
				run.Machine.Reorder = "all"
			}
			x := *bug
			x.Run = &run
			r := &Result{Bug: &x, Trees: &Trees{Base: c.before, Before: c.before, How: "v", Alone: c.alone}}
			if err := errors.Join(b.search(t.Context(), &x, r), b.examine(t.Context(), &x, r)); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(r.Status, " ", r.Alone); got != c.want {
				t.Fatalf("%s, want %s", got, c.want)
			}
			if r.Status == Missed {
				return
			}
			if r.Finding.Title != title || r.Finding.Outcome != f.Outcome || r.Finding.Engine != listedRun || r.Finding.Operations == 0 || r.Finding.Machine.SLICC != r.Trees.Before || r.Witness == 0 {
				t.Errorf("%+v, witness %d", r.Finding, r.Witness)
			}
			if n := shown(r.Finding); n != 1 {
				t.Errorf("its seed is not that of the run that shows it, which is the %d-th", n)
			}
			recall := NewReport([]*Result{r})
			if recall.Found != 0 || recall.Searched != 1 {
				t.Errorf("what the search did not find: %d of %d found", recall.Found, recall.Searched)
			}
			var text strings.Builder
			if r.Finding.Tries = 0; recall.WriteText(&text, 0) != nil || !strings.Contains(text.String(), "its run has them") {
				t.Errorf("a run of latencies near gem5's:\n%s", text.String())
			}
		})
	}
	x := *bug
	x.Run = &Run{Machine: config.Machine{Cores: 2}, Explore: &config.Explore{Lines: 2, MaxStates: 100_000}}
	b := &Bench{Maker: &Maker{List: &List{}}, Audit: little, Dir: t.TempDir()}
	explored := &Result{Trees: &Trees{Before: broken}}
	if err := errors.Join(b.search(t.Context(), &x, explored), b.examine(t.Context(), &x, explored)); err != nil || explored.Status != Repeated || explored.Witness < 5 || explored.Finding.Outcome != "crash" {
		t.Errorf("an exploration: %v, %+v", err, explored)
	}
	bug.Run.Machine.SetParameter = []string{"Directory.none=1"}
	r := &Result{Trees: &Trees{Before: broken}}
	if err := b.search(t.Context(), bug, r); err != nil || r.Status != Refused || !strings.HasPrefix(r.Reason, "its run: ") {
		t.Errorf("a machine that cannot be made: %v, %+v", err, r)
	}
}

// TestRunsOfDefects requires the runs of the list to show their defects in the protocols of gem5, and
// nothing but what the list accepts with the repairs of all. Explorations take half a minute each and are left out.
func TestRunsOfDefects(t *testing.T) {
	tree := os.Getenv("ORDEAL_GEM5_TREE")
	if tree == "" {
		t.Skip("ORDEAL_GEM5_TREE names no gem5 tree")
	}
	base, at := Protocols{}, os.DirFS(filepath.Join(tree, protocols.Folder))
	err := fs.WalkDir(at, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(at, name)
		base[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := KnownDefects()
	if err != nil {
		t.Fatal(err)
	}
	b := &Bench{Maker: &Maker{List: l, Dir: t.TempDir()}}
	for i := range l.Bugs {
		bug := &l.Bugs[i]
		if bug.Run == nil || bug.Run.Explore != nil {
			continue
		}
		trees, err := b.Maker.unfixed(bug, base)
		if err != nil {
			t.Fatal(err)
		}
		r := &Result{Trees: trees}
		if f, err := b.repeat(t.Context(), bug, r); err != nil || f == nil {
			t.Errorf("%s: its run does not show it: %v", bug.ID, err)
		}
		f := &audit.Finding{Program: bug.Run.Program, Rounds: bug.Run.Rounds, Seed: bug.Run.Seed, Machine: bug.Run.Machine}
		if f.Machine.SLICC = trees.All; trees.All == "" {
			t.Fatalf("%s: no protocol with all repairs", bug.ID)
		}
		failures, _, _, err := audit.Again(t.Context(), f.Machine, nil, f, func(string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		for _, f.Title = range audit.Titles(failures) {
			if len(l.says(bug.Protocol, f.Title).accepted) == 0 {
				t.Errorf("%s: with all repairs its run shows %s", bug.ID, f.Title)
			}
		}
	}
}
