package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cli/evaluate"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/minimal"
	"ordeal/parse/formats/axe"
	"ordeal/sim/gem5"
)

func newReduce(e *env) *cobra.Command {
	r := reduceCommand{env: e, campaign: config.Defaults()}
	cmd := &cobra.Command{
		Use:   "reduce RUNDIR|TRACE",
		Short: "Reduce a failing run, or a forbidden trace, to a minimal one",
		Long: `Run ever smaller programs that fail as the recorded run did, until no part can be
left out, and write the last one to RUNDIR/reduced, a run directory of its own, with
the program as text, C, litmus test and executable, its history, and the refutation.
The recorded run stays as it is. Each program is tried under several seeds; the
embedded simulator repeats the one that failed exactly. An interrupt ends the
reduction with the best program so far.

Of the first trace of a file that the model (default tso) forbids, it prints the
operations that no part can be left out of, in the format of Axe, and why.` + command.TrustHelp,
		Args: command.Arguments(1, 1, "one RUNDIR or file of traces"),
	}
	f := cmd.Flags()
	f.StringVar(&r.o.Model, "model", "", "keep a history that this model forbids (default: what the run failed with)")
	f.IntVar(&r.o.Effort, "effort", reduction.DefaultEffort, "operations to run of each program, in as many tries")
	f.IntVar(&r.o.MaxTries, "tries", 0, fmt.Sprintf("most tries of each program; 0 means %d, or %d on gem5", reduction.DefaultTries, reduction.Gem5Tries))
	f.IntVar(&r.o.Runs, "runs", 0, "most runs of the whole reduction (default no bound)")
	f.DurationVar(&r.o.Time, "budget", 0, "longest time of the whole reduction (default no bound)")
	command.JSONFlag(cmd, &r.json)
	command.Declare(cmd, &r.campaign, "check-timeout")
	r.trusted.Flags(cmd)
	cmd.ValidArgsFunction = command.RunDirectories
	command.Complete(cmd, "model", config.ModelNames())
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		r.o.CheckTimeout = time.Duration(r.campaign.CheckTimeout)
		if f.Changed("runs") && r.o.Runs < 1 || f.Changed("budget") && r.o.Time <= 0 {
			return command.Usage(fmt.Errorf("--runs %d, --budget %v: a reduction without any budget does nothing", r.o.Runs, r.o.Time))
		}
		if info, err := os.Stat(args[0]); err == nil && info.Mode().IsRegular() {
			return r.trace(ctx, args[0])
		}
		return r.run(ctx, run.Dir(run.Resolve(args[0])))
	})
	return cmd
}

// reduceCommand is the reduce command.
type reduceCommand struct {
	*env
	o        reduction.Options
	campaign config.Campaign // its options that a reduction has
	trusted  command.TrustFlags
	json     bool
}

