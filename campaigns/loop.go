package campaigns

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/sim"
)

// Loop runs campaigns.
type Loop struct {
	// Dir is the campaign's directory; it is made, and must be empty.
	Dir string
	// Command is the command line, for the records.
	Command []string
	// Again is the command that makes a run of the campaign from its file, its
	// number left out; empty where there is no file to name.
	Again string
	// Shard is the part of the campaign that Run makes; Resume goes on with
	// the part that was begun. Budget and stop conditions hold for it alone.
	Shard Shard
	// Watch is told of every run that ends, one at a time; nil: nobody is.
	Watch func(*Summary, *Run)
	// Runner makes the runner of a configuration; nil means NewRunner.
	Runner func(sim string, c *Config) (sim.Runner, error)
	_      struct{}
}

// Run is a run that ended.
type Run struct {
	Number int
	Config *Config
	Dir    RunDir
	// Kept says that the run directory stayed.
	Kept bool
	*Case
}

// maxInfra is how many runs in a row may fail for reasons that are not the
// tested system's before the campaign gives up.
const maxInfra = 10

// Run runs a campaign until its runs are done, its budget is spent, ctx is
// done or the run directories cannot be written. The summary tells of the
// runs that ended, whatever the error; ctx's being done is not an error but
// Summary.Interrupted.
func (l *Loop) Run(ctx context.Context, c *Campaign) (*Summary, error) {
	r := l.running(c)
	if err := r.open(ctx); err != nil {
		return r.sum, err
	}
	return r.finishAll(ctx)
}

func (l *Loop) running(c *Campaign) *running {
	r := &running{
		Loop: l, c: c, sum: newSummary(c, l.Dir), session: time.Now(),
		kept: make(map[string]bool), tables: make(tables), done: make(map[int]bool), keeps: make(map[int]bool),
	}
	if r.sum.Again = l.Again; len(l.Command) > 0 {
		r.sum.Program = l.Command[0]
	}
	r.sum.part(c, l.Shard)
	return r
}

// finishAll makes the runs that are left and writes the summary.
func (r *running) finishAll(ctx context.Context) (*Summary, error) {
	defer r.journal.Close()
	err := r.runAll(ctx)
	r.sum.Elapsed = r.elapsed()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		r.sum.Interrupted, err = true, nil
	}
	return r.sum, errors.Join(err, r.sum.write())
}

// running is the state of a campaign in progress.
type running struct {
	*Loop
	c       *Campaign
	runners []sim.Runner        // by configuration
	tools   []map[string]string // likewise
	gate    *Gate

	spent   time.Duration // by earlier sessions of the campaign
	session time.Time     // start of this one
	done    map[int]bool  // runs that earlier sessions made
	keeps   map[int]bool  // those of them whose directories stay

	mu      sync.Mutex // guards what follows
	sum     *Summary
	journal *os.File
	kept    map[string]bool // configurations and answers with an example
	tables  tables          // of the journal
	infra   int             // runs of outcome Infra in a row
}

// elapsed is the time spent on the campaign.
func (r *running) elapsed() time.Duration { return r.spent + time.Since(r.session) }

// makeRunners makes the runners of all configurations.
func (r *running) makeRunners(ctx context.Context) error {
	newRunner := r.Runner
	if newRunner == nil {
		newRunner = NewRunner
	}
	for i := range r.c.Configs {
		runner, err := newRunner(r.c.SimOf(&r.c.Configs[i]), &r.c.Configs[i])
		if err != nil {
			return err
		}
		r.runners = append(r.runners, runner)
		r.tools = append(r.tools, Tools(ctx, runner))
		r.sum.simulator(r.c.SimOf(&r.c.Configs[i]), r.tools[i][runner.Name()])
	}
	r.gate = NewGate(runtime.NumCPU())
	return nil
}

