package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/sim"
)

// Loop runs campaigns.
type Engine struct {
	// Dir is the campaign's directory; it is made, and must be empty.
	Dir string
	// Command is the command line, for the records.
	Command []string
	// Again is the command that makes a run of the campaign from its file, its
	// number left out; empty where there is no file to name.
	Again string
	// Shard is the part of the campaign that Run makes; Resume goes on with
	// the part that was begun. Budget and stop conditions hold for it alone.
	Shard config.Shard
	// Cores is how many cores of this machine are the campaign's; 0 means all.
	Cores int
	// Watch is told of every run that is recorded, one at a time and in the
	// order of the journal; nil: nobody is.
	Watch func(*summary.Summary, *journal.Run)
	// Tell is told what else people should know as it happens, in a line:
	// trouble, reductions. It is not called at the same time as Watch, or as
	// itself; nil: nobody is told.
	Tell func(line string)
	// Runner makes the runner of a configuration; nil means NewRunner.
	Runner func(sim string, c *config.Config) (sim.Runner, error)
	// Reduce shrinks the first run of each finding where the campaign wants
	// that; nil: nobody does.
	Reduce Reducer
	_      struct{}
}

// Run runs a campaign until its runs are done, its budget is spent, a
// condition of Campaign.Stop is met, ctx is done or too much trouble came. The
// summary tells of the runs that were recorded, whatever the error; ctx's being
// done is not an error but Summary.Interrupted.
func (l *Engine) Run(ctx context.Context, c *config.Campaign) (*summary.Summary, error) {
	r := l.running(c)
	if err := r.open(ctx); err != nil {
		return r.sum, err
	}
	return r.finishAll(ctx)
}

func (l *Engine) running(c *config.Campaign) *session {
	r := &session{Engine: l, c: c, session: time.Now(), schedule: c.Schedule()}
	r.room.L, r.head.Shard = &r.mu, l.Shard
	r.reset()
	return r
}

// forget makes the campaign one of which no run has ended.
func (r *session) reset() {
	started := r.session
	if r.sum != nil {
		started = r.sum.Started
	}
	r.sum = summary.NewSummary(r.c, r.Dir)
	r.sum.Started = started
	r.sum.Part(r.c, r.head.Shard)
	if r.sum.Again = r.Again; len(r.Command) > 0 {
		r.sum.Program = r.Command[0]
	}
	r.kept, r.tables = make(map[string]bool), make(journal.TransitionTables)
	r.done, r.stays = make([]bool, len(r.schedule)), make([]bool, len(r.schedule))
	for number, mine := range r.head.Shard.Has(r.c) {
		r.done[number] = !mine
	}
	r.left, r.next = r.sum.Planned, 0
	r.skipDone()
	r.waiting = make(map[int]*finishedRun)
}

// skipDone moves next to the first run that is not done.
func (r *session) skipDone() {
	for r.next < len(r.done) && r.done[r.next] {
		r.next++
	}
}

// running is the state of a campaign in progress.
type session struct {
	*Engine
	c        *config.Campaign
	schedule []int
	runners  []sim.Runner        // by configuration
	tools    []map[string]string // likewise
	gate     *execute.CPULimiter
	head     journal.Header
	session  time.Time // start of this one
	idle     bool      // nothing is left to do

	mu      sync.Mutex // guards what follows
	sum     *summary.Summary
	journal *os.File
	size    int64                    // of the journal, in bytes of whole lines
	done    []bool                   // runs that are recorded, or not in the shard
	stays   []bool                   // runs whose directories stay
	next    int                      // the run to record next: the first that is not done
	left    int                      // runs that are not done
	waiting map[int]*finishedRun     // runs that ended and wait for earlier ones
	room    sync.Cond                // told when runs stop waiting
	kept    map[string]bool          // kinds of run of which the first stays, by stay
	tables  journal.TransitionTables // of the journal
	infra   int                      // runs of outcome Infra in a row
	end     error                    // why nothing is recorded any more
	reduce  reductions
}

// elapsed is the time spent on the campaign.
func (r *session) elapsed() time.Duration { return r.head.Spent + time.Since(r.session) }

// tell tells people a line. The lock is held, or nobody else is there yet.
func (r *session) logf(format string, args ...any) {
	if r.Tell != nil {
		r.Tell(fmt.Sprintf(format, args...))
	}
}

// makeRunners makes the runners of all configurations.
func (r *session) makeRunners(ctx context.Context) error {
	for i := range r.c.Configs {
		runner, err := r.newRunner(r.c.SimOf(&r.c.Configs[i]), &r.c.Configs[i])
		if err != nil {
			return err
		}
		r.runners = append(r.runners, runner)
		r.tools = append(r.tools, execute.ToolVersions(ctx, runner))
	}
	r.gate = execute.NewCPULimiter(r.cores())
	return nil
}

// cores is how many cores the campaign may use.
func (l *Engine) cores() int { return cmp.Or(l.Cores, runtime.NumCPU()) }

// newRunner makes a runner.
func (l *Engine) newRunner(name string, c *config.Config) (sim.Runner, error) {
	if l.Runner != nil {
		return l.Runner(name, c)
	}
	return execute.NewRunner(name, c)
}

