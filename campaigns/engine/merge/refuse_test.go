package merge

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/sim"
)

// copyOf copies a campaign's directory.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	must.Succeed(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

// edit changes the JSON object in a line of a file; the first line is 0.
func edit(t *testing.T, path string, line int, change func(map[string]any)) {
	t.Helper()
	data, err := os.ReadFile(path)
	must.Succeed(t, err)
	lines := [][]byte{data}
	if strings.HasSuffix(path, "l") {
		lines = bytes.Split(data, []byte("\n"))
	}
	object := make(map[string]any)
	must.Succeed(t, json.Unmarshal(lines[line], &object))
	change(object)
	if lines[line], err = json.Marshal(object); err != nil {
		t.Fatal(err)
	}
	must.Succeed(t, os.WriteFile(path, bytes.Join(lines, []byte("\n")), 0o600))
}

func replace(t *testing.T, path, old, new string) {
	t.Helper()
	data, err := os.ReadFile(path)
	must.Succeed(t, err)
	if !strings.Contains(string(data), old) {
		t.Fatalf("no %q in %s:\n%s", old, path, data)
	}
	must.Succeed(t, os.WriteFile(path, bytes.Replace(data, []byte(old), []byte(new), 1), 0o600))
}

// kept is the name of a run directory of a campaign, that of a failing run.
func kept(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "witness-tso.txt"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no failing run in %s: %v", dir, err)
	}
	return filepath.Base(filepath.Dir(found[0]))
}

