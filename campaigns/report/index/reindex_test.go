package index

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
)

// reindex brings an index up to date and returns the results of the campaigns, by
// the names of their directories.
func reindex(t testing.TB, db string, o Options, dirs ...string) map[string]*Campaign {
	t.Helper()
	all := make(map[string]*Campaign)
	o.OnCampaign = func(c *Campaign) { all[filepath.Base(c.Dir)] = c }
	must.Succeed(t, Reindex(t.Context(), db, dirs, o))
	return all
}

// TestTwice indexes the same directories twice, in two files and in one, and requires
// the same to the last id.
func TestTwice(t *testing.T) {
	dir := t.TempDir()
	db, _ := years(t, dir)
	want := exact(t, db)
	if len(want) < 10000 {
		t.Fatalf("an index of %d bytes: the test would hold for nothing", len(want))
	}
	other := filepath.Join(dir, "other.db")
	reindex(t, other, Options{}, dir)
	if d := cmp.Diff(want, exact(t, other)); d != "" {
		t.Errorf("another file (-first +second):\n%s", d)
	}
	all := reindex(t, db, Options{}) // of the directories that it knows
	if d := cmp.Diff(want, exact(t, db)); d != "" {
		t.Errorf("rebuilt (-first +second):\n%s", d)
	}
	if all["a"].Runs != 44 {
		t.Errorf("rebuilding reads %d runs of a, want 44", all["a"].Runs)
	}
}

// sealed matches the checksum of a line.
var sealed = regexp.MustCompile(`,"crc32c":"[0-9a-f]{8}"`)

// unseal removes the checksums of a journal, so that changes pass for those of a
// campaign that ran anew, and returns it.
func unseal(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	text = sealed.ReplaceAll(text, nil)
	write(t, path, string(text))
	return text
}

// TestLeftOut corrupts directories, each in another way, and requires them
// named and left out, the others indexed, and what was repaired to come back.
func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"good", "bad", "gone"} {
		runCampaign(t, filepath.Join(dir, name), nightly)
	}
	db := filepath.Join(dir, "index.db")
	runs := filepath.Join(dir, "bad", journal.RunsFile)
	intact, err := os.ReadFile(runs)
	must.Succeed(t, err)
	unseal(t, runs)
	reindex(t, db, Options{}, dir)
	must.Succeed(t, os.RemoveAll(filepath.Join(dir, "gone")))
	saved := make(map[string]string)
	for _, name := range []string{journal.CampaignFile, journal.HeaderFile, journal.RunsFile} {
		text, err := os.ReadFile(filepath.Join(dir, "bad", name))
		must.Succeed(t, err)
		saved[name] = string(text)
	}
	first, rest, _ := strings.Cut(saved[journal.RunsFile], "\n")
	model := `"answers":[{"model":"tso"`
	gone := true
	for what, corrupt := range map[string][2]string{
		"no file":          {journal.CampaignFile, ""},
		"no head":          {journal.HeaderFile, ""},
		"no YAML":          {journal.CampaignFile, "name: [\n"},
		"no JSON":          {journal.HeaderFile, "{"},
		"a line":           {journal.RunsFile, first + "\n" + "garbage\n" + rest},
		"a run twice":      {journal.RunsFile, saved[journal.RunsFile] + first + "\n"},
		"no hash":          {journal.RunsFile, strings.Replace(saved[journal.RunsFile], `"program":"`, `"program":"x`, 1)},
		"no hash of a log": {journal.RunsFile, strings.Replace(saved[journal.RunsFile], `"log_sha256":"`, `"log_sha256":"x`, 1)},
		"two answers":      {journal.RunsFile, strings.Replace(saved[journal.RunsFile], model, model+`},{"model":"tso"`, 1)},
		"a digit":          {journal.RunsFile, strings.Replace(string(intact), `"operations":2`, `"operations":3`, 1)},
		"the last line":    {journal.RunsFile, saved[journal.RunsFile] + "{}\n"},
	} {
		if corrupt[1] == saved[corrupt[0]] {
			t.Fatalf("%s: nothing is corrupted", what)
		}
		write(t, filepath.Join(dir, "bad", corrupt[0]), corrupt[1])
		if corrupt[1] == "" {
			must.Succeed(t, os.Remove(filepath.Join(dir, "bad", corrupt[0])))
		}
		all := reindex(t, db, Options{}, dir)
		if c := all["bad"]; c == nil || c.Err == nil {
			t.Errorf("%s: %+v, want an error", what, c)
		} else if want := filepath.Join(dir, "bad"); !strings.Contains(c.Err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, c.Err, want)
		}
		if c := all["good"]; c.Err != nil || c.Runs != 44 {
			t.Errorf("%s: the good one: %d runs, %v", what, c.Runs, c.Err)
		}
		if c := all["gone"]; (c != nil && c.Removed && c.Err == nil) != gone {
			t.Errorf("%s: the removed one: %+v", what, c)
		}
		gone = false // it is reported once
		if got := ask(t, db, "SELECT dir FROM campaign"); len(got) != 1 || got[0] != "good" {
			t.Errorf("%s: %v are indexed", what, got)
		}
		if d := cmp.Diff(scratch(t, db, dir), content(t, db)); d != "" {
			t.Errorf("%s (-scratch +index):\n%s", what, d)
		}
		write(t, filepath.Join(dir, "bad", corrupt[0]), saved[corrupt[0]])
		if c := reindex(t, db, Options{}, dir)["bad"]; c.Err != nil || c.Runs != 44 {
			t.Errorf("%s: repaired: %+v", what, c)
		}
	}
	all := reindex(t, db, Options{}, filepath.Join(dir, "never"), filepath.Join(dir, "good", journal.RunsFile))
	if c := all["never"]; c == nil || c.Err == nil {
		t.Errorf("a directory that never was: %+v, want an error", c)
	} else if c.Removed {
		t.Error("a directory that never was is removed")
	}
	if c := all[journal.RunsFile]; c == nil || c.Err == nil {
		t.Errorf("a file in place of a directory: %+v", c)
	}
}

