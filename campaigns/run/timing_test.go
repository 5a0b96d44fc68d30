package run

import (
	"context"
	"math/rand/v2"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/gen"
	"ordeal/sim"
)

// timed fails with a title, and at faithful latencies for every third seed.
type timed struct {
	title    string
	faithful bool
}

func (timed) Name() string { return "builtin" }

func (timed) Version(context.Context) string { return "" }

func (r timed) Run(_ context.Context, job sim.Job) (sim.Result, error) {
	if r.faithful && job.Seed%3 != 0 {
		return sim.Result{Outcome: sim.Crash, Title: "another"}, nil
	}
	return sim.Result{Outcome: sim.Crash, Title: r.title}, nil
}

func (r timed) Faithful() (sim.Runner, int) { return timed{r.title, true}, 10 }

// TestTimings repeats a failed run at faithful latencies: seeds 7 to 16 have
// three multiples of 3.
func TestTimings(t *testing.T) {
	p, err := gen.Random(rand.New(rand.NewPCG(1, 0)), gen.Defaults())
	must.Succeed(t, err)
	job := sim.Job{Program: p, Rounds: 1, Seed: 7}
	for _, on := range []bool{false, true} {
		x := Executor{Runner: timed{title: "fault"}, Timings: on}
		simulated, err := x.Runner.Run(t.Context(), job)
		must.Succeed(t, err)
		r, err := x.Evaluate(t.Context(), job, &simulated)
		must.Succeed(t, err)
		switch {
		case !on && r.Timing != nil:
			t.Errorf("repeated without being asked to: %v", r.Timing)
		case on && (r.Timing == nil || *r.Timing != (Timing{Seeds: 10, Same: 3, Otherwise: 7})):
			t.Errorf("timing %+v, want 3 of 10 seeds", r.Timing)
		}
	}
	x := Executor{Runner: timed{title: "fault"}, Timings: true}
	if r, err := x.Evaluate(t.Context(), job, &sim.Result{Outcome: sim.Passed}); err != nil || r.Timing != nil {
		t.Errorf("a run that passed is repeated: %v, %v", r, err)
	}
}

// worked is timed with some work for each run at faithful latencies, within the job's bound.
type worked struct{ timed }

func (r worked) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	const each = 300_000
	if job.Work > 0 && job.Work < each {
		return sim.Result{Outcome: sim.Timeout, Title: "cut", Work: job.Work}, nil
	}
	result, err := r.timed.Run(ctx, job)
	result.Work = each
	return result, err
}

func (r worked) Faithful() (sim.Runner, int) { return worked{timed{r.title, true}}, 10 }

// TestTimingsWork bounds the repeats of a run by its own work, and begins none that cannot end in it.
func TestTimingsWork(t *testing.T) {
	p, err := gen.Random(rand.New(rand.NewPCG(1, 0)), gen.Defaults())
	must.Succeed(t, err)
	for work, want := range map[uint64]Timing{0: {Seeds: 1, Otherwise: 1}, 1_000_000: {Seeds: 3, Same: 1, Otherwise: 2}, 1_200_000: {Seeds: 4, Same: 1, Otherwise: 3}, 1 << 40: {Seeds: 10, Same: 3, Otherwise: 7}} {
		said := 0
		x := Executor{Runner: worked{timed{title: "fault"}}, Timings: true, Stage: func(string) { said++ }}
		r, err := x.Evaluate(t.Context(), sim.Job{Program: p, Rounds: 1, Seed: 7}, &sim.Result{Outcome: sim.Crash, Title: "fault", Work: work})
		must.Succeed(t, err)
		if r.Timing == nil || *r.Timing != want || said != 1 {
			t.Errorf("work %d: timing %+v, said %d times, want %+v", work, r.Timing, said, want)
		}
	}
}

// TestTimingCut has a first repeat that does not end in the work of the run: whether it fails is not
// known.
func TestTimingCut(t *testing.T) {
	p, err := gen.Random(rand.New(rand.NewPCG(1, 0)), gen.Defaults())
	must.Succeed(t, err)
	x := Executor{Runner: cut{timed{title: "fault"}}, Timings: true}
	r, err := x.Evaluate(t.Context(), sim.Job{Program: p, Rounds: 1, Seed: 7}, &sim.Result{Outcome: sim.Crash, Title: "fault"})
	if err != nil || r.Timing != nil {
		t.Errorf("timing %v, %v, want none", r.Timing, err)
	}
}

// cut is timed, and its repeats end by the bound of the job.
type cut struct{ timed }

func (r cut) Run(context.Context, sim.Job) (sim.Result, error) {
	return sim.Result{Outcome: sim.Timeout, Title: "cut"}, nil
}

func (r cut) Faithful() (sim.Runner, int) { return r, 10 }

// placed is worked on two machines, of which one is also a tester that always fails.
type placed struct{ worked }

func (r placed) Faithful() (sim.Runner, int) { return placed{worked{timed{r.title, true}}}, 10 }
func (placed) On(seed uint64) string         { return []string{"mesh", "crossbar"}[seed%2] }
func (r placed) Tester() sim.Runner          { return worked{timed{title: r.title}} }

// TestPlaces names the machines on which a failed run fails, and repeats it with the delays of testers.
func TestPlaces(t *testing.T) {
	p, err := gen.Random(rand.New(rand.NewPCG(1, 0)), gen.Defaults())
	must.Succeed(t, err)
	x := Executor{Runner: placed{worked{timed{title: "fault"}}}, Timings: true}
	for work, want := range map[uint64]Timing{
		1_000_000: {Seeds: 3, Same: 1, Otherwise: 2, On: "crossbar"}, 1 << 40: {Seeds: 10, Same: 3, Otherwise: 7, On: "crossbar, mesh", Testers: 2, TesterSame: 2},
	} {
		r, err := x.Evaluate(t.Context(), sim.Job{Program: p, Rounds: 1, Seed: 7}, &sim.Result{Outcome: sim.Crash, Title: "fault", Work: work})
		must.Succeed(t, err)
		if r.Timing == nil || *r.Timing != want {
			t.Errorf("work %d: timing %+v, want %+v", work, r.Timing, want)
		}
	}
	sum := Timing{Seeds: 1, Same: 1, On: "mesh"}
	sum.Add(&Timing{Seeds: 2, Same: 1, On: "crossbar, mesh", Testers: 1})
	if want := (Timing{Seeds: 3, Same: 2, On: "crossbar, mesh", Testers: 1}); sum != want {
		t.Errorf("sum %+v, want %+v", sum, want)
	}
	for want, timing := range map[string]Timing{
		"also at gem5's latencies (2 of 3 seeds: crossbar, mesh)":                                          sum,
		"with the random delays of gem5's testers (1 of 2 seeds), not seen at gem5's latencies in 8 seeds": {Seeds: 8, Testers: 2, TesterSame: 1},
		"not seen at gem5's latencies in 8 seeds":                                                          {Seeds: 8, Testers: 2},
		"at gem5's latencies 1 of 2 seeds fail, in another way":                                            {Seeds: 2, Otherwise: 1},
	} {
		if got := timing.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
