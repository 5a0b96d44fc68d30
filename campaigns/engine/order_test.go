package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

const mixedCampaign = `
name: mixed
sim: gem5
configs:
  - {name: batched, runs: 22, threads: 2, ops: 10, locations: 2, rounds: 3, gem5: /bin, gem5-tree: /tree, batch: 4}
  - {name: single, runs: 30, threads: 2, ops: 12, locations: 2, rounds: 3, gem5: /bin, gem5-tree: /tree}
  - {name: canary, runs: 9, threads: 2, ops: 10, locations: 2, rounds: 3, gem5: /bin, gem5-tree: /tree, bug: {about: stale loads}}
`

// lingering is a simulator whose runs take their time, each as much as chance
// has it, and a seventh of which is wrong. It runs batches, where that is wanted.
type lingering struct{ fake.Runner }

func newLingering() *lingering {
	return &lingering{fake.Runner{Fault: fake.Stale, When: func(job sim.Job) bool { return job.Seed%7 == 0 }}}
}

func (l *lingering) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	pause := time.Duration(rand.IntN(500)) * time.Microsecond
	if rand.IntN(20) == 0 {
		pause *= 20
	}
	time.Sleep(pause)
	if ctx.Err() != nil {
		return sim.Result{}, ctx.Err()
	}
	return l.Runner.Run(ctx, job)
}

type lingeringBatches struct{ *lingering }

