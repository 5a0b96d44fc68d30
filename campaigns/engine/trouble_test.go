package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// testLog keeps the lines of Engine.Logf.
type testLog struct{ lines []string }

func (w *testLog) logf(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *testLog) has(t *testing.T, part string) {
	t.Helper()
	for _, line := range w.lines {
		if strings.Contains(line, part) {
			return
		}
	}
	t.Errorf("no line with %q in %q", part, w.lines)
}

// withoutQuarantine is the outcome of a campaign without what was set aside.
func withoutQuarantine(t *testing.T, dir string) map[string][]string {
	t.Helper()
	all := outcome(t, dir)
	maps.DeleteFunc(all, func(path string, _ []string) bool { return strings.HasPrefix(path, journal.QuarantineDir+"/") })
	return all
}

// on is a loop with one simulator for everything.
func on(dir string, runner sim.Runner, w *testLog) Engine {
	return Engine{
		Dir: dir, Command: []string{"ordeal"}, Logf: w.logf,
		Runner: func(string, *config.Config) (sim.Runner, error) { return runner, nil },
	}
}

func parsed(t *testing.T, text string, sets ...string) *config.Campaign {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// from reports whether a job is of a run of that number or a higher one.
func from(number int) func(sim.Job) bool {
	return func(job sim.Job) bool {
		n, ok := rundir.Number(filepath.Base(job.Dir))
		return ok && n >= number
	}
}

// TestVanishedSimulator takes the simulator away in mid-campaign: the campaign
// gives up after some runs, which are set aside, and with the simulator back it
// ends as if nothing had been.
func TestVanishedSimulator(t *testing.T) {
	c := parsed(t, smallCampaign, "configs.*.runs=20")
	want := filepath.Join(t.TempDir(), "whole")
	l := on(want, &fake.Runner{Fault: fake.Stale}, new(testLog))
	if _, err := l.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	w := new(testLog)
	l = on(dir, &pair{&fake.Runner{Fault: fake.Stale}, &fake.Runner{Fault: fake.Absent}, from(15)}, w)
	sum, err := l.Run(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "giving up after 10 runs in a row") || !strings.Contains(err.Error(), "run 24") {
		t.Fatalf("error is %v", err)
	}
	w.has(t, "infrastructure error: run 15: cannot start, in "+filepath.Join(dir, journal.QuarantineDir, rundir.Name(15)))
	if got := sum.Total(); got.Runs != 25 || got.Outcomes[sim.Infra] != 10 || len(sum.InfraErrors) != 10 || sum.InfraErrors[0].Number != 15 {
		t.Errorf("%d runs, %d of them infra, troubles %+v", got.Runs, got.Outcomes[sim.Infra], sum.InfraErrors)
	}
	for _, text := range []string{"10 runs could not be executed", "run 15 of", rundir.Name(15)} {
		if !strings.Contains(sum.Text(), text) {
			t.Errorf("no %q in\n%s", text, sum.Text())
		}
	}
	for n := 15; n < 25; n++ {
		reason, err := os.ReadFile(filepath.Join(dir, journal.QuarantineDir, rundir.Name(n), rundir.ReasonFile))
		if err != nil || !strings.Contains(string(reason), "no such simulator") {
			t.Errorf("%v: %s", err, reason)
		}
	}
	l = on(dir, &fake.Runner{Fault: fake.Stale}, w)
	if sum, err = l.Resume(t.Context()); err != nil || sum.Total().Outcomes[sim.Infra] != 0 {
		t.Fatalf("%v: %v", err, sum.Total().Outcomes)
	}
	if diff := cmp.Diff(outcome(t, want), withoutQuarantine(t, dir)); diff != "" {
		t.Errorf("it ends otherwise (-whole +with trouble):\n%s", diff)
	}
}

// pair is a simulator that is another one for some jobs.
type pair struct {
	*fake.Runner
	other sim.Runner
	when  func(sim.Job) bool
}

func (p *pair) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	if p.when(job) {
		return p.other.Run(ctx, job)
	}
	return p.Runner.Run(ctx, job)
}

// panics is a simulator that panics.
type panics struct{ fake.Runner }

func (*panics) Run(context.Context, sim.Job) (sim.Result, error) { panic("state 7 of nowhere") }

// only reports whether a job is that of a run.
func only(number int) func(sim.Job) bool {
	return func(job sim.Job) bool { return filepath.Base(job.Dir) == rundir.Name(number) }
}

