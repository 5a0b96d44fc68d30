package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
	"ordeal/sim/builtin"
)

// interruptAt interrupts the campaign in a run, which therefore does not end,
// and returns the context to run the engine with.
func interruptAt(t *testing.T, e *Engine, number int) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	e.Runner = func(name string, c *config.Config) (sim.Runner, error) {
		runner, err := run.NewRunner(name, c)
		if err != nil {
			return nil, err
		}
		return interruptedRunner{runner.(*builtin.Runner), interrupting(cancel), number}, nil
	}
	return ctx
}

type interruptedRunner struct {
	*builtin.Runner
	interrupting sim.Runner
	number       int
}

func (r interruptedRunner) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	if runNumber(job) == r.number {
		return r.interrupting.Run(ctx, job)
	}
	return r.Runner.Run(ctx, job)
}

// TestResume interrupts a campaign three times, leaves what a kill may leave
// each time, and requires the files of a campaign without interrupts.
func TestResume(t *testing.T) {
	c := parse(t, embeddedCampaign, "configs.*.runs=30")
	whole, _ := newEngine(t, nil)
	want := runEngine(t, whole, c)
	e, _ := newEngine(t, nil)
	sum, err := e.Run(interruptAt(t, e, 6), c)
	for _, number := range []int{17, 40, -1} {
		if err != nil || !sum.Interrupted {
			t.Fatalf("before the interrupt in run %d: %v: interrupted: %v", number, err, sum.Interrupted)
		}
		leaveKilled(t, e.Dir)
		sum, err = e.Resume(interruptAt(t, e, number))
	}
	must.Succeed(t, err)
	if diff := cmp.Diff(contents(t, whole.Dir), contents(t, e.Dir)); diff != "" {
		t.Errorf("files (-whole +parts):\n%s", diff)
	}
	if want.Rows[0].Coverage.Taken() == 0 || len(want.Findings) == 0 {
		t.Errorf("the campaign covers and finds nothing: %+v", want)
	}
	if n := resume(t, e).Total().Runs; n != 60 {
		t.Errorf("%d runs after resuming a complete campaign, want 60", n)
	}
}

// leaveKilled leaves half a line and a run in flight, as a kill may.
func leaveKilled(t *testing.T, dir string) {
	t.Helper()
	appendTo(t, filepath.Join(dir, journal.RunsFile), `{"number":59,"config":"fau`)
	inFlight := filepath.Join(dir, run.Name(59))
	must.Succeed(t, os.MkdirAll(inFlight, 0o755))
	must.Succeed(t, os.WriteFile(filepath.Join(inFlight, run.SpecFile), []byte("{"), 0o600))
}

// TestResumePending interrupts a campaign whose run 0 does not end: all others
// are pending, and neither recorded nor repeated.
func TestResumePending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		executed := 0 // except run 0
		counting := func(zero sim.Runner) sim.Runner {
			return either(zero, func(number int) bool {
				if number > 0 {
					executed++ // by the only worker that is free
				}
				return number == 0
			})
		}
		e, _ := newEngine(t, counting(interrupting(func() { synctest.Wait(); cancel() })))
		e.Cores = 2
		sum, err := e.Run(ctx, parse(t, smallCampaign, "sim=builtin", "workers=2"))
		must.Succeed(t, err)
		hasCounts(t, sum, counts{}, summary.ExitUndecided)
		if diff := cmp.Diff([]int{11, 11}, []int{executed, len(glob(t, e.Dir, "*", journal.PendingFile))}); diff != "" {
			t.Errorf("executed and pending runs (-want +got):\n%s", diff)
		}
		e.use(counting(new(fake.Runner)))
		hasCounts(t, resume(t, e), counts{sim.Passed: 12}, summary.ExitOK)
		if diff := cmp.Diff([]int{11, 0}, []int{executed, len(glob(t, e.Dir, "*", journal.PendingFile))}); diff != "" {
			t.Errorf("executed and pending runs after the end (-want +got):\n%s", diff)
		}
	})
}