// open makes the directory and everything that comes before the first run.
func (r *running) open(ctx context.Context) error {
	if err := r.makeRunners(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	if entries, err := os.ReadDir(r.Dir); err != nil {
		return err
	} else if len(entries) > 0 {
		return fmt.Errorf("campaign directory %s is not empty", r.Dir)
	}
	if err := r.writeHead(); err != nil {
		return err
	}
	return r.openJournal(filepath.Join(r.Dir, journalFile))
}

// runAll makes all runs, as many at a time as there are workers.
func (r *running) runAll(ctx context.Context) error {
	workers := r.c.Workers
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	start := func(numbers []int, config int) {
		group.Go(func() error {
			if err := r.runSome(groupCtx, numbers, config); err != nil {
				return fmt.Errorf("run %d: %w", numbers[0], err)
			}
			return nil
		})
	}
	waiting := make([][]int, len(r.c.Configs)) // for the rest of their batch
	mine := r.sum.Shard.Has(r.c)
	for number, config := range r.c.Schedule() {
		if groupCtx.Err() != nil {
			break
		}
		if r.done[number] || !mine[number] {
			continue
		}
		if r.c.Budget > 0 && r.elapsed() >= time.Duration(r.c.Budget) {
			r.sum.BudgetSpent = true
			break
		}
		waiting[config] = append(waiting[config], number)
		if len(waiting[config]) >= r.c.Configs[config].Batch {
			start(waiting[config], config)
			waiting[config] = nil
		}
	}
	for config, numbers := range waiting {
		if len(numbers) > 0 && !r.sum.BudgetSpent {
			start(numbers, config)
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// runOne makes one run from program to verdict.
func (r *running) runOne(ctx context.Context, number, config int) error {
	cfg := &r.c.Configs[config]
	models, err := cfg.Models()
	if err != nil {
		return err
	}
	p, err := r.program(ctx, cfg, number)
	if err != nil {
		return err
	}
	dir, record := r.record(number, config)
	single := r.single(config, models)
	done, err := single.Run(ctx, dir, p, record)
	if err != nil {
		return err
	}
	return r.finish(&Run{Number: number, Config: cfg, Dir: dir, Case: done}, record)
}

// record is the directory and the record of a run.
func (r *running) record(number, config int) (RunDir, *Record) {
	cfg := &r.c.Configs[config]
	return RunDir(filepath.Join(r.Dir, pad(number))), &Record{
		Campaign: r.c.Name, Seed: r.c.Seed, Number: number, Sim: r.c.SimOf(cfg), Config: *cfg,
		Timeout: r.c.Timeout, Memory: r.c.Memory, LogSize: r.c.LogSize, Command: r.Command, Tools: r.tools[config], Started: time.Now(),
	}
}

// single makes runs of a configuration.
func (r *running) single(config int, models []model.Model) Single {
	return Single{Runner: r.runners[config], Gate: r.gate, Judging: Judging{
		Models: models, Options: check.Options{Timeout: time.Duration(r.c.CheckTimeout)},
	}}
}

// finish records a run that ended.
func (r *running) finish(run *Run, record *Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	run.Kept = r.keep(run)
	r.sum.cover(run)
	if run.Kept {
		if err := run.Dir.Finish(run.Case); err != nil {
			return err
		}
	}
	if err := r.note(run, record); err != nil {
		return err
	}
	if !run.Kept {
		if err := os.RemoveAll(string(run.Dir)); err != nil {
			return err
		}
	}
	r.sum.add(run)
	r.sum.Elapsed = r.elapsed()
	if r.Watch != nil {
		r.Watch(r.sum, run)
	}
	if run.Outcome != sim.Infra {
		r.infra = 0
	} else if r.infra++; r.infra == maxInfra {
		return fmt.Errorf("giving up after %d runs in a row that could not run: %s: %s", maxInfra, run.Title, run.Detail)
	}
	return nil
}

// keep decides whether the directory of a run stays.
func (r *running) keep(run *Run) bool {
	if r.c.Keep == KeepAll || run.Outcome != sim.Passed || run.Undecided() {
		return true
	}
	key := run.Config.Name
	for _, a := range run.Answers {
		key += " " + a.Model + "=" + a.Answer
	}
	first := !r.kept[key]
	r.kept[key] = true
	return first
}

// pad is the name of a run's directory.
func pad(number int) string { return fmt.Sprintf("%06d", number) }
