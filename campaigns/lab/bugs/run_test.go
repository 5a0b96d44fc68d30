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
)

// TestRepeat requires the run that the list has of a bug to be made where the search finds
// nothing, first in the unmodified protocol and then where the others are repaired.
func TestRepeat(t *testing.T) {
	const title = "invalid transition (MI, Writeback_Nack) of L1Cache"
	broken, whole := protocolFiles(t, &Edit{File: "MI_example-cache.sm", At: "transition(MI, Writeback_Nack", Remove: true}), protocolFiles(t, nil)
	search := audit.Options{Seed: 8, Steps: 150_000, Engines: []audit.Engine{audit.Sample}, SLICC: broken}
	search.Stop = func(f *audit.Finding) bool { return f.Title == title }
	report, err := audit.Run(t.Context(), search)
	if err != nil || report.Stopped == nil {
		t.Fatal("the bug was not found", err)
	}
	// shown is by which run of a finding, counted from 1, the bug shows.
	shown := func(f *audit.Finding) int {
		titles, _, runs, err := audit.Again(t.Context(), f.Machine, nil, f, func(got string) bool { return got == title })
		if err != nil || !slices.Contains(titles, title) {
			t.Fatalf("seed %d does not show it again: %q, %v", f.Seed, titles, err)
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
	little := audit.Options{Seed: 1, Steps: 1, Engines: []audit.Engine{audit.Faithful}, SLICC: broken}
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

// TestStockRuns requires the runs of the list to show their defects in the protocols of gem5, and
// nothing but what the list accepts with the repairs of all. Explorations take half a minute each and are left out.
func TestStockRuns(t *testing.T) {
	tree := os.Getenv("ORDEAL_GEM5_TREE")
	if tree == "" {
		t.Skip("ORDEAL_GEM5_TREE names no gem5 tree")
	}
	base, at := Protocols{}, os.DirFS(filepath.Join(tree, Directory))
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
	l, err := Stock()
	if err != nil {
		t.Fatal(err)
	}
	b := &Bench{Maker: &Maker{List: l, Dir: t.TempDir()}}
	for i := range l.Bugs {
		bug := &l.Bugs[i]
		if bug.Run == nil || bug.Run.Explore != nil {
			continue
		}
		trees, err := b.Maker.stock(bug, base)
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
		titles, _, _, err := audit.Again(t.Context(), f.Machine, nil, f, func(string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		for _, f.Title = range titles {
			if !b.accepted(bug.Protocol, trees.listed(f).Title) {
				t.Errorf("%s: with all repairs its run shows %s", bug.ID, f.Title)
			}
		}
	}
}

// TestListed requires titles of an edited protocol to have the lines of the unmodified one, also
// where others say the same.
func TestListed(t *testing.T) {
	const file = "MI_example-cache.sm"
	base := protocolFiles(t, nil)
	const head = "  action(a_issueGETX"
	edited := protocolFiles(t, &Edit{File: file, At: "action(a_issueGETX", Add: "  // more\n  // lines\n"})
	line := func(root, text string) int {
		at := slices.IndexFunc(lines(read(t, filepath.Join(filepath.Dir(root), file))), func(l string) bool { return strings.HasPrefix(l, text) })
		if at < 0 {
			t.Fatalf("no line %q", text)
		}
		return at + 1
	}
	title := func(n int) string { return fmt.Sprintf("failed assertion at %s:%d:5", file, n) }
	trees := &Trees{Base: base}
	f := &audit.Finding{Title: title(line(edited, head))}
	f.Machine.SLICC = edited
	if line(base, head) == line(edited, head) {
		t.Fatal("the edit moves nothing")
	}
	if got := trees.listed(f); got.Title != title(line(base, head)) || f.Title != title(line(edited, head)) {
		t.Errorf("%q, want line %d", got.Title, line(base, head))
	}
	b := &Bench{Maker: &Maker{List: &List{}}}
	bug := &Bug{Title: title(line(base, head))}
	if own, err := b.own(t.Context(), bug, trees, f); err != nil || !own {
		t.Errorf("a finding of the edited protocol is not the bug's: %v", err)
	}
	if own, err := b.own(t.Context(), &Bug{Title: f.Title}, trees, f); err != nil || own {
		t.Errorf("a finding of the edited protocol is that of another line: %v", err)
	}
	for name, c := range map[string]struct{ base, title string }{
		"a line of the repair":  {base, title(line(edited, "  // more"))},
		"no such line":          {base, title(1_000_000)},
		"a file that is not":    {base, "failed assertion at none.sm:7"},
		"the protocol itself":   {edited, title(line(edited, head))},
		"no unmodified one":     {"", title(line(edited, head))},
		"a title without lines": {base, "value lost"},
	} {
		f.Title = c.title
		if got := (&Trees{Base: c.base}).listed(f); got.Title != c.title {
			t.Errorf("%s: %q, want it as it is", name, got.Title)
		}
	}
}
