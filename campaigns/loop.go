package campaigns

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

	"ordeal/campaigns/internal/messages"
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
	// Cores is how many cores of this machine are the campaign's; 0 means all.
	Cores int
	// Watch is told of every run that is recorded, one at a time and in the
	// order of the journal; nil: nobody is.
	Watch func(*Summary, *Run)
	// Tell is told what else people should know as it happens, in a line:
	// trouble, reductions. It is not called at the same time as Watch, or as
	// itself; nil: nobody is told.
	Tell func(line string)
	// Runner makes the runner of a configuration; nil means NewRunner.
	Runner func(sim string, c *Config) (sim.Runner, error)
	// Reduce shrinks the first run of each finding where the campaign wants
	// that; nil: nobody does.
	Reduce Reducer
	_      struct{}
}

// Run is a run that ended.
type Run struct {
	Number int
	Config *Config
	Dir    RunDir
	// At is when the run was recorded, in time spent on the campaign.
	At time.Duration
	// Kept says that the run directory stayed, Quarantined that it was moved
	// to Dir, since the run could not be made or judged.
	Kept, Quarantined bool
	*Case
}

// Run runs a campaign until its runs are done, its budget is spent, a
// condition of Campaign.Stop is met, ctx is done or too much trouble came. The
// summary tells of the runs that were recorded, whatever the error; ctx's being
// done is not an error but Summary.Interrupted.
func (l *Loop) Run(ctx context.Context, c *Campaign) (*Summary, error) {
	r := l.running(c)
	if err := r.open(ctx); err != nil {
		return r.sum, err
	}
	return r.finishAll(ctx)
}

func (l *Loop) running(c *Campaign) *running {
	r := &running{Loop: l, c: c, session: time.Now(), schedule: c.Schedule()}
	r.room.L, r.head.Shard = &r.mu, l.Shard
	r.forget()
	return r
}

// forget makes the campaign one of which no run has ended.
func (r *running) forget() {
	started := r.session
	if r.sum != nil {
		started = r.sum.Started
	}
	r.sum = newSummary(r.c, r.Dir)
	r.sum.Started = started
	r.sum.part(r.c, r.head.Shard)
	if r.sum.Again = r.Again; len(r.Command) > 0 {
		r.sum.Program = r.Command[0]
	}
	r.kept, r.tables = make(map[string]bool), make(tables)
	r.done, r.stays = make([]bool, len(r.schedule)), make([]bool, len(r.schedule))
	for number, mine := range r.head.Shard.Has(r.c) {
		r.done[number] = !mine
	}
	r.left, r.next = r.sum.Planned, 0
	r.skipDone()
	r.waiting = make(map[int]*ending)
}

// skipDone moves next to the first run that is not done.
func (r *running) skipDone() {
	for r.next < len(r.done) && r.done[r.next] {
		r.next++
	}
}

// running is the state of a campaign in progress.
type running struct {
	*Loop
	c        *Campaign
	schedule []int
	runners  []sim.Runner        // by configuration
	tools    []map[string]string // likewise
	gate     *Gate
	head     Head
	session  time.Time // start of this one
	idle     bool      // nothing is left to do

	mu      sync.Mutex // guards what follows
	sum     *Summary
	journal *os.File
	size    int64           // of the journal, in bytes of whole lines
	done    []bool          // runs that are recorded, or not in the shard
	stays   []bool          // runs whose directories stay
	next    int             // the run to record next: the first that is not done
	left    int             // runs that are not done
	waiting map[int]*ending // runs that ended and wait for earlier ones
	room    sync.Cond       // told when runs stop waiting
	kept    map[string]bool // kinds of run of which the first stays, by stay
	tables  tables          // of the journal
	infra   int             // runs of outcome Infra in a row
	end     error           // why nothing is recorded any more
	reduce  reductions
}

// elapsed is the time spent on the campaign.
func (r *running) elapsed() time.Duration { return r.head.Spent + time.Since(r.session) }

// tell tells people a line. The lock is held, or nobody else is there yet.
func (r *running) tell(format string, args ...any) {
	if r.Tell != nil {
		r.Tell(fmt.Sprintf(format, args...))
	}
}

