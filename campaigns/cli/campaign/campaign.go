// Package campaign is the campaign command and those below it: one file for each.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/audit/exploration"
	auditcli "ordeal/campaigns/cli/audit"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/report/progress"
	"ordeal/campaigns/run"
)

// New makes the campaign command, with those below it.
func New(e *command.Env) *cobra.Command {
	c := command.Group(&cobra.Command{Use: "campaign", Short: "Manage test campaigns"},
		newRun(e), newResume(e), newReport(e), newSchema(e), newReindex(e), newDiff(e), newTrend(e), newQuery(e),
		newMerge(e), newSubmit(e), newStatus(e), newCancel(e), newJob(e))
	for _, sub := range c.Commands() {
		if strings.Contains(sub.Use, "DIR") || strings.Contains(sub.Use, "OLD") || strings.Contains(sub.Use, "SOURCE") {
			sub.ValidArgsFunction = command.RunDirectories
		}
	}
	return c
}

func newRun(e *command.Env) *cobra.Command {
	c := runCommand{Env: e}
	cmd := &cobra.Command{
		Use:   "run FILE|-",
		Short: "Run a campaign and print its results",
		Long: `Run the campaign that a YAML file describes (see ordeal campaign schema). Each
run leaves a record; findings keep their run directories, and the first run of each
is reduced where the file says how long (reduce). The closing table goes to standard
output.

The campaign ends when its runs are done, its budget is spent, a condition of stop
is met, or too many runs in a row could not be made; such runs are set aside in
DIR/quarantine. An interrupt (Ctrl-C) ends it, too: runs in flight are given up, all
others stay recorded, and the table of those is printed; a second one ends at once.
Whatever ended it, even a kill, campaign resume DIR goes on where it was left.

What the file takes from variables of the environment is recorded by their names:
resume, repro and reduce look them up again, and say which are missing or changed.`,
		Example: `  ordeal campaign run campaigns/quick.yaml
  ordeal campaign run --set seed=7 --set configs.shapes.runs=100 campaigns/quick.yaml
  ordeal campaign run --set budget=10m --html night.html --dir night campaigns/nightly.yaml`,
		Args: command.Arguments(1, 1, "one FILE, or - for standard input"),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&c.sets, "set", nil, "override KEY=VALUE in the file; may be repeated; list items by index, name or *")
	flags.StringVar(&c.dir, "dir", "", "directory of the campaign, made here; default runs/NAME-TIME")
	flags.TextVar(&c.shard, "shard", c.shard, "make only part `I/N` of the runs, I from 1 to N; budget and stop conditions hold for it alone")
	recordFlag(flags, &c.values)
	command.Declare(cmd, &c.gem5, "gem5", "gem5-tree")
	c.known.Flags(flags)
	c.show.Declare(flags)
	c.leave.flags(flags)
	command.JSONFlag(cmd, &c.json)
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		c.sets = append(c.sets, setGem5(&c.gem5)...)
		if flags.Changed("shard") && c.shard.Whole() {
			return command.Usage(errors.New("--shard is empty: want i/n, i from 1 to n"))
		}
		return c.run(ctx, args[0])
	})
	return cmd
}

// setGem5 overrides the gem5 of all configurations by what a command line names.
func setGem5(named *config.Gem5) []string {
	var sets []string
	for _, o := range []struct{ key, path string }{{"gem5", named.Binary}, {"gem5-tree", named.Tree}} {
		if o.path != "" {
			sets = append(sets, fmt.Sprintf("configs.*.%s=%s", o.key, strconv.Quote(strings.ReplaceAll(o.path, "$", "$$"))))
		}
	}
	return sets
}

// recordFlag is the --record-environment flag.
func recordFlag(flags *pflag.FlagSet, values *bool) {
	flags.BoolVar(values, "record-environment", false, "record the values of the environment variables that the file names, in place of their names")
}

// runCommand is the campaign run command.
type runCommand struct {
	*command.Env
	sets  []string
	dir   string
	shard config.Shard
	known command.KnownFlag
	show  progress.Flags
	leave reportFlags
	json  bool
	// gem5 has the binary and the tree of all configurations.
	gem5 config.Gem5
	// values makes the record have the values of variables of the environment.
	values bool
}

func (c *runCommand) run(ctx context.Context, file string) error {
	camp, file, err := c.Campaign(file, c.sets)
	if err != nil {
		return err
	}
	if c.values {
		camp.RecordValues()
	}
	if err := c.known.Replace(c.Env, &camp.Known); err != nil {
		return err
	}
	mode, err := c.show.Resolve(c.Terminal)
	if err != nil {
		return command.Usage(err)
	}
	dir := c.dir
	if dir == "" {
		if dir, err = command.NewDir(camp.Name); err != nil {
			return err
		}
	}
	dir = run.Resolve(dir)
	c.Own(dir, run.CommandsOf(camp))
	bar := progress.New(c.Stderr, c.Terminal, mode, camp, dir)
	l := loop(c.Env, dir, bar)
	l.Rerun, l.Shard = c.again(file), c.shard
	sum, err := l.Run(ctx, camp)
	bar.Close()
	return conclude(c.Env, sum, c.json, errors.Join(err, c.leave.write(ctx, c.Env, dir, sum, err)))
}

