package campaigns

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ordeal/campaigns/internal/messages"
	"ordeal/gen"
	"ordeal/sim"
)

// Reducer shrinks the failing run in job.Dir and leaves a run directory of its
// own at job.Out. The error is of a run that could not be reduced, or ctx's.
type Reducer func(ctx context.Context, job ReduceJob) (*Reduction, error)

// ReduceJob is one run to shrink.
type ReduceJob struct {
	Dir, Out RunDir
	// Time bounds the reduction.
	Time time.Duration
	// CheckTimeout bounds the judging of one run.
	CheckTimeout time.Duration
	// Runner makes the runner of a candidate. Its runs take turns with those
	// of the campaign on the cores of this machine.
	Runner func(sim string, c *Config) (sim.Runner, error)
	_      struct{}
}

// Reduction is reduction.json: what came of shrinking a run.
type Reduction struct {
	// Error says why there is no smaller program; the rest is then empty.
	Error string `json:"error,omitempty"`
	// Dir is the run directory of the reduced program. In reduction.json it is
	// relative to the run's.
	Dir string `json:"dir,omitempty"`
	// Before and After are operations, rounds counted; Threads and Rounds are
	// those of the reduced program.
	Before  int `json:"before,omitempty"`
	After   int `json:"after,omitempty"`
	Threads int `json:"threads,omitempty"`
	Rounds  int `json:"rounds,omitempty"`
	// Hits of Tries runs of the reduced program under other seeds fail in the
	// same way.
	Hits  int `json:"hits"`
	Tries int `json:"tries"`
	// Minimal says that no part can be left out as far as the tries tell.
	Minimal bool          `json:"minimal,omitempty"`
	Elapsed time.Duration `json:"elapsed_ns"`
}

// String says in a line what came of it.
func (r *Reduction) String() string {
	if r.Error != "" {
		return "not: " + r.Error
	}
	text := fmt.Sprintf("from %s to %d in %s and %s, fails in %d of %s",
		messages.Plural(r.Before, "operation"), r.After, messages.Plural(r.Threads, "thread"), messages.Plural(r.Rounds, "round"), r.Hits, messages.Plural(r.Tries, "run"))
	if !r.Minimal {
		text += "; time was up, more may go"
	}
	return text
}

// The files of a reduction in the directory of the run.
const (
	reductionFile = "reduction.json"
	// reducedDir is what ordeal reduce calls it, too; partDir is the one under
	// way, which is renamed when it is whole.
	reducedDir = "reduced"
	partDir    = "reduced.part"
)

// reductions shrinks findings, one at a time, beside the runs.
type reductions struct {
	due []RunDir // first runs of findings, by their number
	// asked are the findings that were asked for.
	asked map[findingKey]bool
	run   func(dir RunDir)
	turn  sync.Mutex
	group sync.WaitGroup
}

// findingKey is what makes two runs the same finding.
type findingKey struct {
	title, system string
	outcome       sim.Outcome
}

func (f *Finding) key() findingKey { return findingKey{f.Title, f.System, f.Outcome} }

// noteFindings asks for the reduction of findings that are new, and tells of
// canaries that are missed. The lock is held, or nobody else is there yet.
func (r *running) noteFindings() {
	if r.reduce.asked == nil {
		r.reduce.asked = make(map[findingKey]bool)
	}
	for i := range r.sum.Findings {
		f := &r.sum.Findings[i]
		if r.reduce.asked[f.key()] {
			continue
		}
		r.reduce.asked[f.key()] = true
		switch {
		case f.Outcome == sim.Missed:
			r.tell("finding: %s", f.Title)
		case r.Reduce != nil && r.c.Reduce > 0 && f.Reduction == nil:
			r.reduce.due = append(r.reduce.due, RunDir(f.Dir))
			if r.reduce.run != nil {
				r.reduce.begin(RunDir(f.Dir))
			}
		}
	}
}

// start begins the reductions that are due, those of an earlier session.
func (q *reductions) start(ctx context.Context, r *running) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q.run = func(dir RunDir) { r.reduceOne(ctx, dir) }
	for _, dir := range q.due {
		q.begin(dir)
	}
}

func (q *reductions) begin(dir RunDir) {
	q.group.Go(func() {
		q.turn.Lock()
		defer q.turn.Unlock()
		q.run(dir)
	})
}

