package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	suite "ordeal/campaigns/litmus"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/parse"
	"ordeal/parse/formats"
	"ordeal/parse/formats/litmus"
	"ordeal/sim"
)

func newRun(e *env) *cobra.Command {
	r := runCommand{env: e, campaign: config.Defaults(), cfg: config.Config{Name: "run", Runs: 1, Programs: config.DefaultPrograms()}}
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
		Args: command.Arguments(0, 1, "one FILE, or - for standard input"),
	}
	fs := cmd.Flags()
	fs.StringVar(&r.models, "model", "", "models to check the run against, the expected one first (default what the simulator promises, and sc)")
	fs.StringVar(&r.dir, "dir", "", "run directory to create (default runs/run-TIME)")
	command.Declare(cmd, &r.campaign, "sim", "seed", "timeout", "check-timeout", "memory", "log-size")
	command.Declare(cmd, &r.cfg.Programs)
	command.Declare(cmd, &r.cfg.Machine)
	command.Declare(cmd, &r.cfg.Gem5, singleRun()...)
	r.observe.flags(fs)
	command.Complete(cmd, "model", config.ModelNames())
	completeMutants(cmd)
	command.Expert(cmd)
	command.Common(cmd, "seed", "sim", "protocol", "slicc", "core", "mutant", "threads", "ops", "rounds", "model")
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		command.CollectLate(command.RunHeap)
		if err := errors.Join(command.Contradict(cmd, "protocol", "slicc"), command.ImplySimulator(cmd, &r.campaign.Sim)); err != nil {
			return err
		}
		if faults := config.CheckSim(&r.campaign, r.campaign.Sim); len(faults) > 0 {
			return command.Usage(option.Join(faults))
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
type runCommand struct {
	*env
	observe     observe
	campaign    config.Campaign // its options that a single run has
	cfg         config.Config
	models, dir string
	litmus      *litmus.Test // that the program is of; nil: none
}

// program is the one of the file named, or a random one.
func (r *runCommand) program(args []string, changed func(flag string) bool) (*gen.Program, error) {
	var described []string
	for _, o := range option.Of(reflect.TypeFor[gen.Options]()) {
		if changed(o.Name) {
			described = append(described, "--"+o.Name)
		}
	}
	if len(args) > 0 {
		if len(described) > 0 {
			return nil, command.Usage(fmt.Errorf("%s contradicts %s, which says what to run", strings.Join(described, ", "), args[0]))
		}
		p, test, err := readProgram(r.env, args[0], r.campaign.Memory)
		r.litmus = test
		return p, err
	}
	if !changed("seed") {
		return nil, command.Usage(errors.New("run: want one FILE, or - for standard input, or --seed for a random program"))
	}
	if r.cfg.Cores > 0 && !changed("threads") {
		r.cfg.Programs.Threads = r.cfg.Cores
	}
	if err := r.cfg.Programs.Validate(); err != nil {
		return nil, command.Usage(err)
	}
	p, err := r.cfg.Programs.Program(r.campaign.Seed, 0)
	return p, command.Usage(err)
}

func (r *runCommand) run(ctx context.Context, p *gen.Program) error {
	r.cfg.Programs.Threads, r.cfg.Programs.Locations = p.Cores(), len(p.Locations)
	c := &r.campaign
	r.cfg.Suit(c.Sim, p.ISA)
	err := errors.Join(command.Positive("timeout", c.Timeout), command.Positive("check-timeout", c.CheckTimeout), r.cfg.Programs.Validate())
	if err != nil {
		return command.Usage(err)
	}
	if err := p.ValidateRounds(r.cfg.Programs.Rounds); err != nil {
		return command.Usage(err)
	}
	if r.models == "" {
		r.models = r.cfg.PromiseTo(p.ISA) + ",sc"
	}
	models, err := config.ParseModels(r.models)
	if err != nil {
		return command.Usage(fmt.Errorf("--model: %w", err))
	}
	runner, finish, err := r.observe.runner(r)
	if err != nil {
		return command.Usage(err)
	}
	showGem5(r.Stderr, runner)
	dir, err := r.makeDir()
	if err != nil {
		return err
	}
	r.Own(string(dir), run.Commands(r.campaign.Sim, &r.cfg))
	cfg := r.cfg
	cfg.Expect = models[0].Name
	for _, m := range models[1:] {
		cfg.Classify = append(cfg.Classify, m.Name)
	}
	record := &run.Spec{
		Seed: c.Seed, Sim: c.Sim, Config: cfg, Timeout: c.Timeout, Memory: c.Memory, LogSize: c.LogSize, Command: r.Args, Tools: run.ToolVersions(ctx, runner, &cfg), Started: time.Now(),
	}
	stage := func(what string) {
		if spent := time.Since(record.Started); spent > time.Second {
			fmt.Fprintf(r.Stderr, "ordeal: run: %s\n", messages.EscapeLine(what))
		}
	}
	single := run.Executor{Runner: runner, Timings: true, Stage: stage, Check: run.CheckOptions{
		Models: models, Workers: 1, Options: check.Options{Timeout: time.Duration(c.CheckTimeout)},
	}}
	done, err := single.Run(ctx, dir, p, record)
	ended := err == nil
	if ended {
		err = errors.Join(run.KeepProtocol(string(dir), c.Sim, &cfg), dir.Finish(done))
	}
	if err = errors.Join(err, finish()); err != nil {
		err = fmt.Errorf("run in %s: %w", dir, err)
	}
	if ended { // its result is said although it could not be written
		err = errors.Join(err, r.report(dir, p, done))
	}
	if err != nil {
		return err
	}
	return command.Exit(statusOf(done))
}

// readProgram reads the program from a file or standard input, within a memory
// that is not 0, and the litmus test, if it is one's.
func readProgram(e *env, file string, memory config.Size) (*gen.Program, *litmus.Test, error) {
	in := e.Input(e.Stdin)
	if file == "-" {
		file = "standard input"
	} else {
		f, _, err := e.Open(file)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		in = f
	}
	in = formats.Decode(in)
	limit, of := gen.TextLimit(int64(memory)), fmt.Sprintf("--memory %s", memory)
	if memory == 0 {
		limit, of = gen.TextLimit(run.AvailableMemory()), "the memory of this machine"
	}
	if limit > 0 {
		in = io.LimitReader(in, limit+1)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, nil, err
	}
	if limit > 0 && int64(len(data)) > limit {
		return nil, nil, command.Usage(fmt.Errorf("%s: more than the %d bytes that can be read in %s", file, limit, of))
	}
	if litmus.Missed(data) == nil {
		test, err := litmus.Parse(file, data)
		if err == nil {
			err = test.Runs()
		}
		if err != nil {
			return nil, nil, command.Usage(err)
		}
		return test.Program, test, nil
	}
	p, err := gen.Parse(file, data)
	return p, nil, command.Usage(err)
}

// makeDir makes the run directory.
func (r *runCommand) makeDir() (run.Dir, error) {
	if r.dir != "" {
		r.dir = run.Resolve(r.dir)
		return run.Dir(r.dir), run.MakeDurable(r.dir)
	}
	dir, err := command.NewDir("run")
	return run.Dir(dir), err
}

// report prints the result of a run, in the form that the flags ask for.
func (r *runCommand) report(dir run.Dir, p *gen.Program, done *run.Evaluation) error {
	if r.observe.json {
		return r.observe.printJSON(r.env, &jsonRun{
			Dir: string(dir), Threads: len(p.Threads), Locations: len(p.Locations), Rounds: r.cfg.Programs.Rounds,
			Result: *done.Result,
		}, done.Coverage)
	}
	r.print(dir, p, done)
	return r.observe.printCoverage(r.Stdout, done.Coverage)
}

// print prints the result of a run and the commands to continue with.
func (r *runCommand) print(dir run.Dir, p *gen.Program, done *run.Evaluation) {
	w := r.Stdout
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
	switch detail := strings.TrimRight(done.Detail, "\n"); {
	case strings.Contains(detail, "\n"):
		fmt.Fprintf(w, "\n%s\n\n", detail)
	case detail != "":
		fmt.Fprintf(w, "%-10s %s\n", "detail", detail)
	}
	if done.Timing != nil {
		fmt.Fprintf(w, "%-10s %s\n", "latency", done.Timing)
	}
	fmt.Fprintf(w, "%-10s %s\n", "directory", dir)
	program, words := messages.Quoted(r.Args[0]), messages.QuotedPath(string(dir))
	if explain != "" || done.Failed() {
		fmt.Fprintf(w, "%-10s %s explain %s\n", "explain", program, words)
	}
	if done.Diagnosed() {
		fmt.Fprintf(w, "%-10s %s\n", "log", messages.QuotedPath(dir.Path(run.DiagnosisFile)))
	}
	if done.Failed() {
		if r.cfg.Traced(r.campaign.Sim) {
			fmt.Fprintf(w, "%-10s %s repro --trace %s\n", "trace", program, words)
		}
		fmt.Fprintf(w, "%-10s %s reduce %s\n", "reduce", program, words)
		fmt.Fprintf(w, "%-10s %s repro %s\n", "repeat", program, words)
	}
}

// printLitmus says how often the condition of a litmus test held, where the
// rounds are distinguishable.
func (r *runCommand) printLitmus(done *run.Evaluation) {
	rounds := r.cfg.Programs.Rounds
	if r.litmus == nil || done.History == nil || done.Outcome != sim.Passed || rounds > 1 && (r.campaign.Sim != config.SimHost || r.cfg.Sync != config.SyncRound) {
		return
	}
	log, err := parse.ReadLogged(r.litmus.Program, rounds, done.Log)
	if err != nil {
		return // of a run that passed it is whole
	}
	states := suite.States(r.litmus, log, rounds)
	holds := 0
	for _, s := range states {
		if s.Holds() {
			holds++
		}
	}
	fmt.Fprintf(r.Stdout, "%-10s %s %s: holds in %d of %d rounds\n", r.litmus.Name, r.litmus.Quantifier, r.litmus.Condition, holds, len(states))
}

// statusOf is the exit status that the result of one run means.
func statusOf(j *run.Evaluation) int {
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
