package engine

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

const smallCampaign = `
name: small
seed: 3
configs:
  - {name: two, runs: 6, threads: 2, ops: 10, locations: 2, rounds: 3}
  - {name: three, runs: 6, threads: 3, ops: 10, locations: 2, rounds: 3, layout: packed}
`

// embeddedCampaign runs on the embedded simulator; clean passes, faulty fails
// in some runs.
const embeddedCampaign = `
name: parts
sim: builtin
seed: 5
workers: 2
configs:
  - {name: clean, runs: 12, threads: 3, ops: 20, locations: 4, rounds: 2, core: tso, protocol: mi}
  - {name: faulty, runs: 12, threads: 3, ops: 30, locations: 3, rounds: 3, core: ooo, protocol: ideal-cached, core-bugs: [load-not-squashed]}
`

func parse(t *testing.T, text string, sets ...string) *config.Campaign {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte(text), sets)
	must.Succeed(t, err)
	return c
}

// newEngine returns an engine that runs every configuration on one simulator,
// nil for the one that the configuration names, and the lines that it logs.
func newEngine(t *testing.T, runner sim.Runner) (*Engine, *logLines) {
	log := new(logLines)
	e := &Engine{Dir: filepath.Join(t.TempDir(), "out"), Command: []string{"ordeal"}, Logf: log.logf}
	e.use(runner)
	return e, log
}

// use replaces the simulator of an engine.
func (e *Engine) use(runner sim.Runner) {
	e.Runner = nil
	if runner != nil {
		e.Runner = func(string, *config.Config) (sim.Runner, error) { return runner, nil }
	}
}

func runEngine(t *testing.T, e *Engine, c *config.Campaign) *summary.Summary {
	t.Helper()
	sum, err := e.Run(t.Context(), c)
	must.Succeed(t, err)
	return sum
}

func resume(t *testing.T, e *Engine) *summary.Summary {
	t.Helper()
	sum, err := e.Resume(t.Context())
	must.Succeed(t, err)
	return sum
}

// logLines are the lines of Engine.Logf.
type logLines []string

func (l *logLines) logf(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

// has requires a line that contains a text.
func (l *logLines) has(t *testing.T, text string) {
	t.Helper()
	if !slices.ContainsFunc(*l, func(line string) bool { return strings.Contains(line, text) }) {
		t.Errorf("no line with %q is logged:\n%s", text, strings.Join(*l, "\n"))
	}
}

// contains requires that a text contains others.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// fails requires an error that contains a text.
func fails(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error is %v, want %q", err, text)
	}
}

// counts are the numbers of runs by outcome.
type counts map[sim.Outcome]int

// hasCounts compares the outcomes and the exit status of a campaign.
func hasCounts(t *testing.T, sum *summary.Summary, want counts, status int) {
	t.Helper()
	if diff := cmp.Diff(want, counts(sum.Total().Outcomes)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if got := sum.ExitStatus(); got != status {
		t.Errorf("exit status %d, want %d", got, status)
	}
}

// runNumber is the number of a job's run; -1 outside a campaign's directory.
func runNumber(job sim.Job) int {
	if number, ok := run.Number(filepath.Base(job.Dir)); ok {
		return number
	}
	return -1
}

// runnerFunc is a simulator that is a function.
type runnerFunc func(context.Context, sim.Job) (sim.Result, error)

func (runnerFunc) Name() string                   { return "fake" }
func (runnerFunc) Version(context.Context) string { return "fake simulator" }
func (f runnerFunc) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	return f(ctx, job)
}

// either runs the jobs that when accepts on other, all others on the fake
// simulator.
func either(other sim.Runner, when func(number int) bool) sim.Runner {
	return runnerFunc(func(ctx context.Context, job sim.Job) (sim.Result, error) {
		if when(runNumber(job)) {
			return other.Run(ctx, job)
		}
		return new(fake.Runner).Run(ctx, job)
	})
}

