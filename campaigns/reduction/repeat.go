package reduction

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/gen"
	"ordeal/sim"
)

// RepeatOptions steer Repeat.
type RepeatOptions struct {
	// Tries is how often to repeat the run, at least 1.
	Tries int
	// Judging bounds the judging; its Models are those of the record.
	Judging check.Options
	// Command is the command line, for the records.
	Command []string
	// Watch is told of each try, from 1; nil: nobody is.
	Watch func(try int, came *rundir.Result, hit bool)
	// Runner makes the runner; nil means campaigns.NewRunner.
	Runner func(sim string, c *config.Config) (sim.Runner, error)
	_      struct{}
}

// RepeatReport says what came of repeating a run.
type RepeatReport struct {
	Recorded *rundir.Result
	// ExecutableSame says that the executables had the recorded bytes;
	// meaningless when none is recorded.
	ExecutableSame bool
	// Tries counts the repetitions that ended, Hits those that did what is
	// recorded, LogsSame those whose log had the recorded bytes.
	Tries, Hits, LogsSame int
	// Others counts the outcomes and titles of tries that failed otherwise.
	Others map[string]int
	// HitDir is the run directory of the first hit.
	HitDir rundir.Dir
	_      struct{}
}

// Repeat repeats the run recorded in dir, each try in a directory of its own
// under dir/repro. A program or an executable that differs from the record
// is an error: the run would not be a repetition. The log may differ where the
// simulator is not deterministic, as hardware is not: RepeatReport counts how often
// what was recorded came again.
func Repeat(ctx context.Context, dir rundir.Dir, o RepeatOptions) (*RepeatReport, error) {
	r := &repeater{dir: dir, o: o}
	if err := r.load(); err != nil {
		return nil, err
	}
	for try := 1; try <= o.Tries; try++ {
		if err := r.try(ctx, try); err != nil {
			return &r.report, fmt.Errorf("try %d: %w", try, err)
		}
	}
	return &r.report, nil
}

type repeater struct {
	dir     rundir.Dir
	o       RepeatOptions
	program *gen.Program
	record  *rundir.Spec
	single  execute.Executor
	report  RepeatReport
}

// load reads the record and compares the program with it.
func (r *repeater) load() error {
	var err error
	if r.record, err = r.dir.Spec(); err != nil {
		return err
	}
	if r.report.Recorded, err = r.dir.Result(); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the recorded run did not end: there is nothing to compare with", r.dir)
	} else if err != nil {
		return err
	}
	if r.program, err = r.dir.Program(r.record); err != nil {
		return err
	}
	models, err := r.record.Config.Models()
	if err != nil {
		return fmt.Errorf("%s: %w", r.dir, err)
	}
	newRunner := r.o.Runner
	if newRunner == nil {
		newRunner = execute.NewRunner
	}
	r.single.Runner, err = newRunner(r.record.Sim, &r.record.Config)
	r.single.Check = execute.CheckOptions{Models: models, Options: r.o.Judging}
	r.report.Others = make(map[string]int)
	return err
}

// try repeats the run once.
func (r *repeater) try(ctx context.Context, try int) error {
	dir, err := r.tryDir()
	if err != nil {
		return err
	}
	record := *r.record
	record.Command, record.Tools = r.o.Command, execute.ToolVersions(ctx, r.single.Runner)
	came, err := r.single.Run(ctx, dir, r.program, &record)
	if err != nil {
		return err
	}
	if err := dir.Finish(came); err != nil {
		return err
	}
	recorded := r.report.Recorded
	r.report.Tries++
	if recorded.ExecutableHash != "" {
		if r.report.ExecutableSame = came.ExecutableHash == recorded.ExecutableHash; !r.report.ExecutableSame {
			return fmt.Errorf("the executable differs from the recorded one: its hash is %s, recorded is %s: another version of ordeal made it", came.ExecutableHash, recorded.ExecutableHash)
		}
	}
	if came.LogHash == recorded.LogHash {
		r.report.LogsSame++
	}
	hit := recorded.Same(came)
	switch {
	case hit && r.report.Hits == 0:
		r.report.HitDir = dir
		fallthrough
	case hit:
		r.report.Hits++
	case came.Outcome != sim.Passed:
		r.report.Others[strings.TrimSpace(came.Outcome.String()+" "+came.Title)]++
	}
	if r.o.Watch != nil {
		r.o.Watch(try, came, hit)
	}
	if dir != r.report.HitDir && (hit || came.Outcome == sim.Passed) {
		return os.RemoveAll(string(dir))
	}
	return nil
}

// tryDir makes a directory for a try.
func (r *repeater) tryDir() (rundir.Dir, error) {
	parent := filepath.Join(string(r.dir), "repro")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		dir := filepath.Join(parent, fmt.Sprintf("%03d", n))
		err := os.Mkdir(dir, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			return rundir.Dir(dir), err
		}
	}
}