// makeRunners makes the runners of all configurations.
func (r *running) makeRunners(ctx context.Context) error {
	for i := range r.c.Configs {
		runner, err := r.newRunner(r.c.SimOf(&r.c.Configs[i]), &r.c.Configs[i])
		if err != nil {
			return err
		}
		r.runners = append(r.runners, runner)
		r.tools = append(r.tools, Tools(ctx, runner))
	}
	r.gate = NewGate(r.cores())
	return nil
}

// cores is how many cores the campaign may use.
func (l *Loop) cores() int { return cmp.Or(l.Cores, runtime.NumCPU()) }

// newRunner makes a runner.
func (l *Loop) newRunner(name string, c *Config) (sim.Runner, error) {
	if l.Runner != nil {
		return l.Runner(name, c)
	}
	return NewRunner(name, c)
}

// nameSimulators notes the simulators in the summary.
func (r *running) nameSimulators() {
	for i, runner := range r.runners {
		r.sum.simulator(r.c.SimOf(&r.c.Configs[i]), r.tools[i][runner.Name()])
	}
}

// open makes the directory and everything that comes before the first run.
func (r *running) open(ctx context.Context) error {
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
	return r.openJournal(filepath.Join(r.Dir, journalFile))
}

// finishAll makes the runs that are left and the reductions that are due, and
// writes the summary.
func (r *running) finishAll(ctx context.Context) (*Summary, error) {
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
	return r.sum, errors.Join(err, r.close(err), r.sum.write())
}

// over tells whether the last session left nothing to do, and says so.
func (r *running) over() bool {
	switch {
	case r.head.End != EndComplete && r.head.End != EndStopped && r.head.End != EndBudget, len(r.reduce.due) > 0:
		return false
	case r.sum.Stopped != "":
		r.tell("the campaign stopped at %s: nothing is left to do", r.sum.Stopped)
	case r.left == 0:
		r.tell("all %s of the campaign are done: nothing is left to do", messages.Plural(r.sum.Planned, "run"))
	case r.overBudget():
		r.sum.BudgetSpent = true
		r.tell("the campaign's budget of %v is spent: nothing is left to do", time.Duration(r.c.Budget))
	default:
		return false
	}
	r.sum.Elapsed = r.head.Spent
	return true
}

func (r *running) overBudget() bool {
	return r.c.Budget > 0 && r.elapsed() >= time.Duration(r.c.Budget)
}

// runAll makes all runs, as many at a time as there are workers.
func (r *running) runAll(ctx context.Context) error {
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
	case errors.Is(r.end, errStopped): // whatever else came at the same time
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
func (r *running) runOne(ctx context.Context, number, config int, batch []int) error {
	dir, record := r.record(number, config)
	record.Batch = batch
	run := &Run{Number: number, Config: &r.c.Configs[config], Dir: dir}
	err := guarded(func() error {
		models, err := run.Config.Models()
		if err != nil {
			return err
		}
		p, err := r.program(ctx, run.Config, number)
		if err != nil {
			return err
		}
		single := r.single(config, models)
		if run.Case, err = single.Run(ctx, dir, p, record); err != nil || len(batch) == 0 {
			return err
		}
		if run.Finding() {
			run.Alone, err = alone(ctx, &single, run, p, record)
		}
		return errors.Join(err, os.RemoveAll(dir.path(batchDir)))
	})
	return r.ended(ctx, run, record, err)
}

// record is the directory and the record of a run.
func (r *running) record(number, config int) (RunDir, *Record) {
	cfg := &r.c.Configs[config]
	return r.dir(number), &Record{
		Campaign: r.c.Name, Seed: r.c.Seed, Number: number, Sim: r.c.SimOf(cfg), Config: *cfg,
		Timeout: r.c.Timeout, Memory: r.c.Memory, LogSize: r.c.LogSize, Command: r.Command, Tools: r.tools[config], Started: time.Now(),
	}
}

// dir is the directory of a run.
func (r *running) dir(number int) RunDir { return RunDir(filepath.Join(r.Dir, pad(number))) }

// single makes runs of a configuration.
func (r *running) single(config int, models []model.Model) Single {
	return Single{Runner: r.runners[config], Gate: r.gate, Judging: r.judging(models)}
}

func (r *running) judging(models []model.Model) Judging {
	return Judging{
		Models: models, Options: check.Options{Timeout: time.Duration(r.c.CheckTimeout)},
		Memory: int64(r.c.Memory), LogSize: int64(r.c.LogSize),
	}
}

// pad is the name of a run's directory.
func pad(number int) string { return fmt.Sprintf("%06d", number) }
