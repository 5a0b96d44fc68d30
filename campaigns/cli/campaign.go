package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/campaigns/trust"
)

func newCampaign(e *env) *cobra.Command {
	return group(&cobra.Command{Use: "campaign", Short: "Manage test campaigns"},
		newCampaignRun(e), newCampaignResume(e), newCampaignReport(e), newCampaignSchema(e), newCampaignReindex(e), newCampaignDiff(e), newCampaignQuery(e),
		newCampaignMerge(e), newCampaignSubmit(e), newCampaignStatus(e), newCampaignCancel(e), newCampaignJob(e))
}

func newCampaignRun(e *env) *cobra.Command {
	c := campaignRun{env: e}
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
resume, repro and reduce look them up again, and say which are missing or changed.

Exit status: 0 nothing found but known issues, 1 a finding (a canary that is not caught any more is
one), 3 undecided or interrupted with nothing found, 4 some run could not be made.`,
		Example: `  ordeal campaign run campaigns/quick.yaml
  ordeal campaign run --set seed=7 --set configs.shapes.runs=100 campaigns/quick.yaml
  ordeal campaign run --set budget=10m --html night.html --dir night campaigns/nightly.yaml`,
		Args: arguments(1, 1, "one FILE, or - for standard input"),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&c.sets, "set", nil, "override KEY=VALUE in the file; may be repeated; list items by index, name or *")
	flags.StringVar(&c.dir, "dir", "", "directory of the campaign, made here; default runs/NAME-TIME")
	flags.TextVar(&c.shard, "shard", c.shard, "make only part I/N of the runs, I from 1 to N; budget and stop conditions hold for it alone")
	recordFlag(flags, &c.values)
	declare(cmd, &c.gem5, "gem5", "gem5-tree")
	c.known.flags(flags)
	c.show.flags(flags)
	c.leave.flags(flags)
	cmd.RunE = body(func(ctx context.Context, args []string) error {
		c.sets = append(c.sets, setGem5(&c.gem5)...)
		if flags.Changed("shard") && c.shard.Whole() {
			return usage(errors.New("--shard is empty: want i/n, i from 1 to n"))
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

// campaignRun is the campaign run command.
type campaignRun struct {
	*env
	sets  []string
	dir   string
	shard config.Shard
	known knownFlag
	show  progressFlags
	leave reportFlags
	// gem5 has the binary and the tree of all configurations.
	gem5 config.Gem5
	// values makes the record have the values of variables of the environment.
	values bool
}

func (c *campaignRun) run(ctx context.Context, file string) error {
	camp, file, err := c.campaign(file, c.sets)
	if err != nil {
		return err
	}
	if c.values {
		camp.RecordValues()
	}
	if err := c.known.replace(&camp.Known); err != nil {
		return err
	}
	mode, err := c.show.resolve(c.terminal)
	if err != nil {
		return usage(err)
	}
	dir := c.dir
	if dir == "" {
		if dir, err = newDir(camp.Name); err != nil {
			return err
		}
	}
	dir = rundir.Resolve(dir)
	c.own(dir, trust.CommandsOf(camp))
	progress := newProgress(c.env, mode, camp, dir)
	loop := c.loop(dir, progress)
	loop.Rerun, loop.Shard = c.again(file), c.shard
	sum, err := loop.Run(ctx, camp)
	progress.close()
	return c.conclude(sum, errors.Join(err, c.leave.write(ctx, c.env, dir, sum, err)))
}

// loop is the run loop of a campaign in dir.
func (e *env) loop(dir string, p *progress) engine.Engine {
	collectSeldom()
	return engine.Engine{
		Dir: dir, Command: e.args, OnResult: p.onResult, Logf: p.logf, Reduce: reduction.Reducer(e.args),
		Rerun: e.againIn(dir), Gate: e.gate(dir),
	}
}

// conclude prints the results of a campaign, whose summary is nil if it could not
// be read, and gives the exit status.
func (e *env) conclude(sum *summary.Summary, err error) error {
	if sum != nil && (sum.Total().Runs > 0 || err == nil) {
		fmt.Fprint(e.stdout, sum.Text())
	}
	if err != nil {
		return err
	}
	return exit(sum.ExitStatus())
}

// again is the command that makes one of the campaign's runs anew.
func (c *campaignRun) again(file string) string {
	if file == standardInput {
		return ""
	}
	words := []string{messages.Quoted(c.args[0]), "repro", "--campaign", messages.Quoted(file)}
	for _, s := range c.sets {
		words = append(words, "--set", messages.Quoted(s))
	}
	return strings.Join(words, " ")
}

func newCampaignResume(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume DIR",
		Short: "Go on with a campaign that was interrupted or killed",
		Long: `Go on with the campaign in DIR: finished runs are not repeated; runs that were
in flight are, and so are those in quarantine, and those whose records are corrupt.
Reductions that had not ended begin anew. The closing table and the exit status are
those of the whole campaign, as if it had never been interrupted. Nothing is done
about a campaign that is complete, has spent its budget or has met a condition of
stop: that is said, and the table printed.

Other versions of ordeal, of gem5 or of the files of a protocol than those that made
the runs are refused, since their results may differ. With --mixed the runs record
by which version they were made, and reports say so.` + trustHelp,
		Example: `  ordeal campaign resume runs/quick-20260101-120000`,
		Args:    arguments(1, 1, "one DIR of a campaign"),
	}
	var show progressFlags
	show.flags(cmd.Flags())
	var leave reportFlags
	leave.flags(cmd.Flags())
	var trusted trustFlags
	trusted.flags(cmd)
	var mixed bool
	cmd.Flags().BoolVar(&mixed, "mixed", false, "go on although the versions of ordeal, gem5 or the protocol differ; each run records its own")
	cmd.RunE = body(func(ctx context.Context, args []string) error {
		mode, err := show.resolve(e.terminal)
		if err != nil {
			return usage(err)
		}
		dir := rundir.Resolve(args[0])
		c := new(config.Campaign)
		gate, err := trusted.gate(e, dir, func() (*config.Campaign, error) {
			a, err := journal.Open(dir)
			if err == nil {
				c = a.Campaign
			}
			return c, err
		})
		if err != nil {
			return err
		}
		progress := newProgress(e, mode, c, dir)
		loop := e.loop(dir, progress)
		loop.Gate, loop.Mixed = gate, mixed
		sum, err := loop.Resume(ctx)
		progress.close()
		return e.conclude(sum, errors.Join(err, leave.write(ctx, e, dir, sum, err)))
	})
	return cmd
}

// standardInput is the name of what - stands for.
const standardInput = "standard input"

// campaign reads a campaign file, or standard input for -, with overrides, and
// gives its name for messages. Faults of the file are those of usage.
func (e *env) campaign(file string, sets []string) (c *config.Campaign, name string, err error) {
	if file == "-" {
		c, err = config.Read(standardInput, e.stdin, sets)
		return c, standardInput, usage(err)
	}
	c, err = config.Load(file, sets)
	if missing, ok := err.(*fs.PathError); ok && missing.Path == file {
		return nil, file, err
	}
	return c, file, usage(err)
}
