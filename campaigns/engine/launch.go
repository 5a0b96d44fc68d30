package engine

import (
	"context"
	"errors"
	"iter"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/sim"
)

// launch is runs of one configuration that are executed in one launch of the
// simulator, if it can run several.
type launch struct {
	config  int
	numbers []int
	missing []int // those that have not ended
}

// launches gives all launches of a campaign, in the order of their first runs.
// They do not depend on what has been executed: with batches of t, launch n of a
// configuration is its runs n·t to n·t+t−1 in the order of the schedule.
func launches(c *config.Campaign, schedule []int) iter.Seq[launch] {
	return func(yield func(launch) bool) {
		seen := make([]int, len(c.Configs)) // runs of the configuration so far
		for number, i := range schedule {
			size := max(c.Configs[i].Batch, 1)
			first := seen[i]%size == 0
			seen[i]++
			if first && !yield(launch{config: i, numbers: following(schedule, number, size)}) {
				return
			}
		}
	}
}

// following lists at most n runs of the configuration of a run: it and those
// that follow.
func following(schedule []int, number, n int) []int {
	var list []int
	for other := number; other < len(schedule) && len(list) < n; other++ {
		if schedule[other] == schedule[number] {
			list = append(list, other)
		}
	}
	return list
}

// execution is a run in flight.
type execution struct {
	*journal.Entry
	spec    *run.Spec
	program *gen.Program
	created bool // the run directory
	// explored is what the run found if it was an exploration.
	explored Explored
	// evaluation has the log and the history until the directory is written; nil before
	// the run has ended.
	evaluation *run.Evaluation
}

// evaluated takes the evaluation of the run, or the error of it.
func (x *execution) evaluated(v *run.Evaluation, err error) error {
	if err == nil {
		x.evaluation, x.Result, x.Coverage = v, v.Result, v.Coverage
	}
	return err
}

// create makes the run directory unless it is made.
func (x *execution) create() error {
	if x.created || x.program == nil { // which could not be generated
		return nil
	}
	x.created = true // even if it is not complete
	return x.Dir.Create(x.program, x.spec)
}

// keep writes the result to the run directory, which a run without a program does not have.
func (x *execution) keep() error {
	if err := x.create(); err != nil || !x.created {
		return err
	}
	if x.explored != nil {
		if err := x.explored.Write(string(x.Dir)); err != nil {
			return err
		}
	}
	return x.Dir.Finish(x.evaluation)
}

// execution prepares a run of a launch. Batch lists its runs if they are
// several.
func (s *session) execution(number int, batch []int) *execution {
	e := s.journal.NewEntry(number)
	t := &s.targets[s.journal.Schedule()[number]]
	return &execution{Entry: e, spec: &run.Spec{
		Campaign: s.c.Name, Seed: s.c.Seed, Number: number, Sim: t.sim, Config: *t.cfg, Batch: batch,
		Timeout: s.c.Timeout, Memory: s.c.Memory, LogSize: s.c.LogSize, Command: s.Command, Tools: t.tools, Started: time.Now(),
	}}
}

// generate generates the program of a run, on a core of its own.
func (s *session) generate(ctx context.Context, x *execution, t *target) error {
	release, err := t.executor.Limiter.Acquire(ctx, 1)
	if err != nil {
		return err
	}
	defer release()
	x.program, err = t.cfg.Programs.Program(s.c.Seed, x.Number)
	return err
}

// launch executes the missing runs of a launch: at once if the simulator can
// and all are missing.
func (s *session) launch(ctx context.Context, l launch) error {
	t := &s.targets[l.config]
	_, batches := t.executor.Runner.(run.BatchRunner)
	var batch []int
	if batches && len(l.numbers) > 1 {
		if batch = l.numbers; len(l.missing) == len(batch) {
			return s.launchBatch(ctx, t, batch)
		}
	}
	for _, number := range l.missing {
		x := s.execution(number, batch)
		err := run.Guarded(func() error { return s.launchOne(ctx, t, x) })
		if err := s.finish(ctx, x, err); err != nil {
			return err
		}
	}
	return nil
}

// launchOne executes one run. A run of a batch takes a launch of all of the
// batch.
func (s *session) launchOne(ctx context.Context, t *target, x *execution) error {
	if t.cfg.Explore != nil {
		return s.explore(ctx, t, x)
	}
	err := s.generate(ctx, x, t)
	if err != nil {
		return err
	}
	if run.LeavesFiles(t.sim) {
		err = x.create()
	} else {
		x.spec.SetProgram(x.program)
	}
	if err != nil {
		return err
	}
	if err := x.evaluated(t.executor.RunIn(ctx, x.Dir, x.program, x.spec)); err != nil || len(x.spec.Batch) == 0 {
		return err
	}
	return errors.Join(s.repeatAlone(ctx, t, x), run.RemoveBatch(x.Dir))
}

// launchBatch executes runs in one launch. One that cannot be prepared is not
// part of it.
func (s *session) launchBatch(ctx context.Context, t *target, numbers []int) error {
	var list []*execution
	var jobs []sim.Job
	for _, number := range numbers {
		x := s.execution(number, numbers)
		err := run.Guarded(func() error {
			if err := s.generate(ctx, x, t); err != nil {
				return err
			}
			if err := x.create(); err != nil {
				return err
			}
			job, err := x.spec.Job(x.Dir, x.program)
			if err == nil {
				list, jobs = append(list, x), append(jobs, job)
			}
			return err
		})
		if err != nil {
			if err := s.finish(ctx, x, err); err != nil {
				return err
			}
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	var results []sim.Result
	launchErr := run.Guarded(func() (err error) {
		results, err = t.executor.Launch(ctx, t.sim, jobs)
		return err
	})
	for i, x := range list {
		err := launchErr
		if err == nil {
			err = run.Guarded(func() (err error) {
				if err := x.evaluated(t.executor.Evaluate(ctx, jobs[i], &results[i])); err != nil {
					return err
				}
				return s.repeatAlone(ctx, t, x)
			})
		}
		if err := s.finish(ctx, x, err); err != nil {
			return err
		}
	}
	return nil
}

// aloneDir is the directory of a repeated run of a batch, in that of the run.
const aloneDir = "alone"

// repeatAlone repeats a run of a batch that is a finding.
func (s *session) repeatAlone(ctx context.Context, t *target, x *execution) error {
	if !x.Finding() {
		return nil
	}
	spec := *x.spec
	spec.Batch = nil
	dir := x.Dir.Sub(aloneDir)
	result, err := t.executor.Run(ctx, dir, x.program, &spec)
	if err != nil {
		return err
	}
	x.Alone = &run.Alone{Outcome: result.Outcome, Title: result.Title, Recurs: result.Same(x.Result)}
	return dir.Finish(result)
}