func entries(t *testing.T, dir string) []*journal.Entry {
	t.Helper()
	a, err := journal.Open(dir)
	must.Succeed(t, err)
	var list []*journal.Entry
	for e, err := range a.Entries() {
		must.Succeed(t, err)
		list = append(list, e)
	}
	return list
}

// glob lists the files that match a pattern below a directory.
func glob(t *testing.T, dir string, pattern ...string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(append([]string{dir}, pattern...)...))
	must.Succeed(t, err)
	list := []string{}
	for _, path := range paths {
		name, err := filepath.Rel(dir, path)
		must.Succeed(t, err)
		list = append(list, name)
	}
	return list
}

// times matches a time or a duration in a file of a campaign, and the checksum
// of a line that has some.
var times = regexp.MustCompile(`"([a-z_]+_ns|started|session|crc32c)": ?("[^"]*"|[0-9]+)`)

// contents is everything that a campaign left in its directory except times,
// the directory's own name and what is in quarantine: by path, the lines of
// files.
func contents(t *testing.T, dir string) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if name == journal.QuarantineDir {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		if name == journal.SummaryText { // SummaryJSON has the same; times cannot be removed from this
			all[name] = nil
			return nil
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		data = bytes.ReplaceAll(data, []byte(dir), []byte("DIR"))
		all[name] = slices.Collect(strings.Lines(string(times.ReplaceAll(data, []byte(`"$1":0`)))))
		return nil
	})
	must.Succeed(t, err)
	return all
}

// TestRun runs a campaign that passes: its summary, journal and directories.
func TestRun(t *testing.T) {
	for keep, want := range map[string][]string{
		"findings": {"000000/run.json", "000001/run.json"}, // the first of each configuration
		"all":      nil,
	} {
		e, _ := newEngine(t, new(fake.Runner))
		sum := runEngine(t, e, parse(t, smallCampaign, "keep="+keep))
		hasCounts(t, sum, counts{sim.Passed: 12}, summary.ExitOK)
		total := sum.Total() // a memory without buffers is sequentially consistent
		if diff := cmp.Diff(map[string]int{"allowed": 12}, total.Answers["sc"]); diff != "" {
			t.Errorf("answers of sc (-want +got):\n%s", diff)
		}
		if total.Weak != 0 {
			t.Errorf("%d runs are TSO, but not SC", total.Weak)
		}
		for _, entry := range entries(t, e.Dir) {
			if keep == "all" {
				want = append(want, filepath.Join(run.Name(entry.Number), run.SpecFile))
			}
			if !entry.Kept {
				continue
			}
			spec, err := entry.Dir.Spec()
			must.Succeed(t, err)
			p, err := spec.Config.Programs.Program(spec.Seed, entry.Number)
			must.Succeed(t, err)
			if run.Hash(p.Text()) != entry.Program {
				t.Errorf("run %d: the program is not that of its seed and number", entry.Number)
			}
			if err := entry.Dir.Verify(); err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff(want, glob(t, e.Dir, "*", run.SpecFile)); diff != "" {
			t.Errorf("keep=%s: run directories (-want +got):\n%s", keep, diff)
		}
		if n := len(entries(t, e.Dir)); n != 12 {
			t.Errorf("%d lines in the journal", n)
		}
	}
}

// TestFailures runs campaigns whose runs fail: outcome, files and report.
func TestFailures(t *testing.T) {
	for outcome, tt := range map[sim.Outcome]struct {
		fault fake.Fault
		files []string
	}{
		sim.Violation: {fake.Stale, []string{run.LogFile, "witness-tso.txt"}},
		sim.Corrupt:   {fake.Torn, []string{run.LogFile}},
		sim.Crash:     {fake.Crash, nil},
	} {
		e, _ := newEngine(t, &fake.Runner{Fault: tt.fault})
		sum := runEngine(t, e, parse(t, smallCampaign))
		if len(sum.Findings) == 0 || sum.ExitStatus() != summary.ExitFinding {
			t.Fatalf("%s: exit status %d, findings %+v", outcome, sum.ExitStatus(), sum.Findings)
		}
		f := &sum.Findings[0]
		if f.Outcome != outcome {
			t.Errorf("outcome %s, want %s", f.Outcome, outcome)
		}
		for _, file := range append(tt.files, run.ProgramFile, run.SpecFile, run.ResultFile) {
			if _, err := os.Stat(filepath.Join(f.Dir, file)); err != nil {
				t.Error(err)
			}
		}
		contains(t, sum.Text(), "seed 3", f.Title, "ordeal repro "+f.Dir)
	}
}

// TestInterrupt interrupts a campaign in run 5: what was recorded before stays,
// and the run in flight has left its program.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, _ := newEngine(t, either(interrupting(cancel), func(number int) bool { return number == 5 }))
	sum, err := e.Run(ctx, parse(t, smallCampaign, "workers=1"))
	must.Succeed(t, err)
	hasCounts(t, sum, counts{sim.Passed: 5}, summary.ExitUndecided)
	if !sum.Interrupted {
		t.Error("the campaign is not interrupted")
	}
	if n := len(entries(t, e.Dir)); n != 5 {
		t.Errorf("%d lines in the journal, want 5", n)
	}
	dir := run.Dir(filepath.Join(e.Dir, run.Name(5)))
	if spec, err := dir.Spec(); err != nil {
		t.Error(err)
	} else if _, err := dir.Program(spec); err != nil {
		t.Error(err)
	}
	if _, err := dir.Result(); err == nil {
		t.Errorf("%s has a result although the run did not end", dir)
	}
}