// wait waits for all reductions.
func (q *reductions) wait() { q.group.Wait() }

// reduceOne shrinks a run. A reduction that is interrupted, or killed, leaves
// no reductionFile: it is done again.
func (r *running) reduceOne(ctx context.Context, dir RunDir) {
	if ctx.Err() != nil {
		return
	}
	came, err := r.shrink(ctx, dir)
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for i, due := range r.reduce.due {
		if due == dir {
			r.reduce.due = append(r.reduce.due[:i:i], r.reduce.due[i+1:]...)
			break
		}
	}
	if err != nil {
		r.tell("trouble: the reduction of %s cannot be written: %v", dir, err)
		return
	}
	r.sum.reduced(dir, came)
	r.tell("reduced: %s: %s", dir, came)
}

// grace is how much longer than its time a reduction may take, for its last
// run and the measuring of how reliably the result fails.
const grace = 30 * time.Second

// shrink has a run shrunk and leaves what came of it.
func (r *running) shrink(ctx context.Context, dir RunDir) (*Reduction, error) {
	part := dir.path(partDir)
	if err := errors.Join(os.RemoveAll(part), os.RemoveAll(dir.path(reducedDir))); err != nil {
		return nil, err
	}
	limit := time.Duration(r.c.Reduce)
	hard, cancel := context.WithTimeoutCause(ctx, limit+grace, errors.New("it takes too long"))
	defer cancel()
	var came *Reduction
	start := time.Now()
	err := guarded(func() (err error) {
		came, err = r.Reduce(ctx, ReduceJob{
			Dir: dir, Out: RunDir(part), Time: limit, CheckTimeout: time.Duration(r.c.CheckTimeout),
			Runner: func(name string, c *Config) (sim.Runner, error) {
				runner, err := r.newRunner(name, c)
				return &turnRunner{runner, name, r.gate, hard}, err
			},
		})
		return err
	})
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), os.RemoveAll(part))
	}
	if err != nil {
		came = &Reduction{Error: troubleTitle(err), Elapsed: time.Since(start)}
		if err := os.RemoveAll(part); err != nil {
			return nil, err
		}
	} else {
		came.Dir = reducedDir
		if err := os.Rename(part, dir.path(reducedDir)); err != nil {
			return nil, err
		}
	}
	if err := writeJSON(dir.path(reductionFile), came, true); err != nil {
		return nil, err
	}
	return came, nil
}

// turnRunner runs candidates behind the gate of the campaign, until hard is
// done.
type turnRunner struct {
	sim.Runner
	name string
	gate *Gate
	hard context.Context
}

// Run waits for the cores that the job wants.
func (t *turnRunner) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	if t.hard.Err() != nil {
		return sim.Result{}, context.Cause(t.hard)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.hard, cancel)()
	done, err := t.gate.run(ctx, coresOf(t.name, job.Program))
	if err != nil {
		return sim.Result{}, err
	}
	defer done()
	result, err := t.Runner.Run(ctx, job)
	if err != nil && t.hard.Err() != nil {
		return result, context.Cause(t.hard)
	}
	return result, err
}

// coresOf is how many cores of this machine a run wants: one for each thread
// that runs on the processor, one for a simulator.
func coresOf(simulator string, p *gen.Program) int {
	if simulator == SimBuiltin || simulator == SimGem5 {
		return 1
	}
	return len(p.Threads)
}

// reduced notes what came of the reduction of the first run of a finding.
func (s *Summary) reduced(dir RunDir, came *Reduction) {
	for i := range s.Findings {
		f := &s.Findings[i]
		if RunDir(f.Dir) != dir || dir == "" {
			continue
		}
		shown := *came
		f.Reduction = &shown
		if came.Error == "" {
			shown.Dir = filepath.Join(string(dir), filepath.Base(came.Dir))
			f.Best = &Reproducer{Dir: shown.Dir, Number: f.First, Operations: came.After, Reduced: true}
		}
	}
}

// reductions reads what came of the reductions of findings. One that cannot be
// read is none.
func (s *Summary) reductions() {
	for i := range s.Findings {
		came := new(Reduction)
		if dir := RunDir(s.Findings[i].Dir); dir != "" && readJSON(dir.path(reductionFile), came) == nil {
			s.reduced(dir, came)
		}
	}
}
