package campaign

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cluster"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/progress"
	"ordeal/campaigns/run"
)

func newStatus(e *command.Env) *cobra.Command {
	var asJSON, brief bool
	cmd := &cobra.Command{
		Use:   "status DIR",
		Short: "Report how far a campaign is, here or on a cluster",
		Long: `Report how far the campaign in DIR is, while it runs in another terminal or later:
whether it runs, or how it ended, the runs so far, their rate in the last five minutes
and the time left, outcomes, canaries, coverage and findings. Nothing is changed.

Of a campaign that campaign submit has submitted in DIR: the states of its jobs, as
Slurm's squeue has them, and the runs of the shards so far. A job that Slurm no longer
knows is shown as such.`,
		Example: `  ordeal campaign status runs/quick-20260101-120000
  watch ordeal campaign status night
  watch -n 60 ordeal campaign status --brief night
  ordeal campaign status --json night | jq '.shards[] | select(.state != "COMPLETED")'`,
		Args: command.Arguments(1, 1, "one DIR of a campaign"),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print all of it as JSON")
	cmd.Flags().BoolVar(&brief, "brief", false, "print one line: runs, rate and time left, findings, states")
	cmd.MarkFlagsMutuallyExclusive("brief", "json")
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		if dir := run.Resolve(args[0]); !cluster.IsDir(dir) {
			return localStatus(e, dir, asJSON, brief)
		}
		s, err := cluster.Dir(run.Resolve(args[0])).Status(ctx)
		if err != nil {
			return err
		}
		switch {
		case asJSON:
			err = e.PrintJSON(s)
		case brief:
			err = s.WriteBrief(e.Stdout)
		default:
			err = s.WriteText(e.Stdout, e.Columns(), messages.Quoted(e.Args[0])+" campaign submit --dir "+messages.QuotedPath(args[0]))
		}
		return exit(err, s.Findings > 0, s.Complete)
	})
	return cmd
}

// statusColumns is how wide a status is where the terminal does not say.
const statusColumns = 100

// localStatus reports how far a campaign is that runs on this machine, or did.
func localStatus(e *command.Env, dir string, asJSON, brief bool) error {
	a, err := journal.Open(dir)
	if err != nil {
		return err
	}
	running, err := journal.Running(dir)
	if err != nil {
		return err
	}
	line := reading(e, "status", a)
	s, err := progress.Read(a, running, time.Now())
	line.Close()
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		err = e.PrintJSON(s)
	case brief:
		err = s.WriteBrief(e.Stdout)
	default:
		err = s.WriteText(e.Stdout, cmp.Or(e.Columns(), statusColumns), messages.Quoted(e.Args[0]))
	}
	return exit(err, s.Failing, s.Complete)
}

// exit is the exit status of a status that was printed, unless that failed.
func exit(err error, failing, complete bool) error {
	switch {
	case err != nil:
		return err
	case failing:
		return command.Exit(summary.ExitFinding)
	case !complete:
		return command.Exit(summary.ExitUndecided)
	}
	return nil
}
