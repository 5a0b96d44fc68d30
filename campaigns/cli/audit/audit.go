// Package audit has the commands that audit a protocol and that measure how many
// real bugs audits find.
package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab/bugs"
	"ordeal/campaigns/report"
	"ordeal/campaigns/report/html"
	"ordeal/campaigns/run"
	"ordeal/sim/protocols"
)

// The exit statuses by which git bisect leaves a commit out, and ends.
const (
	skip  = 125
	abort = 128
)

// New makes the command.
func New(e *command.Env) *cobra.Command {
	x := &auditCommand{Env: e}
	x.cpu = config.Duration(2 * time.Minute)
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Search a coherence protocol for bugs within a budget",
		Long: `Search a coherence protocol for bugs by everything there is, in one budget:
random programs on random machines, at latencies that explore and at those near
gem5's, critical cycles, evolved programs, and the exploration of every state of
small machines. What is found is a function of the protocol, --seed and --steps; the
limit of CPU time only ends it.

An audit is a campaign: campaign resume DIR goes on with one that was interrupted or
killed, campaign status, report, diff and trend and serve read it, and --known names
findings that do not make it fail. Nor do those that need conditions which gem5's own
configurations do not have.

With --against only what differs from a commit of the git repository is audited, as a pull request changes it:
the protocols that say something else in the work tree than at the commit where HEAD and COMMIT parted, on both
sides, each of which gets an equal share of --cpu. Every finding of one side is tried on the other with the same
program and seeds. Findings that both have are old; new ones decide the exit status. It is 3 if no protocol
changed or something is not decided. A..B compares two commits, and needs no work tree.

With --title the audit ends as soon as a finding with such a title is found, and
the exit status is that of git bisect run: 1 found, 0 not found, 125 for a protocol
that cannot be simulated; any other error, and an interrupt, is 128, which ends the
bisection.`,
		Example: `  ordeal audit --slicc src/mem/ruby/protocol/MESI_Two_Level.slicc
  ordeal audit --gem5-tree gem5 --protocol MESI_Two_Level --cpu 30s --dir audit
  ordeal audit --against origin/develop
  git bisect run ordeal audit --against GOOD --protocol MI_example --title '*'`,
		Args: command.Arguments(0, 0, "no arguments"),
	}
	f := cmd.Flags()
	command.Declare(cmd, &x.o.Machine, "slicc", "builtins", "slicc-path", "protocol", "machine-file")
	cmd.Flags().Lookup("protocol").Usage = "coherence protocol of ordeal or of the gem5 tree"
	f.StringVar(&x.tree, "gem5-tree", "", "gem5 source tree, one of whose protocols --protocol names")
	f.TextVar(&x.cpu, "cpu", x.cpu, "CPU `time` after which the audit ends; 0s: no limit")
	f.Uint64Var(&x.o.Steps, "steps", 0, "events of simulations and steps of explorations after which the audit ends; 0: no limit")
	f.Uint64Var(&x.o.Seed, "seed", 1, "seed of everything that is drawn")
	f.StringSliceVar(&x.engines, "engines", nil, "only these engines: "+messages.Or(audit.EngineNames()))
	f.StringVar(&x.base, "against", "", "audit what differs from this `commit`, and say what is new")
	f.StringVar(&x.title, "title", "", "end with the first finding of such a title; * is any text")
	f.StringVar(&x.dir, "dir", "", "directory of the audit, which is a campaign; default runs/audit-TIME")
	x.known.Flags(f)
	f.BoolVar(&x.json, "json", false, "print JSON")
	command.Complete(cmd, "engines", audit.EngineNames())
	cmd.RunE = command.Body(func(ctx context.Context, _ []string) error { return x.bisected(x.run(ctx)) })
	return cmd
}

// bisected is an error as git bisect run is to take it: what is neither found nor not
// found is no reason to call a commit bad.
func (x *auditCommand) bisected(err error) error {
	var status *command.StatusError
	if err == nil || x.title == "" || errors.As(err, &status) && (status.Err == nil || status.Status == summary.ExitFinding) {
		return err
	}
	return &command.StatusError{Status: abort, Err: err}
}

var errNoBudget = errors.New("want a budget: --cpu or --steps")

type auditCommand struct {
	*command.Env
	o                audit.Options
	cpu              config.Duration
	engines          []string
	tree, title, dir string
	base             string
	known            command.KnownFlag
	json             bool
}

