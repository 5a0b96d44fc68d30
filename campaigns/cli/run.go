package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/campaigns/trust"
	"ordeal/check"
	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/parse/formats"
	"ordeal/parse/formats/litmus"
	"ordeal/sim"
)

func newRun(e *env) *cobra.Command {
	r := run{env: e, campaign: config.Defaults(), cfg: config.Config{Name: "run", Runs: 1, Programs: config.DefaultPrograms()}}
	cmd := &cobra.Command{
		Use:   "run [FILE|-]",
		Short: "Run one program on one simulator and print the verdict",
		Long: `Run a program in text form, as gen prints it, or an X86_64 litmus test, check what it
did and leave a run directory. Without FILE the program is the one that gen makes
from the same seed and flags, with a thread for each of --cores. The first of the models is what the
simulator promises: a history that it forbids is a violation. The others only
classify.`,
		Example: `  ordeal gen --seed 7 | ordeal run --rounds 1000 -
  ordeal run --sim gem5 --gem5 BINARY --gem5-tree FOLDER --cpu o3 --cores 4 --seed 7`,
		Args: arguments(0, 1, "one FILE, or - for standard input"),
	}
	fs := cmd.Flags()
	fs.StringVar(&r.models, "model", "", "models to check the run against, the expected one first (default what the simulator promises, and sc)")
	fs.StringVar(&r.dir, "dir", "", "run directory to create (default runs/run-TIME)")
	declare(cmd, &r.campaign, "sim", "seed", "timeout", "check-timeout", "memory", "log-size")
	declare(cmd, &r.cfg.Programs)
	declare(cmd, &r.cfg.Machine)
	declare(cmd, &r.cfg.Gem5, singleRun...)
	r.observe.flags(fs)
	cmd.RunE = body(func(ctx context.Context, args []string) error {
		if faults := config.CheckSim(&r.campaign, r.campaign.Sim); len(faults) > 0 {
			return usage(option.Join(faults))
		}
		p, err := r.program(args, fs.Changed)
		if err != nil {
			return err
		}
		if r.litmus != nil && !fs.Changed("sync") {
			r.cfg.Sync = config.SyncRound // each round is a test of its own
		}
		return r.run(ctx, p)
	})
	return cmd
}

// run is the run command.
type run struct {
	*env
	observe     observe
	campaign    config.Campaign // its options that a single run has
	cfg         config.Config
	models, dir string
}

// program is the one of the file named, or a random one.
func (r *run) program(args []string, changed func(flag string) bool) (*gen.Program, error) {
	var described []string
	for _, o := range option.Of(reflect.TypeFor[gen.Options]()) {
		if changed(o.Name) {
			described = append(described, "--"+o.Name)
		}
	}
	if len(args) > 0 {
		if len(described) > 0 {
			return nil, usage(fmt.Errorf("%s contradicts %s, which says what to run", strings.Join(described, ", "), args[0]))
		}
		return r.readProgram(args[0], r.campaign.Memory)
	}
	if !changed("seed") {
		return nil, usage(errors.New("run: want one FILE, or - for standard input, or --seed for a random program"))
	}
	if r.cfg.Cores > 0 && !changed("threads") {
		r.cfg.Programs.Threads = r.cfg.Cores
	}
	if err := r.cfg.Programs.Validate(); err != nil {
		return nil, usage(err)
	}
	p, err := r.cfg.Programs.Program(r.campaign.Seed, 0)
	return p, usage(err)
}

func (r *run) run(ctx context.Context, p *gen.Program) error {
	r.cfg.Programs.Threads, r.cfg.Programs.Locations = len(p.Threads), len(p.Locations)
	c := &r.campaign
	err := errors.Join(positive("timeout", c.Timeout), positive("check-timeout", c.CheckTimeout), r.cfg.Programs.Validate())
	if err != nil {
		return usage(err)
	}
	if err := p.ValidateRounds(r.cfg.Programs.Rounds); err != nil {
		return usage(err)
	}
	if r.models == "" {
		r.models = r.cfg.Promise() + ",sc"
	}
	models, err := config.ParseModels(r.models)
	if err != nil {
		return usage(fmt.Errorf("--model: %w", err))
	}
	runner, finish, err := r.observe.runner(r)
	if err != nil {
		return usage(err)
	}
	showGem5(r.stderr, runner)
	dir, err := r.makeDir()
	if err != nil {
		return err
	}
	r.own(string(dir), trust.Commands(r.campaign.Sim, &r.cfg))
	cfg := r.cfg
	cfg.Expect = models[0].Name
	for _, m := range models[1:] {
		cfg.Classify = append(cfg.Classify, m.Name)
	}
	record := &rundir.Spec{
		Seed: c.Seed, Sim: c.Sim, Config: cfg, Timeout: c.Timeout, Memory: c.Memory, LogSize: c.LogSize, Command: r.args, Tools: execute.ToolVersions(ctx, runner, &cfg), Started: time.Now(),
	}
	single := execute.Executor{Runner: runner, Timings: true, Check: execute.CheckOptions{
		Models: models, Workers: 1, Options: check.Options{Timeout: time.Duration(c.CheckTimeout)},
	}}
	done, err := single.Run(ctx, dir, p, record)
	if err == nil {
		err = dir.Finish(done)
	}
	if err = errors.Join(err, finish()); err != nil {
		return fmt.Errorf("run in %s: %w", dir, err)
	}
	if err := r.report(dir, p, done); err != nil {
		return err
	}
	return exit(statusOf(done))
}