// nameSimulators notes the simulators in the summary.
func (r *session) nameSimulators() {
	for i, runner := range r.runners {
		r.sum.AddSimulator(r.c.SimOf(&r.c.Configs[i]), r.tools[i][runner.Name()])
	}
}

// open makes the directory and everything that comes before the first run.
func (r *session) open(ctx context.Context) error {
	if err := r.makeRunners(ctx); err != nil {
		return err
	}
	r.nameSimulators()
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
	return r.openJournal(filepath.Join(r.Dir, journal.JournalFile))
}

// finishAll makes the runs that are left and the reductions that are due, and
// writes the summary.
func (r *session) finishAll(ctx context.Context) (*summary.Summary, error) {
	defer r.journal.Close()
	if r.idle {
		return r.sum, nil
	}
	r.reduce.start(ctx, r)
	err := r.runAll(ctx)
	r.reduce.wait()
	r.sum.Elapsed = r.elapsed()
	if ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())) {
		r.sum.Interrupted, err = r.left > 0 && r.sum.Stopped == "" && !r.sum.BudgetSpent || len(r.reduce.due) > 0, nil
	}
	return r.sum, errors.Join(err, r.close(err), r.sum.Write())
}

// over tells whether the last session left nothing to do, and says so.
func (r *session) over() bool {
	switch {
	case r.head.End != journal.EndComplete && r.head.End != journal.EndStopped && r.head.End != journal.EndBudget, len(r.reduce.due) > 0:
		return false
	case r.sum.Stopped != "":
		r.logf("the campaign stopped at %s: nothing is left to do", r.sum.Stopped)
	case r.left == 0:
		r.logf("all %s of the campaign are done: nothing is left to do", messages.Plural(r.sum.Planned, "run"))
	case r.overBudget():
		r.sum.BudgetSpent = true
		r.logf("the campaign's budget of %v is spent: nothing is left to do", time.Duration(r.c.Budget))
	default:
		return false
	}
	r.sum.Elapsed = r.head.Spent
	return true
}

func (r *session) overBudget() bool {
	return r.c.Budget > 0 && r.elapsed() >= time.Duration(r.c.Budget)
}

// runAll makes all runs, as many at a time as there are workers.
func (r *session) runAll(ctx context.Context) error {
	if r.sum.Stopped != "" || r.left == 0 {
		return nil
	}
	workers := r.c.Workers
	if workers == 0 {
		workers = r.cores()
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for launch := range r.launches() {
		r.awaitRoom(groupCtx, launch.numbers[0])
		if groupCtx.Err() != nil {
			break
		}
		if r.overBudget() {
			r.sum.BudgetSpent = true
			break
		}
		group.Go(func() error { return r.launch(groupCtx, launch) })
	}
	err := group.Wait()
	switch {
	case errors.Is(r.end, summary.ErrStopped): // whatever else came at the same time
		return r.discard()
	case err != nil:
		return err
	case r.sum.BudgetSpent:
		return r.flush()
	}
	return ctx.Err()
}

// runOne makes one run from program to verdict. Batch lists the runs of its
// launch, where it is one of several.
func (r *session) runOne(ctx context.Context, number, config int, batch []int) error {
	dir, record := r.record(number, config)
	record.Batch = batch
	run := &journal.Run{Number: number, Config: &r.c.Configs[config], Dir: dir}
	err := execute.Guarded(func() error {
		models, err := run.Config.Models()
		if err != nil {
			return err
		}
		p, err := r.program(ctx, run.Config, number)
		if err != nil {
			return err
		}
		single := r.executor(config, models)
		if run.Case, err = single.Run(ctx, dir, p, record); err != nil || len(batch) == 0 {
			return err
		}
		if run.Finding() {
			run.Alone, err = alone(ctx, &single, run, p, record)
		}
		return errors.Join(err, os.RemoveAll(dir.Path(execute.BatchDir)))
	})
	return r.ended(ctx, run, record, err)
}

// record is the directory and the record of a run.
func (r *session) record(number, config int) (rundir.Dir, *rundir.Spec) {
	cfg := &r.c.Configs[config]
	return r.dir(number), &rundir.Spec{
		Campaign: r.c.Name, Seed: r.c.Seed, Number: number, Sim: r.c.SimOf(cfg), Config: *cfg,
		Timeout: r.c.Timeout, Memory: r.c.Memory, LogSize: r.c.LogSize, Command: r.Command, Tools: r.tools[config], Started: time.Now(),
	}
}

// dir is the directory of a run.
func (r *session) dir(number int) rundir.Dir {
	return rundir.Dir(filepath.Join(r.Dir, rundir.Pad(number)))
}

// single makes runs of a configuration.
func (r *session) executor(config int, models []model.Model) execute.Executor {
	return execute.Executor{Runner: r.runners[config], Gate: r.gate, Judging: r.checkOptions(models)}
}

func (r *session) checkOptions(models []model.Model) execute.CheckOptions {
	return execute.CheckOptions{
		Models: models, Options: check.Options{Timeout: time.Duration(r.c.CheckTimeout)},
		Memory: int64(r.c.Memory), LogSize: int64(r.c.LogSize),
	}
}