// interrupting is a simulator that interrupts the campaign and never ends by
// itself.
func interrupting(cancel context.CancelFunc) sim.Runner {
	return runnerFunc(func(ctx context.Context, _ sim.Job) (sim.Result, error) {
		cancel()
		<-ctx.Done()
		return sim.Result{}, ctx.Err()
	})
}

// TestArchive reads a campaign back, with a line cut short at the end and with
// a run in quarantine, and requires the counts that the engine had.
func TestArchive(t *testing.T) {
	panics := either(panicking, func(number int) bool { return number == 5 })
	for text, runner := range map[string]sim.Runner{embeddedCampaign: nil, smallCampaign: panics} {
		e, _ := newEngine(t, runner)
		want := runEngine(t, e, parse(t, text))
		appendTo(t, filepath.Join(e.Dir, journal.RunsFile), `{"number":3,`)
		a, err := journal.Open(e.Dir)
		must.Succeed(t, err)
		got, err := summary.Read(a)
		must.Succeed(t, err)
		ignored := cmpopts.IgnoreFields(summary.Summary{}, "Simulator", "Argv0", "Rerun", "Started")
		if diff := cmp.Diff(want, got, ignored, cmpopts.IgnoreUnexported(summary.Summary{})); diff != "" {
			t.Errorf("read back (-run +read):\n%s", diff)
		}
		list := entries(t, e.Dir)
		if !slices.IsSortedFunc(list, func(a, b *journal.Entry) int { return int(a.At - b.At) }) {
			t.Error("the times of the runs are not in order")
		}
		for _, entry := range list {
			if _, err := a.Run(entry.Number).Spec(); (err == nil) != entry.Kept {
				t.Errorf("run %d: kept %v, but its specification: %v", entry.Number, entry.Kept, err)
			}
		}
		if _, err := summary.ReadEach(a, func(*journal.Entry) error { return os.ErrClosed }); err != os.ErrClosed {
			t.Errorf("error of the callback: %v", err)
		}
		appendTo(t, filepath.Join(e.Dir, journal.RunsFile), "\n")
		_, err = summary.Read(a)
		fails(t, err, fmt.Sprintf("runs.jsonl:%d", len(list)+1))
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must.Succeed(t, err)
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	must.Succeed(t, f.Close())
}