// TestResumeCorrupt damages the records of a campaign and resumes it: the runs
// are repeated, and it ends like one that was not disturbed, except for the
// order of the journal. TestReplay of package journal has the kinds of damage.
func TestResumeCorrupt(t *testing.T) {
	c := parse(t, embeddedCampaign)
	undisturbed, _ := newEngine(t, nil)
	runEngine(t, undisturbed, c)
	want := sortRuns(t, contents(t, undisturbed.Dir))
	for name, damage := range map[string]func(t *testing.T, dir string, lines []string) []string{
		"corrupt line": func(_ *testing.T, _ string, lines []string) []string { lines[6] = lines[6][:40] + "\n"; return lines },
		"missing line of the first run of a kind": func(t *testing.T, _ string, lines []string) []string {
			example := regexp.MustCompile(`"config":"faulty","program":"[^"]*","kept":true,"version":1,"outcome":"passed"`)
			i := slices.IndexFunc(lines, example.MatchString)
			return slices.Delete(lines, i, i+1)
		},
		"corrupt result": func(t *testing.T, dir string, lines []string) []string {
			if err := os.Truncate(filepath.Join(dir, run.Name(0), run.ResultFile), 30); err != nil {
				t.Error(err)
			}
			return lines
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			must.Succeed(t, os.CopyFS(dir, os.DirFS(undisturbed.Dir)))
			path := filepath.Join(dir, journal.RunsFile)
			data, err := os.ReadFile(path)
			must.Succeed(t, err)
			lines := damage(t, dir, slices.Collect(strings.Lines(string(data))))
			must.Succeed(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644))
			resume(t, &Engine{Dir: dir, Command: []string{"ordeal"}})
			if diff := cmp.Diff(want, sortRuns(t, contents(t, dir))); diff != "" {
				t.Errorf("files (-undisturbed +resumed):\n%s", diff)
			}
		})
	}
}

// TestDamagedFinding corrupts each file of a finding's directory, and requires
// that resumption keeps its line, marked, and what is left of the directory, and
// does not repeat the run, which on hardware might not fail again.
func TestDamagedFinding(t *testing.T) {
	crashing := either(&fake.Runner{Fault: fake.Crash}, func(number int) bool { return number == 3 })
	for _, file := range []string{run.ProgramFile, run.SpecFile, run.ResultFile, "."} {
		e, log := newEngine(t, crashing)
		runEngine(t, e, parse(t, smallCampaign))
		path := filepath.Join(e.Dir, run.Name(3), file)
		if file == "." {
			must.Succeed(t, os.RemoveAll(path))
		} else {
			must.Succeed(t, os.WriteFile(path, []byte("x"), 0o600))
		}
		e.use(new(fake.Runner)) // of which no run fails
		for range 2 {
			hasCounts(t, resume(t, e), counts{sim.Passed: 11, sim.Crash: 1}, summary.ExitFinding)
		}
		log.has(t, "runs.jsonl:4: the files of run 3 are corrupt")
		for _, entry := range entries(t, e.Dir) {
			if entry.Number != 3 {
				continue
			}
			if entry.Outcome != sim.Crash || entry.Kept || entry.Quarantine != run.Name(3) || !strings.Contains(entry.Damaged, "the files of run 3 are corrupt") {
				t.Errorf("%s: the line of the finding is %+v", file, entry)
			}
			reason, err := os.ReadFile(entry.Dir.Path(run.ReasonFile))
			if must.Succeed(t, err); !strings.Contains(string(reason), "corrupt") {
				t.Errorf("%s: the reason is %q", file, reason)
			}
		}
		text, err := os.ReadFile(filepath.Join(e.Dir, journal.SummaryText))
		must.Succeed(t, err)
		contains(t, string(text), "The files of 1 failed run are corrupt")
	}
}

// TestLostLineAndLog loses the line of a finding and its log, as a machine that stops
// before either is on the disk, and requires that the run is repeated.
func TestLostLineAndLog(t *testing.T) {
	stale := either(&fake.Runner{Fault: fake.Stale}, func(number int) bool { return number == 3 })
	e, _ := newEngine(t, stale)
	runEngine(t, e, parse(t, smallCampaign))
	path := filepath.Join(e.Dir, journal.RunsFile)
	must.Succeed(t, os.WriteFile(path, nil, 0o600))
	a, err := journal.Open(e.Dir)
	must.Succeed(t, err)
	must.Succeed(t, os.Remove(a.Run(3).Path(run.LogFile)))
	resume(t, e)
	for _, entry := range entries(t, e.Dir) {
		if entry.Number != 3 {
			continue
		}
		log, err := entry.Dir.Log()
		if err != nil || entry.Outcome != sim.Violation || run.Hash(log) != entry.LogHash {
			t.Errorf("run 3: %v, log of hash %s: %v", entry.Outcome, run.Hash(log), err)
		}
	}
}

// TestCorruptLineOfFinding corrupts the line of a finding, or loses it with all behind it,
// and requires that the run is neither repeated, since it may not fail again, nor lost.
func TestCorruptLineOfFinding(t *testing.T) {
	for name, damage := range map[string]func(journal string) string{
		"corrupt": func(text string) string { return strings.Replace(text, `"outcome":"crash"`, `"outcome":"crush"`, 1) },
		"lost": func(text string) string {
			return text[:strings.LastIndex(text[:strings.Index(text, `"outcome":"crash"`)], "\n")+1]
		},
		"all lost": func(string) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			crashing := either(&fake.Runner{Fault: fake.Crash}, func(number int) bool { return number == 3 })
			e, _ := newEngine(t, crashing)
			runEngine(t, e, parse(t, smallCampaign))
			path := filepath.Join(e.Dir, journal.RunsFile)
			data, err := os.ReadFile(path)
			must.Succeed(t, err)
			must.Succeed(t, os.WriteFile(path, []byte(damage(string(data))), 0o600))
			e.use(new(fake.Runner))
			hasCounts(t, resume(t, e), counts{sim.Passed: 11, sim.Crash: 1}, summary.ExitFinding)
			for _, run := range entries(t, e.Dir) {
				if run.Number == 3 && (run.Outcome != sim.Crash || !run.Kept || run.Program == "") {
					t.Errorf("the line of the finding is %+v", run)
				}
			}
		})
	}
}

