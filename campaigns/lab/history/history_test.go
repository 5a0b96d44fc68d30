package history

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/lab"
	"ordeal/campaigns/lab/bugs"
)

// repository is a git repository with our own MI.
type repository struct {
	t   *testing.T
	dir string
}

const protocolDir = "src/mem/ruby/protocol"

func newRepository(t *testing.T) *repository {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	r := &repository{t, t.TempDir()}
	must.Succeed(t, os.MkdirAll(filepath.Join(r.dir, filepath.Dir(protocolDir)), 0o700))
	must.Succeed(t, os.CopyFS(filepath.Join(r.dir, protocolDir), os.DirFS("../../../sim/protocols/slicc")))
	for _, other := range []string{"MOESI_hammer", "MOESI_AMD_Base", "MESI_Two_Level"} {
		must.Succeed(t, os.Remove(filepath.Join(r.dir, protocolDir, other+".slicc")))
	}
	r.git("init", "-q", "-b", "main")
	r.commit("initial")
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-qm", message)
	return r.git("rev-parse", "HEAD")
}

// edit replaces text of the cache controller and commits that.
func (r *repository) edit(message, before, after string) string {
	r.t.Helper()
	file := filepath.Join(r.dir, protocolDir, "MI_example-cache.sm")
	text, err := os.ReadFile(file)
	must.Succeed(r.t, err)
	if !strings.Contains(string(text), before) {
		r.t.Fatalf("no %q", before)
	}
	must.Succeed(r.t, os.WriteFile(file, []byte(strings.Replace(string(text), before, after, 1)), 0o600))
	return r.commit(message)
}

func (r *repository) replay(since, dir string) *Replay {
	r.t.Helper()
	clone, err := bugs.OpenClone(r.t.Context(), r.dir)
	must.Succeed(r.t, err)
	commits, err := clone.Commits(r.t.Context(), since)
	must.Succeed(r.t, err)
	return &Replay{
		Clone: clone, Commits: commits, Since: since, Dir: dir, Workers: 2, Progress: func(string, ...any) {},
		Audit: audit.Options{Seed: 1, Steps: 60_000, Engines: []audit.Engine{audit.Sample}},
	}
}

const (
	wait     = "  transition({IS, IM}, Fwd_GETX) {\n    zf_waitForData;\n  }\n"
	loadHit  = "    r_load_hit;\n    p_profileHit;\n"
	storeHit = "    s_store_hit;\n    p_profileHit;\n"
)

// events are what a report says of each commit: the events, each title by its first words, or the reason.
func events(r *Report) map[string][]string {
	all := map[string][]string{}
	for _, row := range r.Commits {
		list := []string{}
		for _, e := range row.Events {
			if e.What != Stays {
				list = append(list, e.What+" "+e.Title)
			}
		}
		for _, reason := range row.Reasons {
			list = append(list, "reason "+reason)
		}
		slices.Sort(list)
		all[row.Commit.ID] = list
	}
	return all
}

