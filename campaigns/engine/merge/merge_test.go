package merge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

const campaign = `
name: parts
sim: builtin
seed: 5
workers: 2
configs:
  - {name: clean, runs: 14, threads: 3, ops: 20, locations: 4, rounds: 2, core: tso, protocol: mi}
  - {name: faulty, runs: 9, threads: 3, ops: 30, locations: 3, rounds: 3, core: ooo, protocol: ideal-cached, core-bugs: [load-not-squashed]}
`

// makeIn makes a campaign, or a shard of one, in a directory of that name.
func makeIn(t *testing.T, dir, shard string, sets ...string) string {
	t.Helper()
	return makeOf(t, campaign, dir, shard, sets...)
}

// makeOf is makeIn of another campaign.
func makeOf(t *testing.T, text, dir, shard string, sets ...string) string {
	t.Helper()
	c, err := config.Parse("parts.yaml", []byte(text), sets)
	must.Succeed(t, err)
	l := engine.Engine{Dir: dir, Command: []string{"ordeal", shard}}
	must.Succeed(t, l.Shard.UnmarshalText([]byte(shard)))
	if _, err := l.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return dir
}

// mergeTo merges, which must succeed.
func mergeTo(t *testing.T, dir string, sources ...string) *Result {
	t.Helper()
	m := Merge{Dir: dir, Sources: sources}
	r, err := m.Run(t.Context())
	if err != nil {
		t.Fatalf("merge %v: %v", sources, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, stagingDir)); err == nil {
		t.Errorf("%s stays", stagingDir)
	}
	return r
}

// timeless reads a campaign's directory as what it says but for times and
// commands: the files by name.
func timeless(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch filepath.Ext(name) {
		case ".json", ".jsonl":
			var all []string
			lines := [][]byte{data}
			if filepath.Ext(name) == ".jsonl" {
				lines = bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
			}
			for _, line := range lines {
				var v any
				if err := json.Unmarshal(line, &v); err != nil {
					return err
				}
				text, err := json.MarshalIndent(strip(v, dir), "", " ")
				if err != nil {
					return err
				}
				all = append(all, string(text))
			}
			files[name] = strings.Join(all, "\n")
		case ".txt":
			if name != "summary.txt" { // has rates
				files[name] = string(data)
			}
		default:
			files[name] = string(data)
		}
		return nil
	})
	must.Succeed(t, err)
	return files
}

// strip takes out of a JSON value what is a time, a command or a number of
// shards, and what counts what is new in a run of a kept directory, which is
// as the shard saw it.
func strip(v any, dir string) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if strings.HasSuffix(key, "_ns") || slices.Contains([]string{"started", "session", "command", "shards", "crc32c"}, key) {
				delete(v, key)
				continue
			}
			v[key] = strip(value, dir)
		}
		if v["version"] != nil && v["outcome"] != nil && v["number"] == nil { // result.json
			if covered, ok := v["covered"].(map[string]any); ok {
				delete(covered, "new")
			}
		}
	case []any:
		for i := range v {
			v[i] = strip(v[i], dir)
		}
	case string:
		return strings.ReplaceAll(v, dir, "DIR")
	}
	return v
}

// bytesOf reads all files of a directory.
func bytesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	must.Succeed(t, err)
	return files
}