// loop is the run loop of a campaign in dir.
func loop(e *command.Env, dir string, p *progress.Campaign) engine.Engine {
	command.CollectSeldom()
	return engine.Engine{
		Dir: dir, Command: e.Args, OnResult: p.OnResult, Logf: p.Logf, Reduce: reduction.Reducer(e.Args), Explore: explore,
		Explorable: explorable, Schedule: schedule, Rerun: e.AgainIn(dir), Gate: e.Gate(dir),
	}
}

// explorable reports what keeps a configuration from being explored.
func explorable(cfg *config.Config) error {
	return command.Usage(exploration.Check(cfg.Machine, cfg.Explore))
}

// schedule draws the runs of a campaign that is an audit.
func schedule(c *config.Campaign) (engine.Schedule, error) {
	s, err := audit.NewSchedule(c, nil)
	if err != nil {
		return nil, command.Usage(err)
	}
	return s, nil
}

// explore is the engine.Explorer of campaigns.
func explore(ctx context.Context, spec *run.Spec, workers int, dir string) (engine.Explored, error) {
	x, err := exploration.Explore(ctx, spec, workers, dir)
	if err != nil {
		return nil, err
	}
	return x, nil
}

// conclude prints the results of a campaign, whose summary is nil if it could not
// be read, and gives the exit status.
func conclude(e *command.Env, sum *summary.Summary, asJSON bool, err error) error {
	if sum != nil && (sum.Total().Runs > 0 || err == nil) {
		err = errors.Join(err, e.Print(asJSON, sum, func(w io.Writer) error {
			_, err := io.WriteString(w, sum.Fit(e.Columns()))
			return err
		}))
	}
	if err != nil {
		return err
	}
	return command.Exit(sum.ExitStatus())
}

// again is the command that makes one of the campaign's runs anew.
func (c *runCommand) again(file string) string {
	if file == command.StandardInput {
		return ""
	}
	words := []string{messages.Quoted(c.Args[0]), "repro", "--campaign", messages.QuotedPath(file)}
	for _, s := range c.sets {
		words = append(words, "--set", messages.Quoted(s))
	}
	return strings.Join(words, " ")
}

func newResume(e *command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume DIR",
		Short: "Go on with a campaign that was interrupted or killed",
		Long: `Go on with the campaign in DIR: finished runs are not repeated; runs that were
in flight are, and so are those in quarantine, and those whose records are corrupt.
Reductions that had not ended begin anew. The closing table and the exit status are
those of the whole campaign, as if it had never been interrupted. Nothing is done
about a campaign that is complete, has spent its budget or has met a condition of
stop: that is said, and the table printed.

With --runs or --budget a campaign goes on that is complete, or has spent its budget:
the runs that it has stay, and its configurations take turns as before.

Other versions of ordeal, of gem5 or of the files of a protocol than those that made
the runs are refused, since their results may differ.` + command.TrustHelp,
		Example: `  ordeal campaign resume runs/quick-20260101-120000
  ordeal campaign resume --runs 5000 quick
  ordeal campaign resume --budget 12h night`,
		Args: command.Arguments(1, 1, "one DIR of a campaign"),
	}
	var show progress.Flags
	show.Declare(cmd.Flags())
	var leave reportFlags
	leave.flags(cmd.Flags())
	var trusted command.TrustFlags
	trusted.Flags(cmd)
	var asJSON bool
	command.JSONFlag(cmd, &asJSON)
	var more config.Extension
	cmd.Flags().IntVar(&more.Runs, "runs", 0, "extend the campaign to this number of runs in all")
	cmd.Flags().TextVar(&more.Budget, "budget", more.Budget, "extend the campaign to this `time` in all, earlier sessions included")
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		mode, err := show.Resolve(e.Terminal)
		if err != nil {
			return command.Usage(err)
		}
		if err := extendable(cmd, &more); err != nil {
			return command.Usage(err)
		}
		dir := run.Resolve(args[0])
		c := new(config.Campaign)
		gate, err := trusted.Gate(e, dir, func() (*config.Campaign, error) {
			a, err := journal.Open(dir)
			if err == nil && more != (config.Extension{}) {
				_, err = a.Extend(more)
			}
			if err == nil {
				c = a.Campaign
			}
			return c, err
		})
		if err != nil {
			return err
		}
		bar := progress.New(e.Stderr, e.Terminal, mode, c, dir)
		l := loop(e, dir, bar)
		l.Gate, l.Extension = gate, more
		audited := false
		l.Schedule = func(c *config.Campaign) (engine.Schedule, error) {
			audited = true
			return schedule(c)
		}
		sum, err := l.Resume(ctx)
		bar.Close()
		if errors.Is(err, config.ErrExtension) {
			return command.Usage(err)
		}
		written := leave.write(ctx, e, dir, sum, err)
		if audited && sum != nil && sum.Total().Runs > 0 {
			written = errors.Join(written, auditcli.Report(context.WithoutCancel(ctx), dir))
		}
		return conclude(e, sum, asJSON, errors.Join(err, written))
	})
	return cmd
}

// extendable rejects flags that extend a campaign by nothing.
func extendable(cmd *cobra.Command, x *config.Extension) error {
	if cmd.Flags().Changed("runs") && x.Runs < 1 {
		return fmt.Errorf("--runs %d: want a positive number", x.Runs)
	}
	if cmd.Flags().Changed("budget") {
		return command.Positive("budget", x.Budget)
	}
	return nil
}
