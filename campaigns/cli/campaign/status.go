package campaign

import (
	"context"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cluster"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
)

func newStatus(e *command.Env) *cobra.Command {
	var asJSON, brief bool
	cmd := &cobra.Command{
		Use:   "status DIR",
		Short: "Report the state of a campaign on a cluster",
		Long: `Report the state of the campaign that campaign submit has submitted in DIR: the
states of its jobs, as Slurm has them, and the runs of the shards so far. Slurm is
asked by squeue (or scontrol), and by sacct for jobs that ended a while ago, where the
cluster keeps accounts; a job that it no longer knows is shown as such. The rate is
that of the last five minutes. The time left is that of the slowest shard at its
rate, or longer where shards still wait, if as many run at a time as now.`,
		Example: `  ordeal campaign status night
  watch -n 60 ordeal campaign status --brief night
  ordeal campaign status --json night | jq '.shards[] | select(.state != "COMPLETED")'`,
		Args: command.Arguments(1, 1, "one DIR of a campaign"),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print all of it as JSON")
	cmd.Flags().BoolVar(&brief, "brief", false, "print one line: runs, rate and time left, findings, states")
	cmd.MarkFlagsMutuallyExclusive("brief", "json")
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		s, err := cluster.Dir(rundir.Resolve(args[0])).Status(ctx)
		if err != nil {
			return err
		}
		switch {
		case asJSON:
			err = e.PrintJSON(s)
		case brief:
			err = s.WriteBrief(e.Stdout)
		default:
			err = s.WriteText(e.Stdout, e.Columns(), messages.Quoted(e.Args[0])+" campaign submit --dir "+messages.Quoted(args[0]))
		}
		switch {
		case err != nil:
			return err
		case s.Findings > 0:
			return command.Exit(summary.ExitFinding)
		case !s.Complete:
			return command.Exit(summary.ExitUndecided)
		}
		return nil
	})
	return cmd
}