// TestPanic has the simulator panic in one run: the others count, the one is
// set aside with its program, and on-infra-error decides about the rest.
func TestPanic(t *testing.T) {
	for _, tt := range []struct {
		policy string
		runs   int
	}{{"continue", 12}, {"stop", 6}} {
		w := new(testLog)
		dir := filepath.Join(t.TempDir(), "out")
		l := on(dir, &pair{new(fake.Runner), new(panics), only(5)}, w)
		sum, err := l.Run(t.Context(), parsed(t, smallCampaign, "on-infra-error="+tt.policy))
		if stopped := err != nil; stopped != (tt.policy == "stop") || stopped && !strings.Contains(err.Error(), "stopping at run 5") {
			t.Errorf("%s: error is %v", tt.policy, err)
		}
		if got := sum.Total(); got.Runs != tt.runs || got.Outcomes[sim.Infra] != 1 || sum.ExitStatus() != summary.ExitInfra {
			t.Errorf("%s: %d runs, %v, exit status %d", tt.policy, got.Runs, got.Outcomes, sum.ExitStatus())
		}
		w.has(t, "infrastructure error: run 5: ordeal panics: state 7 of nowhere")
		aside := rundir.Dir(filepath.Join(dir, journal.QuarantineDir, rundir.Name(5)))
		if spec, err := aside.Spec(); err != nil {
			t.Error(err)
		} else if _, err := aside.Program(spec); err != nil {
			t.Error(err)
		}
		if reason, err := os.ReadFile(aside.Path(rundir.ReasonFile)); err != nil || !strings.Contains(string(reason), "trouble_test.go") {
			t.Errorf("%v: the reason has no stack:\n%s", err, reason)
		}
		if lines := readEntries(t, dir); len(lines) != tt.runs || lines[5].Quarantine != rundir.Name(5) || lines[5].Kept {
			t.Errorf("%d lines, of run 5: %+v", len(lines), lines[5])
		}
	}
}

// TestFileInTheWay puts a file where a run's directory belongs, and a run that
// is not the campaign's.
func TestFileInTheWay(t *testing.T) {
	w := new(testLog)
	dir := filepath.Join(t.TempDir(), "out")
	l := on(dir, new(fake.Runner), w)
	l.OnResult = func(s *summary.Summary, run *journal.Entry) {
		if run.Number != 0 {
			return
		}
		if err := os.WriteFile(filepath.Join(dir, rundir.Name(8)), nil, 0o644); err != nil {
			t.Error(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, rundir.Name(9)), 0o755); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(filepath.Join(dir, rundir.Name(9), rundir.SpecFile), nil, 0o644); err != nil {
			t.Error(err)
		}
	}
	sum, err := l.Run(t.Context(), parsed(t, smallCampaign, "workers=1"))
	if err != nil || sum.Total().Runs != 12 || sum.Total().Outcomes[sim.Infra] != 2 {
		t.Fatalf("%v: %v", err, sum.Total())
	}
	w.has(t, "run 8: cannot write the run directory")
	w.has(t, "run 9: cannot write the run directory: it holds a run already")
	for _, path := range []string{rundir.Name(8) + "/in-the-way", rundir.Name(8) + "/" + rundir.ReasonFile, rundir.Name(9) + "/" + rundir.SpecFile} {
		if _, err := os.Stat(filepath.Join(dir, journal.QuarantineDir, path)); err != nil {
			t.Error(err)
		}
	}
}

// TestSpoiltRecords spoils lines of the journal and directories of runs: they
// are set aside, the runs are made again, and all is as if nothing had been.
func TestSpoiltRecords(t *testing.T) {
	c := parsed(t, embeddedCampaign)
	want := Engine{Dir: filepath.Join(t.TempDir(), "whole"), Command: []string{"ordeal"}}
	if _, err := want.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(t *testing.T, dir string, lines []string) []string{
		"line":       func(_ *testing.T, _ string, lines []string) []string { lines[6] = lines[6][:40] + "\n"; return lines },
		"first line": func(_ *testing.T, _ string, lines []string) []string { lines[0] = "\x00\x00\x00\n"; return lines },
		"lost line":  func(_ *testing.T, _ string, lines []string) []string { return append(lines[:3], lines[4:]...) },
		"example": func(t *testing.T, _ string, lines []string) []string {
			return without(t, lines, `"config":"faulty","program":"[^"]*","kept":true,"version":1,"outcome":"passed"`)
		},
		"line twice": func(_ *testing.T, _ string, lines []string) []string { return append(lines, lines[4]) },
		"torn": func(_ *testing.T, _ string, lines []string) []string {
			last := len(lines) - 1
			lines[last] = lines[last][:20]
			return lines
		},
		"empty": func(*testing.T, string, []string) []string { return nil },
		"verdict": func(t *testing.T, dir string, lines []string) []string {
			if err := os.Truncate(filepath.Join(dir, rundir.Name(1), rundir.ResultFile), 30); err != nil {
				t.Error(err)
			}
			return lines
		},
		"program": func(t *testing.T, dir string, lines []string) []string {
			if err := os.Remove(filepath.Join(dir, rundir.Name(1), rundir.ProgramFile)); err != nil {
				t.Error(err)
			}
			return lines
		},
		"directory": func(t *testing.T, dir string, lines []string) []string {
			if err := os.RemoveAll(filepath.Join(dir, rundir.Name(1))); err != nil {
				t.Error(err)
			}
			return lines
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := new(testLog)
			dir := filepath.Join(t.TempDir(), "out")
			l := Engine{Dir: dir, Command: []string{"ordeal"}, Logf: w.logf}
			if _, err := l.Run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, journal.RunsFile)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := spoil(t, dir, strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n"))
			if name != "torn" && len(lines) > 0 && !strings.HasSuffix(lines[len(lines)-1], "\n") {
				lines[len(lines)-1] += "\n"
			}
			if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := l.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(inOrder(t, outcome(t, want.Dir)), inOrder(t, withoutQuarantine(t, dir))); diff != "" {
				t.Errorf("it ends otherwise (-whole +spoilt):\n%s", diff)
			}
		})
	}
}