func (x *auditCommand) run(ctx context.Context) error {
	if x.base != "" {
		return x.against(ctx)
	}
	if err := x.options(); err != nil {
		return command.Usage(err)
	}
	if x.title != "" {
		x.Abandoned.Store(abort)
		x.Unwritten = abort
	}
	command.CollectSeldom()
	c := audit.Campaign(x.o)
	if err := x.known.Replace(x.Env, &c.Known); err != nil {
		return err
	}
	line := x.Progress("compile the protocol")
	schedule, err := audit.NewSchedule(c, func(r *audit.Report) {
		line.Show("%.0f s of CPU time, %s steps, %s", r.CPU.Seconds(), messages.Comma(int(r.Steps)), messages.Plural(len(r.Findings), "finding"))
	})
	if err != nil {
		line.Close()
		if x.title != "" {
			fmt.Fprintln(x.Stderr, err)
			return command.Exit(skip)
		}
		return command.Usage(err)
	}
	if ctx.Err() != nil { // while it was compiled: nothing is there to report
		line.Close()
		return context.Cause(ctx)
	}
	if x.dir, err = command.OutputDir(x.dir, "audit"); err != nil {
		return err
	}
	e := engine.Engine{
		Dir: x.dir, Command: x.Args, Logf: func(format string, args ...any) { fmt.Fprintf(line, format+"\n", args...) },
		Schedule: func(*config.Campaign) (engine.Schedule, error) { return schedule, nil },
	}
	sum, err := e.Run(ctx, c)
	line.Close()
	if !schedule.Began() && err != nil {
		return err
	}
	return x.conclude(ctx, schedule, sum, err)
}

// options completes the options from the flags.
func (x *auditCommand) options() error {
	x.o.CPU = time.Duration(x.cpu)
	if x.tree != "" {
		if x.o.SLICC != "" || x.o.Protocol == "" {
			return errors.New("--gem5-tree: want --protocol, which names one of its protocols, and not --slicc")
		}
		root, err := protocols.InTree(x.tree, x.o.Protocol)
		if err != nil {
			return fmt.Errorf("--protocol: %w", err)
		}
		x.o.SLICC, x.o.Protocol = root, ""
	}
	if (x.o.SLICC == "") == (x.o.Protocol == "") {
		return errors.New("want a protocol to audit: --slicc FILE, --gem5-tree TREE --protocol NAME, or --protocol of an embedded one")
	}
	if x.cpu == 0 && x.o.Steps == 0 {
		return errNoBudget
	}
	if x.title != "" {
		x.o.Title = x.title
	}
	var err error
	x.o.Engines, err = audit.ParseEngines(x.engines)
	return err
}

// conclude prints the results, then writes the reports, and gives the exit status. Failed is
// what ended the audit, nil for a limit or an interrupt.
func (x *auditCommand) conclude(ctx context.Context, schedule *audit.Schedule, sum *summary.Summary, failed error) error {
	r, err := schedule.Report(sum)
	err = errors.Join(failed, err)
	known, kerr := bugs.KnownDefects()
	if err = errors.Join(err, kerr); kerr == nil {
		known.Mark(r)
	}
	if x.json {
		err = errors.Join(err, x.PrintJSON(r))
	} else {
		err = errors.Join(err, r.WriteText(x.Stdout))
	}
	status := sum.ExitStatus()
	if slices.ContainsFunc(r.Findings, func(f *audit.Finding) bool { return f.Dir == "" && len(f.Conditions) == 0 }) {
		status = summary.ExitFinding // one that could not be recorded
	}
	if x.title != "" {
		status = summary.ExitOK
		if slices.ContainsFunc(r.Findings, func(f *audit.Finding) bool { return diagnose.Matches(x.title, f.Title) }) {
			status = summary.ExitFinding
		} else if sum.Interrupted {
			status = abort
		}
	}
	x.Abandoned.Store(int32(status))
	if werr := Report(context.WithoutCancel(ctx), x.dir); werr != nil {
		err = errors.Join(err, werr)
	} else if !x.json {
		fmt.Fprintf(x.Stdout, "\nreport   %s\n", filepath.Join(x.dir, "report.html"))
	}
	return x.Found(status, err)
}

// Report writes the reports of an audit into its directory.
func Report(ctx context.Context, dir string) error {
	a, err := journal.Open(dir)
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	return errors.Join(
		run.StreamFile(filepath.Join(dir, "report.html"), false, func(w io.Writer) error { return html.Write(ctx, w, a, html.Options{}) }),
		run.StreamFile(filepath.Join(dir, "report.sarif"), false, func(w io.Writer) error { return report.WriteSARIF(w, a, nil, root) }),
	)
}
