package engine

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/sim"
)

var soak = flag.Bool("soak", false, "all settings, links and crashes, not a sample")

// mixedCampaign runs on a simulator that can run batches.
const mixedCampaign = `
name: mixed
sim: gem5
configs:
  - {name: batched, runs: 22, threads: 2, ops: 10, locations: 2, rounds: 3, gem5: /bin, gem5-tree: /tree, batch: 4}
  - {name: single, runs: 30, threads: 2, ops: 12, locations: 2, rounds: 3, gem5: /bin, gem5-tree: /tree}
  - {name: canary, runs: 9, threads: 2, ops: 10, locations: 2, rounds: 3, gem5: /bin, gem5-tree: /tree, bug: {about: stale loads}}
`

// jittery is a simulator whose runs last randomly long; one of seven is faulty.
func jittery(ctx context.Context, job sim.Job) (sim.Result, error) {
	pause := time.Duration(rand.IntN(500)) * time.Millisecond
	if rand.IntN(20) == 0 {
		pause *= 20
	}
	time.Sleep(pause)
	if ctx.Err() != nil {
		return sim.Result{}, ctx.Err()
	}
	faulty := fake.Runner{Fault: fake.Stale, When: func(job sim.Job) bool { return job.Seed%7 == 0 }}
	return faulty.Run(ctx, job)
}

// batchRunner is a simulator that runs batches.
type batchRunner struct{ runnerFunc }

func (b batchRunner) RunBatch(ctx context.Context, jobs []sim.Job) ([]sim.Result, error) {
	var all []sim.Result
	for _, job := range jobs {
		r, err := b.Run(ctx, job)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func newJittery(t *testing.T) *Engine {
	e, _ := newEngine(t, nil)
	e.Cores = 8 // each worker sleeps on its own
	e.Runner = func(_ string, c *config.Config) (sim.Runner, error) {
		if c.Batch > 1 {
			return batchRunner{jittery}, nil
		}
		return runnerFunc(jittery), nil
	}
	return e
}

// TestDeterminism requires that a campaign ends with the same files with any
// number of workers, and wherever it is interrupted and resumed; with -soak for each way
// of keeping and stopping.
func TestDeterminism(t *testing.T) {
	for _, set := range []string{"keep=findings", "keep-per-finding=2", "keep=all", "stop.findings=1", "stop.findings=2", "stop.same=3"} {
		t.Run(set, func(t *testing.T) {
			if !*soak && set != "keep-per-finding=2" && set != "stop.same=3" {
				t.Skip("-soak")
			}
			synctest.Test(t, func(t *testing.T) { testDeterminism(t, set) })
		})
	}
}

func testDeterminism(t *testing.T, set string) {
	campaign := func(workers string) *config.Campaign { return parse(t, mixedCampaign, set, "workers="+workers) }
	one := newJittery(t)
	sum := runEngine(t, one, campaign("1"))
	if stops := strings.HasPrefix(set, "stop"); stops != (sum.Stopped != "") {
		t.Fatalf("%d runs, stopped: %q", sum.Total().Runs, sum.Stopped)
	}
	want := contentsButWorkers(t, one.Dir)
	many := newJittery(t)
	runEngine(t, many, campaign("7"))
	if diff := cmp.Diff(want, contentsButWorkers(t, many.Dir)); diff != "" {
		t.Errorf("files (-one worker +seven):\n%s", diff)
	}
	parts := newJittery(t)
	sum, err := interruptSoon(t, parts, func(ctx context.Context) (*summary.Summary, error) { return parts.Run(ctx, campaign("5")) })
	for err == nil && sum.Interrupted {
		sum, err = interruptSoon(t, parts, parts.Resume)
	}
	must.Succeed(t, err)
	if diff := cmp.Diff(want, contentsButWorkers(t, parts.Dir)); diff != "" {
		t.Errorf("files (-one session +several):\n%s", diff)
	}
}

// contentsButWorkers is contents without the number of workers.
func contentsButWorkers(t *testing.T, dir string) map[string][]string {
	t.Helper()
	all := contents(t, dir)
	all[journal.CampaignFile] = slices.DeleteFunc(all[journal.CampaignFile], func(line string) bool { return strings.HasPrefix(line, "workers:") })
	return all
}

// interruptSoon runs a part of a campaign: it is interrupted when a random
// number of runs are recorded.
func interruptSoon(t *testing.T, e *Engine, part func(context.Context) (*summary.Summary, error)) (*summary.Summary, error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	left := 1 + rand.IntN(20)
	e.OnResult = func(*summary.Summary, *journal.Entry) {
		if left--; left == 0 {
			cancel()
		}
	}
	return part(ctx)
}