// TestMergeIsWhole merges shards, in one step and in several, in other orders
// and again, and requires what the campaign leaves that runs in one go.
func TestMergeIsWhole(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	want := timeless(t, makeIn(t, at("whole"), ""))
	var shards []string
	for i, workers := range []string{"workers=2", "workers=1", "workers=3"} { // the first to begin counts
		n := fmt.Sprint(i + 1)
		shards = append(shards, makeIn(t, at("shard-"+n), n+"/3", workers))
	}
	r := mergeTo(t, at("once"), shards...)
	got := map[string]int{"added": r.Added, "missing": len(r.Missing), "summary": r.Summary.Total().Runs}
	if diff := cmp.Diff(map[string]int{"added": 23, "missing": 0, "summary": 23}, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, timeless(t, at("once"))); diff != "" {
		t.Errorf("merged it is otherwise (-whole +merged):\n%s", diff)
	}
	a, err := journal.Open(at("once"))
	must.Succeed(t, err)
	var last time.Duration
	for e, err := range a.Entries() {
		if err != nil || e.At < last {
			t.Errorf("run %d was recorded after %v, one before it after %v: %v", e.Number, e.At, last, err)
		}
		last = e.At
	}
	once := bytesOf(t, at("once"))
	for name, steps := range map[string][][]string{
		"again":   {{shards[2], shards[0], shards[1]}, {shards[1]}, {shards[0], shards[1], shards[2]}},
		"slowly":  {{shards[2]}, {shards[1]}, {shards[0]}},
		"twice":   {{shards[0], shards[0], shards[1]}, {shards[2], shards[1]}},
		"merged":  {{at("once")}},
		"overlap": {{shards[1], at("once")}, {at("whole")}},
	} {
		for _, sources := range steps {
			mergeTo(t, at(name), sources...)
		}
		if diff := cmp.Diff(want, timeless(t, at(name))); diff != "" {
			t.Errorf("%s: it is otherwise (-whole +merged):\n%s", name, diff)
		}
	}
	for _, sources := range [][]string{{shards[1]}, shards, {at("again")}} {
		if r := mergeTo(t, at("once"), sources...); r.Added != 0 {
			t.Errorf("%d runs are added again", r.Added)
		}
		if diff := cmp.Diff(once, bytesOf(t, at("once"))); diff != "" {
			t.Errorf("merging %v again changes:\n%s", sources, diff)
		}
	}
	// A run directory that a user removed comes back.
	must.Succeed(t, os.RemoveAll(filepath.Join(at("once"), kept(t, at("once")))))
	mergeTo(t, at("once"), shards...)
	if diff := cmp.Diff(once, bytesOf(t, at("once"))); diff != "" {
		t.Errorf("what was taken away does not come back:\n%s", diff)
	}
}

