package reduction

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/gen/reduce"
	"ordeal/sim"
)

// batching runs batches, whose copies behave as under the seeds from that of the
// first one on.
type batching struct {
	fake.Runner
	sizes  []int // of the batches
	broken bool  // batches do not say what happened
}

func (b *batching) RunBatch(ctx context.Context, jobs []sim.Job) ([]sim.Result, error) {
	b.sizes = append(b.sizes, len(jobs))
	var results []sim.Result
	for i, job := range jobs {
		job.Seed += uint64(i)
		r, err := b.Run(ctx, job)
		if err != nil {
			return nil, err
		}
		if b.broken {
			r = sim.Result{Outcome: sim.Infra}
		}
		results = append(results, r)
	}
	return results, nil
}

// gem5Reducer reduces a recorded violation as one of gem5; it fails under the
// seeds that fails says.
func gem5Reducer(t *testing.T, runner *batching, fails func(seed uint64) bool) (*reducer, reduce.Candidate) {
	t.Helper()
	dir := recordFake(t, &fake.Runner{Fault: fake.Stale})
	runner.Runner = fake.Runner{Fault: fake.Stale, When: func(job sim.Job) bool { return fails(job.Seed) }}
	s := &reducer{
		o: Options{Runner: func(string, *config.Config) (sim.Runner, error) { return runner, nil }}.withDefaults(dir), started: time.Now(),
	}
	must.Succeed(t, s.load(t.Context(), dir))
	s.spec.Sim, s.best, s.o.MaxTries = config.SimGem5, 100, 12
	return s, reduce.Candidate{Program: s.program, Rounds: 1}
}

// TestBatch decides about candidates by one launch with many copies, and has a
// seed for each that fails.
func TestBatch(t *testing.T) {
	for name, test := range map[string]struct {
		fails  []uint64
		broken bool
		hit    bool
		seed   uint64 // that is found
		runs   int    // at most
	}{
		"alone":        {fails: []uint64{100}, hit: true, seed: 100, runs: 2},
		"other seed":   {fails: []uint64{104}, hit: true, seed: 104, runs: 2 + 12},
		"none":         {runs: 2},
		"another copy": {fails: []uint64{112}, runs: 2 + 12},
		"broken":       {fails: []uint64{104}, broken: true, hit: true, seed: 104, runs: 2 + 12},
	} {
		runner := &batching{broken: test.broken}
		s, c := gem5Reducer(t, runner, func(seed uint64) bool { return slices.Contains(test.fails, seed) })
		s.spec.Config.Stagger = staggerIterations
		hit, err := s.fails(t.Context(), &c)
		must.Succeed(t, err)
		if diff := cmp.Diff([]any{test.hit, test.seed, []int{12}}, []any{hit, s.seed, runner.sizes}); diff != "" {
			t.Errorf("%s: hit, seed, batches (-want +got):\n%s", name, diff)
		}
		if s.runs > test.runs {
			t.Errorf("%s: %d launches, want at most %d", name, s.runs, test.runs)
		}
	}
}

// TestStagger delays rounds where seeds change nothing otherwise and the failure
// stays, and tries a candidate once where it does not.
func TestStagger(t *testing.T) {
	for name, test := range map[string]struct {
		fails   []uint64
		stagger int
		tries   int
	}{
		"stays": {[]uint64{102}, staggerIterations, 12},
		"lost":  {nil, 0, 1},
	} {
		s, c := gem5Reducer(t, &batching{}, func(seed uint64) bool { return slices.Contains(test.fails, seed) })
		first, err := s.stagger(t.Context(), &c, nil)
		must.Succeed(t, err)
		if diff := cmp.Diff([]int{test.stagger, test.tries}, []int{s.spec.Config.Stagger, s.tries(&c)}); diff != "" {
			t.Errorf("%s: stagger, tries (-want +got):\n%s", name, diff)
		}
		if (first != nil) != (test.stagger > 0) || test.stagger > 0 && s.best != 102 {
			t.Errorf("%s: run %v with seed %d", name, first, s.best)
		}
	}
}