// readProgram reads the program from a file or standard input, within a memory
// that is not 0. That of a litmus test is noted.
func (e *env) readProgram(file string, memory config.Size) (*gen.Program, error) {
	var in io.Reader = e.stdin
	if file == "-" {
		file = "standard input"
	} else {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	in = formats.Decode(in)
	limit := gen.TextLimit(int64(memory))
	if limit > 0 {
		in = io.LimitReader(in, limit+1)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if limit > 0 && int64(len(data)) > limit {
		return nil, usage(fmt.Errorf("%s: more than the %d bytes that can be read in --memory %s", file, limit, memory))
	}
	if litmus.Is(data) {
		test, err := litmus.Parse(file, data)
		if err != nil {
			return nil, usage(err)
		}
		e.litmus = test
		return test.Program, nil
	}
	p, err := gen.Parse(file, data)
	return p, usage(err)
}

// makeDir makes the run directory.
func (r *run) makeDir() (rundir.Dir, error) {
	if r.dir != "" {
		r.dir = rundir.Resolve(r.dir)
		return rundir.Dir(r.dir), rundir.MakeDurable(r.dir)
	}
	dir, err := newDir("run")
	return rundir.Dir(dir), err
}

// newDir makes a directory runs/NAME-TIME that did not exist.
func newDir(name string) (string, error) {
	runs := rundir.Resolve(runsDir)
	if err := rundir.MakeDurable(runs); err != nil {
		return "", err
	}
	base := filepath.Join(runs, name+"-"+time.Now().Format("20060102-150405"))
	dir := base
	for i := 2; ; i++ {
		err := rundir.Mkdir(dir)
		if !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
		dir = fmt.Sprintf("%s-%d", base, i)
	}
}

// report prints the result of a run, in the form that the flags ask for.
func (r *run) report(dir rundir.Dir, p *gen.Program, done *rundir.Result) error {
	if r.observe.json {
		return r.observe.printJSON(r.env, &jsonRun{
			Dir: string(dir), Threads: len(p.Threads), Locations: len(p.Locations), Rounds: r.cfg.Programs.Rounds,
			Result: *done,
		}, done.Coverage)
	}
	r.print(dir, p, done)
	return r.observe.printCoverage(r.stdout, done.Coverage)
}

// print prints the result of a run and the commands to continue with.
func (r *run) print(dir rundir.Dir, p *gen.Program, done *rundir.Result) {
	w := r.stdout
	fmt.Fprintf(w, "%-10s %d threads, %d locations, %d rounds, %d operations in %.2f s\n", done.Outcome,
		len(p.Threads), len(p.Locations), r.cfg.Programs.Rounds, done.Operations, done.Elapsed.Seconds())
	if done.Title != "" {
		fmt.Fprintf(w, "%-10s %s\n", "", messages.EscapeLine(done.Title))
	}
	r.printLitmus(done)
	explain := ""
	for _, a := range done.Answers {
		fmt.Fprintf(w, "%-10s %-10s by %s in %.2f s, evidence accepted\n", a.Model, a.Answer, a.Procedure, (a.Search + a.Evidence).Seconds())
		if a.Answer == check.Forbidden.String() && explain == "" {
			explain = a.Model
		}
	}
	switch detail := strings.TrimRight(lastLines(done.Detail, 30), "\n"); {
	case strings.Contains(detail, "\n"):
		fmt.Fprintf(w, "\n%s\n\n", detail)
	case detail != "":
		fmt.Fprintf(w, "%-10s %s\n", "detail", detail)
	}
	if done.Timing != nil {
		fmt.Fprintf(w, "%-10s %s\n", "latency", done.Timing)
	}
	fmt.Fprintf(w, "%-10s %s\n", "directory", dir)
	program, words := messages.Quoted(r.args[0]), messages.Quoted(string(dir))
	if explain != "" {
		fmt.Fprintf(w, "%-10s %s check --model %s --explain %s\n", "explain", program, explain, words)
	}
	if done.Failed() {
		fmt.Fprintf(w, "%-10s %s reduce %s\n", "reduce", program, words)
		fmt.Fprintf(w, "%-10s %s repro %s\n", "repeat", program, words)
	}
}

// printLitmus says how often the condition of a litmus test held, where the
// rounds are distinguishable.
func (r *run) printLitmus(done *rundir.Result) {
	rounds := r.cfg.Programs.Rounds
	if r.litmus == nil || done.History == nil || done.Outcome != sim.Passed || rounds > 1 && (r.campaign.Sim != config.SimHost || r.cfg.Sync != config.SyncRound) {
		return
	}
	states := r.litmus.States(done.History, rounds)
	holds := 0
	for _, s := range states {
		if s.Holds() {
			holds++
		}
	}
	fmt.Fprintf(r.stdout, "%-10s %s %s: holds in %d of %d rounds\n", r.litmus.Name, r.litmus.Quantifier, r.litmus.Condition, holds, len(states))
}

// lastLines is the end of a text.
func lastLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "")
}

// statusOf is the exit status that the result of one run means.
func statusOf(j *rundir.Result) int {
	switch {
	case j.Failed():
		return summary.ExitFinding
	case j.Outcome == sim.Infra:
		return summary.ExitInfra
	case j.Undecided():
		return summary.ExitUndecided
	}
	return summary.ExitOK
}

func positive(flag string, d config.Duration) error {
	if d <= 0 {
		return fmt.Errorf("--%s %v: want a positive duration", flag, d)
	}
	return nil
}
