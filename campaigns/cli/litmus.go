package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/litmus"
	"ordeal/campaigns/run"
	"ordeal/check/outcomes"
	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/sim"
)

func newLitmus(e *env) *cobra.Command {
	l := litmusRun{env: e, campaign: config.Defaults(), o: litmus.Options{Config: config.DefaultConfig()}}
	l.o.Config.MaxDelay = 64
	cmd := &cobra.Command{
		Use:   "litmus [FILE|DIR|@LIST…]",
		Short: "Run litmus tests many times and flag what the model forbids",
		Long: `Run litmus tests of X86_64, AArch64 and RISCV many times, with delays drawn at
random and locations lying in memory in several ways, count the states they end
in, and flag those that the model forbids. What the model allows is enumerated, so that no other
tool is needed. The embedded simulator runs tests of AArch64 on arm cores and
those of RISCV on riscv cores, the host those of its own processor. A folder stands for all files below it that end in .litmus, a
file whose name begins with @ for the paths in it, one a line.

The histograms are those of litmus7, in which FORBIDDEN lines stand between
results; a table ends it all. The first run that shows something forbidden of a
test is kept, with an explanation, to be repeated.`,
		Example: `  ordeal litmus --shapes --save tests
  ordeal litmus --rounds 1000000 tests
  ordeal litmus --sim builtin --protocol mi --core ooo tests/SB.litmus tests/MP.litmus`,
	}
	fs := cmd.Flags()
	fs.StringVar(&l.o.Model, "model", "", "the model that must not be broken: sc, tso, pso, armv8, rvwmo (default what the simulator promises to each test)")
	fs.IntVar(&l.o.Rounds, "rounds", 100_000, "how often to execute each test, at least")
	command.Declare(cmd, &l.campaign, "sim", "seed", "timeout", "memory", "log-size")
	command.Declare(cmd, &l.o.Config.Programs, "layout", "max-delay")
	fs.StringVar(&l.o.Dir, "dir", "", "folder of the runs that are kept, made when there is one; default runs/litmus-TIME")
	fs.StringVar(&l.o.Herd, "herd", "", "compare what the model allows with what this herd7 says")
	fs.IntVar(&l.workers, "workers", 0, "tests at a time; 0 means one for each processor, on the host one alone")
	fs.BoolVar(&l.shapes, "shapes", false, "run the critical cycles that programs are made of, beside the files")
	fs.StringVar(&l.save, "save", "", "with --shapes: write them to this folder, and run nothing")
	fs.BoolVar(&l.json, "json", false, "print the results as JSON")
	fs.BoolVar(&l.tableOnly, "table", false, "print the table only, and what was found")
	command.Declare(cmd, &l.o.Config.Machine)
	command.Declare(cmd, &l.o.Config.Gem5, singleRun()...)
	completeMutants(cmd)
	command.Expert(cmd)
	command.Common(cmd, "shapes", "sim", "protocol", "slicc", "core", "mutant", "seed", "rounds", "model", "table")
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		if err := errors.Join(command.Contradict(cmd, "protocol", "slicc"), command.ImplySimulator(cmd, &l.campaign.Sim)); err != nil {
			return err
		}
		return l.run(ctx, args)
	})
	return cmd
}

// litmusRun is the litmus command.
type litmusRun struct {
	*env
	campaign                config.Campaign // its options that litmus tests have
	o                       litmus.Options
	workers                 int
	shapes, json, tableOnly bool
	save                    string
}

