package campaign

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/compare"
	"ordeal/campaigns/run"
)

func newDiff(e *command.Env) *cobra.Command {
	c := diffCommand{Env: e}
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what differs between two campaigns",
		Long: `Say what differs between two campaigns, as two nightly runs of the same, given their
directories: the most important first, and nothing where nothing differs. Rates are
compared, not counts, so that one may have more runs than the other.

  new findings     an outcome and title that only NEW has
  missed canaries  injected bugs that OLD caught, and that NEW did not although it
                   spent as many operations on them as OLD needed
  changed runs     the embedded simulator went otherwise, with the same settings,
                   seed, number and program
  flaky findings   in both, but at rates that differ (Fisher's exact test by
                   configuration, p < 0.01), or not by the same runs of both, on
                   other simulators than the embedded one
  gone findings    only OLD has; with the probability that chance makes it so
  coverage         transitions of protocols that only one of them took
  speed            medians of the time of an operation that differ by a factor of
                   1.25 or more (Mann-Whitney test, p < 0.01), of at least 20 runs
                   that passed and took a second together in each campaign
  configurations added, removed or edited, and versions of tools; with --gem5-tree the
                   commits between two versions of a protocol`,
		Example: `  ordeal campaign diff runs/nightly-20261120-010000 runs/nightly-20261121-010000
  ordeal campaign diff --json OLD NEW | jq '.findings[] | select(.change == "new")'`,
		Args: command.Arguments(2, 2, "two directories of campaigns, OLD and NEW"),
	}
	cmd.Flags().BoolVar(&c.json, "json", false, "print all of it as JSON")
	cloneFlag(cmd, &c.clone)
	c.known.Flags(cmd.Flags())
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error { return c.run(ctx, args[0], args[1]) })
	return cmd
}

// diffCommand is the campaign diff command.
type diffCommand struct {
	*command.Env
	clone string
	json  bool
	known command.KnownFlag
}

func (c *diffCommand) run(ctx context.Context, oldDir, newDir string) error {
	a, err := journal.Open(run.Resolve(oldDir))
	if err != nil {
		return err
	}
	b, err := journal.Open(run.Resolve(newDir))
	if err != nil {
		return err
	}
	if err := c.known.Replace(c.Env, &b.Campaign.Known); err != nil {
		return err
	}
	command.CollectOften()
	line := reading(c.Env, "compare", a, b)
	d, err := compare.Compare(a, b)
	line.Close()
	if err != nil {
		return err
	}
	if err := commits(ctx, c.clone, a.Dir, b.Dir, d.Tools); err != nil {
		return err
	}
	if err := c.Print(c.json, d, func(w io.Writer) error { return d.WriteText(w, messages.Quoted(c.Args[0])) }); err != nil {
		return err
	}
	return command.Exit(d.ExitStatus())
}