// TestMoved moves the tree, and requires the index to go with it; and the same
// campaign by other paths to be one.
func TestMoved(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	runCampaign(t, filepath.Join(old, "a"), nightly)
	if err := os.WriteFile(filepath.Join(old, "note.txt"), nil, 0o644); err != nil { // no campaign
		t.Fatal(err)
	}
	reindex(t, filepath.Join(old, "index.db"), Options{}, old)
	moved := filepath.Join(dir, "new place? #1%20")
	must.Succeed(t, os.Rename(old, moved))
	db := filepath.Join(moved, "index.db")
	must.Succeed(t, os.Symlink(moved, filepath.Join(dir, "link")))
	t.Chdir(filepath.Join(moved, "a"))
	all := reindex(t, filepath.Join(dir, "link", "index.db"), Options{}, ".", "../../link", filepath.Join(dir, "link", "a"))
	if diff := cmp.Diff(map[string]*Campaign{"a": {Dir: all["a"].Dir, Runs: 44}}, all); diff != "" {
		t.Errorf("moved: -want +got\n%s", diff)
	}
	if got := ask(t, db, "SELECT dir FROM campaign"); len(got) != 1 || got[0] != "a" {
		t.Errorf("%v are indexed", got)
	}
	kept := ask(t, db, "SELECT dir FROM runs WHERE finding ORDER BY number LIMIT 1")
	if _, err := os.Stat(filepath.Join(moved, kept[0], run.SpecFile)); err != nil {
		t.Error(err)
	}
}

// TestSeeds requires seeds of all sizes to be exact.
func TestSeeds(t *testing.T) {
	dir := t.TempDir()
	one := "name: one\nsim: builtin\nconfigs: [{name: a, threads: 2, ops: 4, locations: 1, rounds: 1}]\n"
	for _, s := range []string{"0", "9223372036854775807", "9223372036854775808", "18446744073709551615"} {
		runCampaign(t, filepath.Join(dir, s), one, "seed="+s)
	}
	db := filepath.Join(dir, "index.db")
	reindex(t, db, Options{}, dir)
	for _, got := range ask(t, db, "SELECT dir, seed, typeof(seed) FROM campaign") {
		name, rest, _ := strings.Cut(got, "|")
		kind := "integer"
		if strings.HasPrefix(name, "9223372036854775808") || strings.HasPrefix(name, "1844") {
			kind = "text"
		}
		if rest != name+"|"+kind {
			t.Errorf("seed %s is %s", name, rest)
		}
	}
}

// TestReplaced indexes a campaign whose run 12 replaces the directory of run 11,
// up to run 11 and then the rest.
func TestReplaced(t *testing.T) {
	dir := t.TempDir()
	path, db := filepath.Join(dir, "night"), filepath.Join(dir, "ordeal.db")
	runCampaign(t, path, nightly)
	replaced := 11
	rewrite(t, path, func(e *journal.Entry) {
		switch e.Number {
		case 11:
			e.Kept = true
		case 12:
			e.Kept, e.Replaces = true, &replaced
		}
	})
	file := filepath.Join(path, journal.RunsFile)
	text, err := os.ReadFile(file)
	must.Succeed(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	const query = "SELECT number, dir FROM runs WHERE number IN (11, 12)"
	for _, tt := range []struct {
		lines int
		want  []string
	}{{12, []string{"11|night/000011"}}, {len(lines), []string{"11|-", "12|night/000012"}}} {
		write(t, file, strings.Join(lines[:tt.lines], ""))
		must.Succeed(t, Reindex(t.Context(), db, []string{path}, Options{}))
		if diff := cmp.Diff(tt.want, ask(t, db, query)); diff != "" {
			t.Errorf("%d lines (-want +got):\n%s", tt.lines, diff)
		}
	}
}