// TestMergeRefuses corrupts one of two shards, and requires a message that says
// how, and a merged campaign that stays as it was.
func TestMergeRefuses(t *testing.T) {
	one, two := makeIn(t, filepath.Join(t.TempDir(), "1"), "1/2"), makeIn(t, filepath.Join(t.TempDir(), "2"), "2/2")
	merged := filepath.Join(t.TempDir(), "merged")
	mergeTo(t, merged, one, two)
	finding := kept(t, two)
	want := bytesOf(t, merged)
	in := func(name string) func(dir string) string {
		return func(dir string) string { return filepath.Join(dir, name) }
	}
	journal, head, file := in("runs.jsonl"), in("campaign.json"), in("campaign.yaml")
	link := func(dir, name, to string) {
		path := filepath.Join(dir, name)
		must.Succeed(t, os.RemoveAll(path))
		must.Succeed(t, os.Symlink(to, path))
	}
	outcome := func(object map[string]any) { object["outcome"], object["title"] = "crash", "panic" }
	for _, tt := range []struct {
		name    string
		fresh   bool // into a new directory, else into the merged campaign
		corrupt func(dir string)
		want    []string
	}{
		{"another campaign", false, func(d string) { replace(t, file(d), "runs: 14", "runs: 15") }, []string{`configs.0.runs is "14"`, `"15"`, "not of the same campaign"}},
		{"another seed", false, func(d string) {
			replace(t, file(d), "seed: 5", "seed: 6")
			edit(t, head(d), 0, func(o map[string]any) { o["seed"] = 6 })
		}, []string{`seed is "5"`, `"6"`}},
		{"two seeds", true, func(d string) { edit(t, head(d), 0, func(o map[string]any) { o["seed"] = 6 }) }, []string{"campaign.json: seed 6, but campaign.yaml says 5"}},
		{"other tools", true, func(d string) {
			edit(t, head(d), 0, func(o map[string]any) { o["tools"].(map[string]any)["ordeal"] = "v0.0.1" })
		}, []string{"ordeal v0.0.1"}},
		{"a later format", true, func(d string) { edit(t, head(d), 0, func(o map[string]any) { o["version"] = 99 }) }, []string{"version 99"}},
		{"another shard", true, func(d string) { edit(t, head(d), 0, func(o map[string]any) { o["shard"] = "1/2" }) }, []string{"is not of shard 1/2"}},
		{"other outcome", false, func(d string) { edit(t, journal(d), 0, outcome) }, []string{"its outcome is", `"crash"`}},
		{"other program", false, func(d string) {
			edit(t, journal(d), 2, func(o map[string]any) { o["program"] = strings.Repeat("0", 64) })
		}, []string{"its program is"}},
		{"other log", false, func(d string) {
			edit(t, journal(d), 2, func(o map[string]any) { o["log_sha256"] = strings.Repeat("0", 64) })
		}, []string{"its log is"}},
		{"other verdicts", false, func(d string) {
			edit(t, journal(d), 2, func(o map[string]any) { o["operations"] = 1 })
		}, []string{"its verdicts differ"}},
		{"two faults", false, func(d string) {
			edit(t, journal(d), 0, outcome)
			edit(t, journal(d), 1, outcome)
		}, []string{"its outcome is", "\nrun "}},
		{"tools for a terminal", true, func(d string) {
			edit(t, head(d), 0, func(o map[string]any) { o["tools"].(map[string]any)["host"] = "\x1b[2J" })
		}, []string{"control characters", `"\x1b[2J"`}},
		{"title for a terminal", true, func(d string) {
			edit(t, journal(d), 0, func(o map[string]any) { o["title"] = "\x1b[2J" })
		}, []string{"control characters", `"\x1b[2J"`}},
		{"corrupt journal", true, func(d string) { replace(t, journal(d), `"number"`, `"numb`) }, []string{"runs.jsonl:1"}},
		{"another digit", true, func(d string) { replace(t, journal(d), `"at_ns":`, `"at_ns":1`) }, []string{"runs.jsonl:1: the line was changed"}},
		{"corrupt program", true, func(d string) { replace(t, filepath.Join(d, finding, "program.txt"), "\n", "\n\n") }, []string{"run ", "program.txt differs from the journal"}},
		{"corrupt log", true, func(d string) {
			must.Succeed(t, os.Truncate(filepath.Join(d, finding, "log.bin"), 8))
		}, []string{"log.bin differs from the journal"}},
		{"no log", true, func(d string) { os.Remove(filepath.Join(d, finding, "log.bin")) }, []string{"log.bin differs from the journal"}},
		{"no verdict", true, func(d string) { os.Remove(filepath.Join(d, finding, "result.json")) }, []string{"has no result.json"}},
		{"no run directory", true, func(d string) { os.RemoveAll(filepath.Join(d, finding)) }, []string{"its directory was kept"}},
		{"no campaign", true, func(d string) { os.Remove(file(d)) }, []string{"no campaign", "campaign.yaml"}},
		{"linked campaign", true, func(d string) { link(d, "campaign.yaml", file(one)) }, []string{"campaign.yaml: a symbolic link"}},
		{"linked journal", true, func(d string) { link(d, "runs.jsonl", journal(two)) }, []string{"runs.jsonl: a symbolic link"}},
		{"linked run", true, func(d string) { link(d, finding, filepath.Join(two, finding)) }, []string{finding + ": a symbolic link"}},
		{"linked within", true, func(d string) { link(d, finding, "000000") }, []string{finding + ": a symbolic link"}},
		{"linked file", true, func(d string) { link(d, finding+"/stderr.txt", "/etc/passwd") }, []string{"stderr.txt: a symbolic link"}},
		{"linked directory", true, func(d string) { link(d, finding+"/m5out", "/etc") }, []string{"m5out: a symbolic link"}},
		{"linked quarantine", true, func(d string) { link(d, "quarantine", "/etc") }, []string{"quarantine: a symbolic link"}},
		{"pipe", true, func(d string) {
			must.Succeed(t, syscall.Mkfifo(filepath.Join(d, finding, "pipe"), 0o600))
		}, []string{"pipe: it is no regular file"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := copyOf(t, two)
			tt.corrupt(source)
			m := Merge{Dir: merged, Sources: []string{source}}
			if tt.fresh {
				m = Merge{Dir: filepath.Join(t.TempDir(), "fresh"), Sources: []string{one, source}}
			}
			_, err := m.Run(t.Context())
			if err == nil {
				t.Fatal("it is merged")
			}
			for _, want := range append(tt.want, source) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in the message: %v", want, err)
				}
			}
			if diff := cmp.Diff(want, bytesOf(t, merged)); diff != "" {
				t.Errorf("the merged campaign changed:\n%s", diff)
			}
			if tt.fresh { // and what it left is no hindrance
				m.Sources[1] = two
				if _, err := m.Run(t.Context()); err != nil {
					t.Error(err)
				}
				if diff := cmp.Diff(timeless(t, merged), timeless(t, m.Dir)); diff != "" {
					t.Errorf("after a failure it is otherwise:\n%s", diff)
				}
			}
		})
	}
}

// TestMergePlaces requires directories that are no place for a merged campaign to
// be refused, and sources that another process uses.
func TestMergePlaces(t *testing.T) {
	one := makeIn(t, filepath.Join(t.TempDir(), "1"), "1/2")
	mine := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(mine, "mine"), nil, 0o600))
	merged := filepath.Join(t.TempDir(), "merged")
	mergeTo(t, merged, one)
	busy := filepath.Join(t.TempDir(), "busy")
	mergeTo(t, busy, one)
	w, err := journal.Rewrite(busy)
	must.Succeed(t, err)
	defer w.Close()
	for name, tt := range map[string]struct {
		dir     string
		sources []string
		want    string
	}{
		"nothing":       {filepath.Join(t.TempDir(), "x"), nil, "nothing to merge"},
		"into a shard":  {one, []string{merged}, "is shard 1/2 itself"},
		"not empty":     {mine, []string{one}, "not empty"},
		"into itself":   {merged, []string{merged}, "both a source and"},
		"no source":     {merged, []string{filepath.Join(mine, "none")}, "no such file"},
		"an odd source": {merged, []string{"/dev/null"}, "/dev/null is not a directory of a campaign"},
		"busy":          {busy, []string{one}, "another process"},
		"busy source":   {merged, []string{busy}, "the campaign is running"},
	} {
		m := Merge{Dir: tt.dir, Sources: tt.sources}
		if _, err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want %q", name, err, tt.want)
		}
	}
	if _, err := os.Lstat(filepath.Join(one, "000000")); err != nil {
		t.Errorf("a shard lost a run: %v", err)
	}
}