// prepare checks the flags and fills in what they leave open.
func (l *litmusRun) prepare(args []string) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if len(args) == 0 && !l.shapes {
		fault("want files, folders or lists of litmus tests, or --shapes")
	}
	if l.o.Rounds < 1 {
		fault("--rounds %d: want at least 1", l.o.Rounds)
	}
	if l.workers < 0 {
		fault("--workers %d: want at least 0", l.workers)
	}
	c := &l.campaign
	l.o.Sim, l.o.Seed, l.o.Timeout, l.o.Memory, l.o.LogSize = c.Sim, c.Seed, time.Duration(c.Timeout), c.Memory, c.LogSize
	l.o.Layout, l.o.MaxDelay = l.o.Config.Layout, int(l.o.Config.MaxDelay)
	if l.json && l.tableOnly {
		fault("--json contradicts --table")
	}
	faults = append(faults, command.Positive("timeout", c.Timeout), l.o.Config.Programs.Validate(), option.Join(config.CheckSim(c, c.Sim)))
	l.o.Command = l.Args
	if _, err := outcomes.Parse(cmp.Or(l.o.Model, l.o.Config.PromiseTo(gen.X86))); err != nil {
		fault("--model: %w", err)
	}
	if _, err := run.NewRunner(l.o.Sim, &l.o.Config); err != nil {
		faults = append(faults, err)
	}
	if l.o.Herd != "" {
		if path, err := exec.LookPath(l.o.Herd); err != nil {
			fault("--herd: %w", err)
		} else if l.o.Herd, err = filepath.Abs(path); err != nil {
			fault("--herd: %w", err)
		}
	}
	if l.o.Dir == "" {
		l.o.Dir = filepath.Join(command.RunsDir, "litmus-"+time.Now().Format("20060102-150405"))
	}
	l.o.Dir = run.Resolve(l.o.Dir)
	if l.workers == 0 {
		l.workers = litmus.Workers(l.o.Sim)
	}
	return command.Usage(errors.Join(faults...))
}

func (l *litmusRun) run(ctx context.Context, args []string) error {
	if l.save != "" {
		return l.saveShapes(args)
	}
	if err := l.prepare(args); err != nil {
		return err
	}
	l.Own(l.o.Dir, run.Commands(l.o.Sim, &l.o.Config))
	command.CollectSeldom()
	tests, unread := command.Await(l.env, func() ([]*litmus.Test, error) { return litmus.Load(args) })
	if errors.Is(unread, context.Canceled) {
		return unread
	}
	if l.shapes {
		more, err := litmus.Shapes()
		if err != nil {
			return err
		}
		tests = append(tests, more...)
	}
	l.complain(unread)
	var reports []*litmus.Report
	unfit, err := litmus.RunAll(ctx, tests, &l.o, l.workers, func(r *litmus.Report) error {
		reports = append(reports, r)
		if l.json || l.tableOnly && !r.Finding() {
			return nil
		}
		_, err := r.WriteTo(l.Stdout)
		return err
	})
	l.complain(unfit)
	var tableErr error
	switch faults := errors.Join(unread, unfit); {
	case l.json:
		tableErr = l.PrintJSON(litmus.NewSuite(&l.o, reports, faults))
	case len(reports) > 0:
		_, tableErr = fmt.Fprint(l.Stdout, litmus.Table(reports).Fit(l.Columns()))
	}
	if err := errors.Join(err, tableErr); err != nil {
		return err
	}
	return command.Exit(litmusStatus(reports, errors.Join(unread, unfit)))
}

// complain says what keeps tests from running.
func (l *litmusRun) complain(err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(l.Stderr, "ordeal: %s\n", line)
	}
}

// saveShapes writes the shapes as files.
func (l *litmusRun) saveShapes(args []string) error {
	if !l.shapes || len(args) > 0 {
		return command.Usage(errors.New("--save: want --shapes and no files"))
	}
	n, err := litmus.SaveShapes(l.save)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.Stdout, "%d litmus tests in %s\n", n, l.save)
	return err
}

// litmusStatus is the exit status that reports mean; missing says why there are
// none of some tests.
func litmusStatus(reports []*litmus.Report, missing error) int {
	status := summary.ExitOK
	switch {
	case errors.Is(missing, litmus.ErrUnwritten):
		return summary.ExitInfra
	case errors.Is(missing, fs.ErrNotExist) || errors.Is(missing, fs.ErrPermission):
		status = summary.ExitInfra
	case missing != nil:
		status = summary.ExitUndecided
	}
	for _, r := range reports {
		switch {
		case r.Finding():
			return summary.ExitFinding
		case r.Failure != nil && r.Failure.Outcome == sim.Infra:
			status = summary.ExitInfra
		case r.Herd != nil && r.Herd.Skipped == "" && !r.Herd.Agrees() && status == summary.ExitOK:
			status = summary.ExitUndecided
		}
	}
	return status
}
