package reduction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/gen"
	"ordeal/sim"
)

// RepeatOptions are those of Repeat.
type RepeatOptions struct {
	// Tries is how often to repeat the run, at least 1.
	Tries int
	// CheckTimeout bounds the checking of one run; 0 means no bound.
	CheckTimeout time.Duration
	// Command is the command line, for the specifications of the tries.
	Command []string
	// Trace looks for the cause of the violation in a trace of the first hit,
	// which ends the tries.
	Trace bool
	// Filter selects events of the trace for RepeatReport.Selected.
	Filter diagnose.Filter
	// OnTry is called with each try, from 1; nil means no callback.
	OnTry func(try int, res *run.Evaluation, hit bool)
	// Gate makes the runner of the recorded configuration; nil means one that
	// refuses all commands. Runner is used in its place where it is not nil.
	Gate   *run.Gate
	Runner func(sim string, c *config.Config) (sim.Runner, error)
	_      struct{}
}

// RepeatReport is the result of repeating a run.
type RepeatReport struct {
	Recorded *run.Result `json:"recorded"`
	// ExecutableSame reports that the executables had the recorded bytes; it is
	// false where none is recorded.
	ExecutableSame bool `json:"executable_same"`
	// Protocol is the copy of the protocol's files that was used, since those of the
	// record have changed; empty if they have not.
	Protocol string `json:"protocol,omitempty"`
	// Tries counts the repetitions that ended, Hits those that did what is
	// recorded, LogsSame those whose log had the recorded bytes.
	Tries    int `json:"tries"`
	Hits     int `json:"hits"`
	LogsSame int `json:"logs_same"`
	// Others counts the outcomes and titles of tries that failed otherwise.
	Others map[string]int `json:"others,omitempty"`
	// HitDir is the run directory of the first hit.
	HitDir run.Dir `json:"hit_dir,omitempty"`
	// Cause is that of the violation; nil unless it was asked for and there was a
	// hit.
	Cause *diagnose.Cause `json:"-"`
	// Selected are the events that the filter of a trace selects, a line each.
	Selected []string `json:"-"`
	// Last are the last events before a failure that no model explains, a line
	// each, where a trace was asked for.
	Last []string `json:"-"`
	_    struct{}
}

// Repeat repeats the run recorded in dir, each try in a directory of its own
// under dir/repro. A program or an executable that differs from the recorded
// one is an error: the run would not be a repetition. The log may differ on
// hardware, which is not deterministic.
func Repeat(ctx context.Context, dir run.Dir, o RepeatOptions) (*RepeatReport, error) {
	r := &repeater{dir: dir, o: o}
	if err := r.load(); err != nil {
		return nil, err
	}
	return &r.report, run.Hold(ctx, r.executor.Runner, r.tries)
}

type repeater struct {
	dir      run.Dir
	o        RepeatOptions
	program  *gen.Program
	spec     *run.Spec
	executor run.Executor
	report   RepeatReport
}

// load reads the recorded run.
func (r *repeater) load() error {
	var err error
	if r.spec, r.program, r.report.Recorded, err = r.dir.Recorded(); err != nil {
		return err
	}
	if r.report.Protocol, err = run.RecordedProtocol(r.dir, r.spec); err != nil {
		return fmt.Errorf("%s: %w", r.dir, err)
	}
	models, err := r.spec.Config.Models()
	if err != nil {
		return fmt.Errorf("%s: %w", r.dir, err)
	}
	gate := cmp.Or(r.o.Gate, &run.Gate{Dir: string(r.dir)})
	r.spec.Config = gate.Apply(&r.spec.Config)
	newRunner := r.o.Runner
	if newRunner == nil {
		newRunner = gate.NewRunner
	}
	r.executor.Runner, err = newRunner(r.spec.Sim, &r.spec.Config)
	r.executor.Check = run.CheckOptions{Models: models, Options: check.Options{Timeout: r.o.CheckTimeout}}
	r.report.Others = make(map[string]int)
	return err
}

// tries repeats the run until its cause is found, if that is asked for.
func (r *repeater) tries(ctx context.Context) error {
	for try := 1; try <= r.o.Tries; try++ {
		if err := r.try(ctx, try); err != nil {
			return fmt.Errorf("try %d: %w", try, err)
		}
		if r.report.Cause != nil || r.report.Last != nil {
			break
		}
	}
	return nil
}

// try repeats the run once.
func (r *repeater) try(ctx context.Context, try int) error {
	dir, err := r.tryDir()
	if err != nil {
		return err
	}
	spec := *r.spec
	spec.Command, spec.Tools = r.o.Command, run.ToolVersions(ctx, r.executor.Runner, &spec.Config)
	res, err := r.executor.Run(ctx, dir, r.program, &spec)
	if err != nil {
		return err
	}
	unwritten := dir.Finish(res) // which does not hide what came
	recorded := r.report.Recorded
	r.report.Tries++
	if recorded.ExecutableHash != "" {
		if r.report.ExecutableSame = res.ExecutableHash == recorded.ExecutableHash; !r.report.ExecutableSame {
			return fmt.Errorf("the executable differs from the recorded one: its hash is %s, recorded is %q: another version of ordeal wrote it", res.ExecutableHash, recorded.ExecutableHash)
		}
	}
	if res.LogHash == recorded.LogHash {
		r.report.LogsSame++
	}
	hit := recorded.Same(res.Result)
	switch {
	case hit && r.report.Hits == 0:
		r.report.HitDir = dir
		fallthrough
	case hit:
		r.report.Hits++
	case res.Outcome != sim.Passed:
		r.report.Others[res.Outcome.Titled(res.Title)]++
	}
	if r.o.OnTry != nil {
		r.o.OnTry(try, res, hit)
	}
	if unwritten != nil {
		return unwritten
	}
	if o := r.o; o.Trace && dir == r.report.HitDir {
		return r.trace(ctx, dir, res)
	}
	if dir != r.report.HitDir && (hit || res.Outcome == sim.Passed) {
		return run.RemoveAll(string(dir))
	}
	return nil
}

// tryDir makes a directory for a try.
func (r *repeater) tryDir() (run.Dir, error) {
	parent := filepath.Join(string(r.dir), "repro")
	if err := run.MkdirAll(parent); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		dir := filepath.Join(parent, fmt.Sprintf("%03d", n))
		err := run.Mkdir(dir)
		if !errors.Is(err, fs.ErrExist) {
			return run.Dir(dir), err
		}
	}
}