// TestMergePart merges a shard that was interrupted, then its rest; what is
// missing is named, and the merged campaign can be resumed.
func TestMergePart(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	want := timeless(t, makeIn(t, at("whole"), "", "workers=1"))
	c, err := config.Parse("parts.yaml", []byte(campaign), []string{"workers=1"}) // no run is ahead when it is interrupted
	must.Succeed(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	part := engine.Engine{Dir: at("1"), Shard: config.Shard{Index: 1, Of: 3}, OnResult: func(s *summary.Summary, _ *journal.Entry) {
		if s.Total().Runs == 3 {
			cancel()
		}
	}}
	if sum, err := part.Run(ctx, c); err != nil || !sum.Interrupted {
		t.Fatalf("%v: not interrupted", err)
	}
	makeIn(t, at("2"), "2/3")
	r := mergeTo(t, at("merged"), at("2"), at("1"))
	if diff := cmp.Diff([]Part{{Shard: config.Shard{Index: 1, Of: 3}, Runs: 8, Has: 3}, {Shard: config.Shard{Index: 3, Of: 3}, Runs: 7}}, r.Missing); diff != "" {
		t.Errorf("missing runs (-want +got):\n%s", diff)
	}
	if r.Summary.ExitStatus() == summary.ExitOK || !r.Summary.Interrupted {
		t.Errorf("exit status %d, interrupted %v", r.Summary.ExitStatus(), r.Summary.Interrupted)
	}
	rest := engine.Engine{Dir: at("1")}
	if _, err := rest.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	mergeTo(t, at("merged"), at("1"))
	must.Succeed(t, os.CopyFS(at("resumed"), os.DirFS(at("merged"))))
	// The third shard is made elsewhere, or here.
	makeIn(t, at("3"), "3/3")
	mergeTo(t, at("merged"), at("3"))
	here := engine.Engine{Dir: at("resumed")}
	if _, err := here.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"merged", "resumed"} {
		got := timeless(t, at(name))
		if name == "resumed" { // its lines are in another order
			delete(got, "runs.jsonl")
			delete(got, "summary.json")
			passed := make(map[string]bool) // another one may be the example of its verdicts
			a, err := journal.Open(at(name))
			must.Succeed(t, err)
			for e, err := range a.Entries() {
				must.Succeed(t, err)
				passed[e.Dir.Base()] = e.Outcome == sim.Passed
			}
			for file := range got {
				if _, ok := want[file]; !ok && !passed[filepath.Dir(file)] {
					t.Errorf("resumed, there is %s", file)
				}
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: it is otherwise (-whole +merged):\n%s", name, diff)
		}
	}
}

// TestMergeEnds merges shards whose budget was spent, in steps, and requires the
// merged campaign to end so when the last of them is there.
func TestMergeEnds(t *testing.T) {
	dir := t.TempDir()
	var spent []string
	for _, i := range []string{"1", "2", "3"} {
		spent = append(spent, makeIn(t, filepath.Join(dir, i), i+"/3", "budget=1ns"))
	}
	merged := filepath.Join(dir, "merged")
	for _, step := range []struct {
		sources []string
		want    journal.End
	}{
		{spent[:2], journal.EndInterrupted}, {spent[2:], journal.EndInterrupted}, // the others are not looked at again
		{spent, journal.EndBudget}, {spent[1:2], journal.EndBudget},
	} {
		r := mergeTo(t, merged, step.sources...)
		a, err := journal.Open(merged)
		must.Succeed(t, err)
		if a.Header.End != step.want || r.Summary.BudgetSpent != (step.want == journal.EndBudget) {
			t.Errorf("after %v: end %q, want %q", step.sources, a.Header.End, step.want)
		}
	}
	other := mergeTo(t, filepath.Join(dir, "other"), merged)
	if !other.Summary.BudgetSpent {
		t.Error("merged once more, the budget is not spent")
	}
}

// TestMergeReduced merges shards that have reduced their findings, one of them
// in the midst of it when it was killed.
func TestMergeReduced(t *testing.T) {
	dir := t.TempDir()
	c, err := config.Parse("parts.yaml", []byte(campaign), []string{"reduce=1s"})
	must.Succeed(t, err)
	var shards []string
	for i := 1; i <= 2; i++ {
		l := engine.Engine{Dir: filepath.Join(dir, fmt.Sprint(i)), Shard: config.Shard{Index: i, Of: 2}}
		l.Reduce = func(_ context.Context, job engine.ReduceJob) (*run.Reduction, error) {
			return &run.Reduction{Before: 100, After: 10 + i, Threads: 2, Rounds: 1}, os.Mkdir(string(job.Out), 0o755)
		}
		if _, err := l.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		shards = append(shards, l.Dir)
	}
	part := filepath.Join(shards[1], kept(t, shards[1]), "reduced.part")
	must.Succeed(t, os.Mkdir(part, 0o755))
	r := mergeTo(t, filepath.Join(dir, "merged"), shards...)
	if len(r.Summary.Findings) == 0 {
		t.Fatal("no findings")
	}
	f := r.Summary.Findings[0]
	owner := 0
	for i := 1; i <= 2; i++ {
		if (config.Shard{Index: i, Of: 2}).Has(c)[f.First] {
			owner = i
		}
	}
	if f.Reduction == nil || f.Best == nil {
		t.Fatalf("run %d has reduction %+v and best run %+v, want both", f.First, f.Reduction, f.Best)
	}
	if f.Reduction.After != 10+owner {
		t.Errorf("the reduction of run %d is %+v, want that of shard %d", f.First, f.Reduction, owner)
	}
	if _, err := os.Lstat(f.Best.Dir); err != nil || !f.Best.Reduced {
		t.Errorf("best run %+v: reduced is %t, want true: %v", f.Best, f.Best.Reduced, err)
	}
	if parts, err := filepath.Glob(filepath.Join(dir, "merged", "*", "reduced.part")); err != nil || len(parts) > 0 {
		t.Errorf("%v is merged", parts)
	}
}

// TestMergeCanaries requires a canary that no shard has caught to be a finding of
// the merged campaign, and not of a shard, which has not made all its runs.
func TestMergeCanaries(t *testing.T) {
	const text = `
name: canaries
sim: builtin
configs:
  - {name: caught, runs: 8, threads: 3, ops: 30, locations: 3, rounds: 3, core: ooo, protocol: ideal-cached, core-bugs: [load-not-squashed], bug: {about: loads}}
  - {name: missed, runs: 8, threads: 2, ops: 5, locations: 8, rounds: 1, core: ooo, protocol: ideal-cached, core-bugs: [load-not-squashed], bug: {about: loads, budget: 1}}
`
	dir := t.TempDir()
	whole := makeOf(t, text, filepath.Join(dir, "whole"), "")
	var shards []string
	for _, i := range []string{"1", "2", "3"} {
		shards = append(shards, makeOf(t, text, filepath.Join(dir, i), i+"/3"))
		a, err := journal.Open(shards[len(shards)-1])
		must.Succeed(t, err)
		if sum, err := summary.Read(a); err != nil || len(sum.Findings) > 0 {
			t.Errorf("shard %s: %v: findings %v", i, err, sum.Findings)
		}
	}
	merged := filepath.Join(dir, "merged")
	r := mergeTo(t, merged, shards...)
	if len(r.Summary.Findings) != 1 || r.Summary.Findings[0].Outcome != sim.Missed {
		t.Errorf("findings %+v, want a canary that is missed", r.Summary.Findings)
	}
	if diff := cmp.Diff(timeless(t, whole), timeless(t, merged)); diff != "" {
		t.Errorf("merged it is otherwise (-whole +merged):\n%s", diff)
	}
}