// TestMergeHardware merges parts of a campaign on a machine that does otherwise
// each time: runs that were made twice are refused, the same run is not.
func TestMergeHardware(t *testing.T) {
	c, err := config.Parse("hard.yaml", []byte("name: hard\nkeep: all\nconfigs: [{name: a, runs: 6, threads: 2, ops: 5, locations: 2, rounds: 2}]"), nil)
	must.Succeed(t, err)
	dir := t.TempDir()
	run := func(name string, shard config.Shard, fault fake.Fault) string {
		l := engine.Engine{
			Dir: filepath.Join(dir, name), Shard: shard,
			Runner: func(string, *config.Config) (sim.Runner, error) {
				return &fake.Runner{Fault: fault, When: func(j sim.Job) bool { return strings.HasSuffix(j.Dir, "2") }}, nil
			},
		}
		if _, err := l.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		return l.Dir
	}
	whole, half := run("whole", config.Shard{}, fake.None), run("half", config.Shard{Index: 1, Of: 2}, fake.None)
	again := run("again", config.Shard{Index: 1, Of: 2}, fake.None)
	failed := run("failed", config.Shard{Index: 3, Of: 6}, fake.Absent)
	m := Merge{Dir: filepath.Join(dir, "refused"), Sources: []string{half, again}}
	_, err = m.Run(t.Context())
	if want := "run 0, of a, is in " + half + " and in " + again + ": it was made twice on host"; err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("runs that were made twice: %v, want %q", err, want)
	}
	if n := strings.Count(err.Error(), "\n"); n != 2 {
		t.Errorf("runs that were made twice: %d line ends, want 2: %v", n, err)
	}
	mergeTo(t, filepath.Join(dir, "same"), half, copyOf(t, half))
	// A run that could not be made gives way to the same run made elsewhere.
	for _, sources := range [][]string{{failed}, {failed, whole}} {
		r := mergeTo(t, filepath.Join(dir, "mended"), sources...)
		if n := r.Summary.Total().Outcomes[sim.Infra]; n != 2-len(sources) {
			t.Errorf("%d runs could not be made after merging %v", n, sources)
		}
	}
	for _, name := range []string{"000002/log.bin", "quarantine/000002/reason.txt"} {
		if _, err := os.Lstat(filepath.Join(dir, "mended", name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := fs.Stat(os.DirFS(dir), "mended/000002/reason.txt"); err == nil {
		t.Error("a run directory has what is of a quarantine")
	}
}

// FuzzJournal gives a shard a journal of any contents. It is refused, or what
// is taken of it lies where runs lie: run directories are those of its shard.
func FuzzJournal(f *testing.F) {
	c, err := config.Parse("c.yaml", []byte("name: c\nsim: builtin\nconfigs: [{name: a, runs: 4, threads: 2, ops: 5, locations: 2, rounds: 2, protocol: mi}]"), nil)
	must.Succeed(f, err)
	shard := filepath.Join(f.TempDir(), "shard")
	l := engine.Engine{Dir: shard, Shard: config.Shard{Index: 1, Of: 2}}
	if _, err := l.Run(f.Context(), c); err != nil {
		f.Fatal(err)
	}
	journal := filepath.Join(shard, journal.RunsFile)
	good, err := os.ReadFile(journal)
	must.Succeed(f, err)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(bytes.ReplaceAll(good, []byte(`"number":2`), []byte(`"number":-2`)))
	f.Add(bytes.Replace(good, []byte(`"kept":true`), []byte(`"kept":true,"quarantine":"../../x"`), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		must.Succeed(t, os.WriteFile(journal, data, 0o600))
		staging := t.TempDir()
		j := &merging{Merge: &Merge{Dir: t.TempDir(), Sources: []string{shard}}}
		defer j.close()
		if err := j.open(t.Context()); err != nil {
			t.Fatal(err) // nothing is read of the journal yet
		}
		if j.plan(t.Context()) != nil {
			return
		}
		_ = j.copyRuns(t.Context(), staging)
		for n := range j.runs {
			if j.runs[n].entry != 0 && n%2 != 0 {
				t.Errorf("run %d is taken, which the shard does not have", n)
			}
		}
		entries, err := os.ReadDir(staging)
		must.Succeed(t, err)
		for _, e := range entries {
			if e.Name() != "000000" && e.Name() != "000002" {
				t.Errorf("%s is copied", e.Name())
			}
		}
	})
}