// TestReplay has a regression, a repair of it two commits later, edits that nothing shows, a commit that does not
// parse between, and a merge of a branch that has the regression still.
func TestReplay(t *testing.T) {
	r := newRepository(t)
	first := r.git("rev-parse", "HEAD")
	comment := r.edit("say more", "// A miss.", "// A miss, that is.")
	silent := r.edit("count less", loadHit, "    r_load_hit;\n")
	bad := r.edit("mem-ruby: simplify forwards (#12)", wait, "")
	r.git("checkout", "-qb", "side")
	side := r.edit("count still less", storeHit, "    s_store_hit;\n")
	r.git("checkout", "-q", "main")
	broken := r.edit("half an edit", "machine(", "machine((")
	r.edit("undo", "machine((", "machine(")
	r.git("reset", "-q", "--soft", broken)
	fixed := r.edit("mem-ruby: fix forwards (#13)\n\nThis resolves #7.", "  // The request that needs", wait+"  // The request that needs")
	r.git("merge", "-q", "-m", "Merge side", "side")
	merge := r.git("rev-parse", "HEAD")

	dir := t.TempDir()
	report, err := r.replay(first, dir).Run(t.Context())
	must.Succeed(t, err)
	got := events(report)
	for id, what := range map[string]string{comment: "", silent: "", side: "", merge: "", bad: Begins, fixed: Ends, broken: "reason MI_example: "} {
		list, ok := got[id]
		if !ok || (what == "") != (len(list) == 0) {
			t.Errorf("commit %.10s: %q (listed: %v), want %q", id, list, ok, what)
		}
		for _, e := range list {
			if !strings.HasPrefix(e, what) || what != "" && what[0] != 'r' && !strings.Contains(e, "Fwd_GETX") {
				t.Errorf("commit %.10s: %q, want %q", id, e, what)
			}
		}
	}
	for _, row := range report.Commits {
		if row.Commit.ID == comment && len(row.Changed) > 0 {
			t.Errorf("a comment changes %q", row.Changed)
		}
		for _, e := range row.Events {
			if e.What == Begins {
				if _, err := os.Stat(filepath.Join(filepath.Dir(e.Witness.Dir), "witness.txt")); err != nil || e.Witness.Size == 0 {
					t.Errorf("witness %+v: %v", e.Witness, err)
				}
			}
		}
	}
	for _, d := range report.Defects {
		if !slices.Equal(d.Since, []string{bad}) || !slices.Equal(d.Until, []string{fixed}) || d.Ending[0] != "a fix, #13, #7" {
			t.Errorf("%+v, want from %s until %s", d, bad, fixed)
		}
	}

	t.Run("missed", func(t *testing.T) {
		// The audit of the commit with the regression found nothing: those of its neighbours tell.
		other := t.TempDir()
		replay := r.replay(first, other)
		data, err := os.ReadFile(filepath.Join(dir, "audits.jsonl"))
		must.Succeed(t, err)
		entries, err := lab.Parse[*audited]("audits.jsonl", data)
		must.Succeed(t, err)
		kept, err := lab.Open[*audited](filepath.Join(other, "audits.jsonl"))
		must.Succeed(t, err)
		protocols, err := replay.Clone.Protocols(t.Context(), bad)
		must.Succeed(t, err)
		_, identity, err := protocols.Write(t.TempDir(), "MI_example.slicc")
		must.Succeed(t, err)
		emptied := 0
		for _, e := range entries {
			if strings.HasSuffix(e.Name, identity) {
				e.Result.Findings = nil
				emptied++
			}
			_, err := kept.Do(lab.Case{Name: e.Name, Depends: bugs.BudgetOf(replay.Audit)}, func() (*audited, error) { return e.Result, nil })
			must.Succeed(t, err)
		}
		must.Succeed(t, kept.Close())
		if emptied != 1 {
			t.Fatalf("%d audits of %s", emptied, identity)
		}
		again, err := replay.Run(t.Context())
		must.Succeed(t, err)
		if got := events(again); len(got[bad]) == 0 || len(got[side]) > 0 || !strings.HasPrefix(got[bad][0], Begins) {
			t.Errorf("at the regression: %q, and at the branch: %q", got[bad], got[side])
		}
	})

	t.Run("resumed", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		dir := t.TempDir()
		replay := r.replay(first, dir)
		replay.Progress = func(format string, _ ...any) {
			if strings.Contains(format, "audits") {
				cancel(stopped)
			}
		}
		if _, err := replay.Run(ctx); !errors.Is(err, stopped) {
			t.Fatalf("%v, want %v", err, stopped)
		}
		report, err := r.replay(first, dir).Run(t.Context())
		must.Succeed(t, err)
		a, _ := json.Marshal(got)
		if b, _ := json.Marshal(events(report)); string(a) != string(b) {
			t.Errorf("%s, want %s", b, a)
		}
	})

	t.Run("shallow", func(t *testing.T) {
		s := &repository{t, t.TempDir()}
		s.git("clone", "-q", "--depth=2", "--bare", "file://"+r.dir, ".")
		report, err := s.replay("2001-01-01", t.TempDir()).Run(t.Context())
		must.Succeed(t, err)
		cut := 0
		for _, row := range report.Commits {
			for _, reason := range row.Reasons {
				if strings.Contains(reason, "shallow") {
					cut++
				}
			}
		}
		if cut == 0 || report.Regressions() > 0 {
			t.Errorf("%d rows say that the clone is shallow; %d regressions", cut, report.Regressions())
		}
	})

	for since, want := range map[string]string{"yesterday": "want a day", "2024-13-01": "want a day", "--all": "want a day", "main..nowhere": "nowhere"} {
		if _, err := r.replay("HEAD", t.TempDir()).Clone.Commits(t.Context(), since); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("since %s: %v, want %s", since, err, want)
		}
	}
}