// without takes the first line that matches out.
func without(t *testing.T, lines []string, pattern string) []string {
	t.Helper()
	found := slices.IndexFunc(lines, regexp.MustCompile(pattern).MatchString)
	if found < 0 {
		t.Fatalf("no line matches %s", pattern)
	}
	return slices.Delete(lines, found, found+1)
}

// TestTroubleNowAndThen has every other run fail: that is not many in a row.
func TestTroubleNowAndThen(t *testing.T) {
	odd := func(job sim.Job) bool {
		n, _ := rundir.Number(filepath.Base(job.Dir))
		return n%2 == 1
	}
	l := on(filepath.Join(t.TempDir(), "out"), &pair{new(fake.Runner), &fake.Runner{Fault: fake.Absent}, odd}, new(testLog))
	sum, err := l.Run(t.Context(), parsed(t, smallCampaign, "configs.*.runs=13"))
	if err != nil || sum.Total().Runs != 26 || sum.Total().Outcomes[sim.Infra] != 13 {
		t.Errorf("%v: %v", err, sum.Total())
	}
}

// inOrder brings the journal into the order of numbers and leaves out what
// depends on the order in which it was written: which run was the first to take
// a transition.
func inOrder(t *testing.T, all map[string][]string) map[string][]string {
	t.Helper()
	lines := make([]string, len(all[journal.RunsFile]))
	for _, text := range all[journal.RunsFile] {
		e := &journal.Entry{Result: new(rundir.Result)}
		if err := json.Unmarshal([]byte(text), e); err != nil {
			t.Fatal(err)
		}
		e.Known, e.New, e.Counts = 0, nil, nil
		if e.Covered != nil {
			e.Covered.New = 0
		}
		text, err := json.Marshal(e)
		if err != nil || e.Number >= len(lines) || lines[e.Number] != "" {
			t.Fatalf("%v: run %d of %d in the journal", err, e.Number, len(lines))
		}
		lines[e.Number] = string(text)
	}
	all[journal.RunsFile] = lines
	all[journal.SummaryJSON] = slices.DeleteFunc(all[journal.SummaryJSON], func(line string) bool { return strings.Contains(line, "last_new_transition") })
	return all
}

// TestFullDisk fills the disk in mid-campaign: nothing that was recorded is
// lost, and with room again the campaign ends as if nothing had been.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	c := parsed(t, smallCampaign, "configs.*.runs=20", "workers=2")
	want := filepath.Join(t.TempDir(), "whole")
	l := on(want, &fake.Runner{Fault: fake.Stale}, new(testLog))
	if _, err := l.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	dir, ballast := filepath.Join(disk, "out"), filepath.Join(disk, "ballast")
	w := new(testLog)
	l = on(dir, &fake.Runner{Fault: fake.Stale}, w)
	l.OnResult = func(s *summary.Summary, run *journal.Entry) {
		if run.Number != 12 {
			return
		}
		// Fill what is left.
		f, err := os.Create(ballast)
		if err != nil {
			t.Error(err)
			return
		}
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	sum, err := l.Run(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), unix.ENOSPC.Error()) {
		t.Fatalf("error is %v, after %d runs", err, sum.Total().Runs)
	}
	w.has(t, unix.ENOSPC.Error())
	if got := sum.Total().Runs; got < 13 || got == 40 {
		t.Errorf("%d runs are recorded", got)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	l.OnResult = nil
	if sum, err = l.Resume(t.Context()); err != nil || sum.Total().Runs != 40 || sum.Total().Outcomes[sim.Infra] != 0 {
		t.Fatalf("%v: %v", err, sum.Total())
	}
	if diff := cmp.Diff(outcome(t, want), withoutQuarantine(t, dir)); diff != "" {
		t.Errorf("it ends otherwise (-whole +full disk):\n%s", diff)
	}
}