func (r *reduceCommand) run(ctx context.Context, dir run.Dir) error {
	if err := r.validate(); err != nil {
		return command.Usage(err)
	}
	out := run.Dir(filepath.Join(string(dir), "reduced"))
	if _, err := run.Lstat(string(out)); err == nil {
		return command.Usage(fmt.Errorf("reduce %s: %s exists already: remove it to reduce once more", dir, out))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	command.CollectSeldom()
	var err error
	if r.o.Gate, err = r.trusted.Gate(r.env, string(dir), recordedRun(dir)); err != nil {
		return err
	}
	if err := errors.Join(run.Mkdir(string(out)), run.RemoveAll(string(out))); err != nil { // before the work
		return err
	}
	line := r.Progress("the recorded run is repeated first")
	r.o.OnProgress = func(p reduction.Progress) {
		line.Show("%s in %s and %s, after %s", messages.Plural(p.Ops, "operation"), messages.Plural(p.Threads, "thread"), messages.Plural(p.Rounds, "round"), messages.Plural(p.Runs, "run"))
	}
	res, err := reduction.Reduce(ctx, dir, r.o)
	line.Close()
	switch {
	case errors.Is(err, reduction.ErrNothing):
		return command.Usage(err)
	case errors.Is(err, reduction.ErrUndecided):
		return command.Undecided(err)
	case err != nil:
		return err
	}
	err = res.Write(context.WithoutCancel(ctx), out, r.Args)
	err = errors.Join(err, r.Print(r.json, newJSONReduced(res, out), func(io.Writer) error { r.print(res, out); return nil }))
	return cmp.Or(err, ctx.Err())
}

// trace reduces the first trace of a file that the model forbids.
func (r *reduceCommand) trace(ctx context.Context, file string) error {
	models, err := config.ParseModels(cmp.Or(r.o.Model, evaluate.DefaultModels[0].Name))
	if err != nil {
		return command.Usage(fmt.Errorf("--model: %w", err))
	}
	limits := check.Options{Timeout: r.o.CheckTimeout, AvailableBytes: run.AvailableMemory()}
	in := evaluate.Input{Env: r.env, Format: "auto", Memory: limits.AvailableBytes}
	found := false
	err = in.Each(file, func(t *evaluate.Trace) error {
		if t.Err != nil || found || t.History == nil {
			return command.Usage(t.Err)
		}
		v, err := check.Check(ctx, t.History, models[0], limits)
		if err != nil || v.Answer != check.Forbidden {
			return err
		}
		found = true
		res, err := minimal.Reduce(ctx, t.History, models[0], limits)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.Stderr, "%s: %d operations reduced to %d, after %d checks\n", t.Place, len(t.History.Ops), len(res.History.Ops), res.Checked)
		if r.json {
			return r.printTraceJSON(t, models[0], res)
		}
		if err := axe.Write(r.Stdout, res.History); err != nil {
			return err
		}
		fmt.Fprintln(r.Stdout)
		return check.Explain(r.Stdout, res.History, models[0], &res.Verdict)
	})
	if err == nil && !found {
		return command.Usage(fmt.Errorf("reduce %s: %s forbids no trace in it: %w", file, models[0].Name, reduction.ErrNothing))
	}
	return err
}

func (r *reduceCommand) validate() error {
	var errs []error
	for _, n := range []struct {
		flag  string
		value int
	}{{"effort", r.o.Effort}, {"tries", r.o.MaxTries + 1}} {
		if n.value < 1 {
			errs = append(errs, fmt.Errorf("--%s: want a positive number", n.flag))
		}
	}
	return errors.Join(append(errs, command.Positive("check-timeout", r.campaign.CheckTimeout))...)
}

func (r *reduceCommand) print(res *reduction.Result, dir run.Dir) {
	w := r.Stdout
	fmt.Fprintf(w, "failure     %s\n", res.Identity)
	rounds, each := res.Spec.Config.Rounds, ""
	if rounds > 1 {
		each = fmt.Sprintf(", %d in each", res.Program.Ops())
	}
	fmt.Fprintf(w, "reduced     from %d operations to %d, in %d threads and %d rounds%s\n", res.Before, res.After, len(res.Program.Threads), rounds, each)
	end := "no part can be left out"
	if !res.Minimal {
		end = "stopped before the end: more may go"
	}
	fmt.Fprintf(w, "            %d programs, %d runs, %.1f s; %s\n", res.Candidates, res.Runs, res.Elapsed.Seconds(), end)
	if res.Tries > 0 {
		low, high := summary.Wilson(res.Hits, res.Tries)
		fmt.Fprintf(w, "reliability %d of %d runs under other seeds fail in the same way (95 %% confidence: %.0f–%.0f %%)\n", res.Hits, res.Tries, 100*low, 100*high)
	}
	if c := &res.Spec.Config; c.Background > 0 {
		fmt.Fprintf(w, "background  up to %s before an operation, %s in all, %s of it alone, seed %d: no part of the program, see %s\n",
			messages.Plural(c.Background, "load"), messages.Plural(c.BackgroundThreads, "thread"), messages.Plural(c.BackgroundLead, "round"), c.BackgroundSeed, gem5.BackgroundFile)
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "%s\n", strings.TrimRight(string(res.Program.Text()), "\n"))
	fmt.Fprintf(w, "\ndirectory   %s\n", dir)
	fmt.Fprintf(w, "repeat      %s repro %s\n", messages.Quoted(r.Args[0]), messages.QuotedPath(string(dir)))
}