func (l lingeringBatches) RunBatch(ctx context.Context, jobs []sim.Job) ([]sim.Result, error) {
	var all []sim.Result
	for _, job := range jobs {
		r, err := l.Run(ctx, job)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func lingeringLoop(dir string) Engine {
	return Engine{Dir: dir, Command: []string{"ordeal"}, Runner: func(_ string, c *config.Config) (sim.Runner, error) {
		if c.Batch > 1 {
			return lingeringBatches{newLingering()}, nil
		}
		return newLingering(), nil
	}}
}

// apart from the number of workers, which is theirs.
func ofWorkers(t *testing.T, dir string) map[string][]string {
	t.Helper()
	all := outcome(t, dir)
	all[journal.CampaignFile] = slices.DeleteFunc(all[journal.CampaignFile], func(line string) bool { return strings.HasPrefix(line, "workers:") })
	return all
}

// TestOrder wants a campaign to end the same in every file, however its runs
// overtake each other, and wherever it is interrupted and resumed.
func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		sets []string
		runs int
	}{
		{nil, 61}, {[]string{"stop.findings=1"}, 0}, {[]string{"stop.same=3"}, 0}, {[]string{"stop.findings=2"}, 0}, {[]string{"keep=all"}, 61},
	} {
		t.Run(strings.Join(tt.sets, " "), func(t *testing.T) {
			if testing.Short() && len(tt.sets) > 0 && tt.sets[0] != "stop.same=3" {
				t.Skip("another one of the same kind is enough")
			}
			one := lingeringLoop(filepath.Join(t.TempDir(), "one"))
			want, err := one.Run(t.Context(), parsed(t, mixedCampaign, append(tt.sets, "workers=1")...))
			if err != nil {
				t.Fatal(err)
			}
			if n := want.Total().Runs; tt.runs > 0 && n != tt.runs || tt.runs == 0 && (n == 0 || want.Stopped == "") {
				t.Fatalf("%d runs, stopped: %s", n, want.Stopped)
			}
			files := ofWorkers(t, one.Dir)
			many := lingeringLoop(filepath.Join(t.TempDir(), "many"))
			if _, err := many.Run(t.Context(), parsed(t, mixedCampaign, append(tt.sets, "workers=7")...)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(files, ofWorkers(t, many.Dir)); diff != "" {
				t.Errorf("with seven workers it ends otherwise (-one +seven):\n%s", diff)
			}
			parts := lingeringLoop(filepath.Join(t.TempDir(), "parts"))
			sum, err := interrupted(t, func(ctx context.Context) (*summary.Summary, error) {
				return parts.Run(ctx, parsed(t, mixedCampaign, append(tt.sets, "workers=5")...))
			})
			for n := 0; err == nil && sum.Interrupted; n++ {
				if n == 100 {
					t.Fatal("the campaign comes to no end")
				}
				sum, err = interrupted(t, parts.Resume)
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(files, ofWorkers(t, parts.Dir)); diff != "" {
				t.Errorf("in parts it ends otherwise (-one +parts):\n%s", diff)
			}
		})
	}
}

// interrupted runs a part of a campaign for a moment.
func interrupted(t *testing.T, part func(context.Context) (*summary.Summary, error)) (*summary.Summary, error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(10+rand.IntN(150))*time.Millisecond)
	defer cancel()
	return part(ctx)
}

// TestStop wants campaigns to stop where they are told to, to say so, and to
// do nothing when they are resumed.
func TestStop(t *testing.T) {
	for _, tt := range []struct {
		set, why string
		findings int
		same     int
	}{
		{"stop.findings=1", "stop.findings is 1", 1, 1},
		{"stop.findings=2", "stop.findings is 2", 2, 0},
		{"stop.same=3", "stop.same is 3", 2, 3},
	} {
		w := new(testLog)
		dir := filepath.Join(t.TempDir(), "out")
		odd := &fake.Runner{Fault: fake.Crash, When: func(job sim.Job) bool { return job.Seed%5 == 0 }}
		l := on(dir, &pair{odd, &fake.Runner{Fault: fake.Torn}, func(job sim.Job) bool { return strings.HasSuffix(job.Dir, rundir.Name(11)) }}, w)
		sum, err := l.Run(t.Context(), parsed(t, smallCampaign, tt.set, "configs.*.runs=20", "configs.*.sim=builtin"))
		if err != nil {
			t.Fatal(err)
		}
		last := sum.Total().Runs - 1
		if want := fmt.Sprintf("run %d: %s", last, tt.why); sum.Stopped != want || len(sum.Findings) != tt.findings || tt.same > 0 && sum.Findings[0].Runs != tt.same {
			t.Errorf("%s: stopped at %q, want %q, with findings %+v", tt.set, sum.Stopped, want, sum.Findings)
		}
		if n := sum.Total().Runs; n != last+1 || len(readEntries(t, dir)) != n || sum.ExitStatus() != summary.ExitFinding {
			t.Errorf("%s: %d runs though the last is %d, exit status %d", tt.set, n, last, sum.ExitStatus())
		}
		if text := sum.Text(); !strings.Contains(text, "Stopped at "+sum.Stopped) {
			t.Errorf("%s: the report does not say why:\n%s", tt.set, text)
		}
		before := outcome(t, dir)
		again, err := l.Resume(t.Context())
		if err != nil || again.Stopped != sum.Stopped || again.Total().Runs != sum.Total().Runs || again.Elapsed != sum.Elapsed {
			t.Errorf("%s: resumed: %v: %+v", tt.set, err, again)
		}
		w.has(t, "the campaign stopped at "+sum.Stopped+": nothing is left to do")
		if diff := cmp.Diff(before, outcome(t, dir)); diff != "" {
			t.Errorf("%s: resume does something:\n%s", tt.set, diff)
		}
	}
}

// TestSurplus wants what failed on hardware beyond the end of a campaign to be
// set aside, not lost.
func TestSurplus(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("on one core no run overtakes another")
	}
	w := new(testLog)
	dir := filepath.Join(t.TempDir(), "out")
	failed := make(chan bool)
	l := on(dir, nil, w)
	l.Runner = func(string, *config.Config) (sim.Runner, error) {
		return hooked(func(ctx context.Context, job sim.Job) (sim.Result, error) {
			switch n, _ := rundir.Number(filepath.Base(job.Dir)); n {
			case 0:
				<-failed // run 1 is earlier
				time.Sleep(20 * time.Millisecond)
				return sim.Result{Outcome: sim.Crash, Title: "zero"}, nil
			case 1:
				defer close(failed)
				return sim.Result{Outcome: sim.Crash, Title: "one"}, nil
			}
			<-ctx.Done()
			return sim.Result{}, ctx.Err()
		}), nil
	}
	sum, err := l.Run(t.Context(), parsed(t, smallCampaign, "stop.findings=1", "workers=2", "configs.*.threads=1"))
	if err != nil || len(sum.Findings) != 1 || sum.Findings[0].Title != "zero" || sum.Total().Runs != 1 {
		t.Fatalf("%v: %+v", err, sum.Findings)
	}
	w.has(t, "run 1 failed after the campaign had stopped: one")
	if j, err := rundir.Dir(filepath.Join(dir, journal.AfterStopDir, rundir.Name(1))).Result(); err != nil || j.Title != "one" {
		t.Errorf("%v: %+v", err, j)
	}
}

// hooked is a simulator that is a function.
type hooked func(context.Context, sim.Job) (sim.Result, error)

func (h hooked) Name() string                   { return "fake" }
func (h hooked) Version(context.Context) string { return "fake simulator" }
func (h hooked) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	return h(ctx, job)
}