// sortRuns sorts the journal by number and removes what depends on its order:
// which run was the first to take a transition.
func sortRuns(t *testing.T, all map[string][]string) map[string][]string {
	t.Helper()
	lines := make([]string, len(all[journal.RunsFile]))
	for _, text := range all[journal.RunsFile] {
		e := &journal.Entry{Result: new(run.Result)}
		must.Succeed(t, json.Unmarshal([]byte(text), e))
		e.Known, e.New, e.Counts = 0, nil, nil
		if e.Covered != nil {
			e.Covered.New = 0
		}
		text, err := json.Marshal(e)
		must.Succeed(t, err)
		lines[e.Number] = string(text)
	}
	all[journal.RunsFile] = lines
	all[journal.SummaryJSON] = slices.DeleteFunc(all[journal.SummaryJSON], func(line string) bool { return strings.Contains(line, "last_new_transition") })
	return all
}

// TestResumeRefuses requires errors for directories of no campaign, for running
// campaigns and, with on-infra-error: stop, for corrupt journals.
func TestResumeRefuses(t *testing.T) {
	_, err := (&Engine{Dir: t.TempDir()}).Resume(t.Context())
	fails(t, err, journal.CampaignFile)
	e, _ := newEngine(t, new(fake.Runner))
	e.OnResult = func(*summary.Summary, *journal.Entry) {
		_, err := (&Engine{Dir: e.Dir}).Resume(t.Context())
		fails(t, err, "another process")
	}
	runEngine(t, e, parse(t, smallCampaign, "on-infra-error=stop"))
	appendTo(t, filepath.Join(e.Dir, journal.RunsFile), "hello\n")
	_, err = e.Resume(t.Context())
	fails(t, err, journal.RunsFile+":13: jsontext: invalid character")
}

// TestShard runs a shard in two parts, and requires its runs, and that the
// summary names it, also if it is read back.
func TestShard(t *testing.T) {
	c := parse(t, embeddedCampaign)
	shard := config.Shard{Index: 2, Of: 3}
	var want []int
	for number, has := range shard.Has(c) {
		if has {
			want = append(want, number)
		}
	}
	e, _ := newEngine(t, nil)
	e.Shard = shard
	if sum, err := e.Run(interruptAt(t, e, want[3]), c); err != nil || !sum.Interrupted {
		t.Fatalf("%v: interrupted: %v", err, sum.Interrupted)
	}
	sum := resume(t, &Engine{Dir: e.Dir})
	a, err := journal.Open(e.Dir)
	must.Succeed(t, err)
	read, err := summary.Read(a)
	must.Succeed(t, err)
	type part struct {
		Shard         config.Shard
		Planned, Runs int
	}
	for _, s := range []*summary.Summary{sum, read} {
		if diff := cmp.Diff(part{shard, 8, 8}, part{s.Shard, s.Planned, s.Total().Runs}); diff != "" {
			t.Errorf("summary (-want +got):\n%s", diff)
		}
		contains(t, s.Text(), "campaign parts, shard 2/3, seed 5\n")
	}
	var got []int
	for _, entry := range entries(t, e.Dir) {
		got = append(got, entry.Number)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

// TestEndComesLast requires that a campaign has ended only with its summary: it
// is resumed where the summary could not be written.
func TestEndComesLast(t *testing.T) {
	e, _ := newEngine(t, new(fake.Runner))
	obstacle := filepath.Join(e.Dir, journal.SummaryJSON)
	e.OnResult = func(_ *summary.Summary, r *journal.Entry) {
		if r.Number == 0 {
			must.Succeed(t, os.Mkdir(obstacle, 0o755))
		}
	}
	_, err := e.Run(t.Context(), parse(t, smallCampaign))
	fails(t, err, journal.SummaryJSON)
	end := func() journal.End {
		a, err := journal.Open(e.Dir)
		must.Succeed(t, err)
		return a.Header.End
	}
	ends := []journal.End{end()}
	must.Succeed(t, os.Remove(obstacle))
	e.OnResult = nil
	resume(t, e)
	if diff := cmp.Diff([]journal.End{journal.EndInfra, journal.EndComplete}, append(ends, end())); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
	_, err = os.Stat(obstacle)
	must.Succeed(t, err)
}
