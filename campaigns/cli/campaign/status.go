package campaign

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cluster"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/progress"
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
		dir := run.Resolve(args[0])
		if cluster.IsDir(dir) {
			s, err := cluster.Dir(dir).Status(ctx)
			if err != nil {
				return err
			}
			submit := messages.Quoted(e.Args[0]) + " campaign submit --dir " + messages.QuotedPath(args[0])
			return exit(printStatus(e, s, asJSON, brief, e.Columns(), submit), s.Findings > 0, s.Complete)
		}
		s, err := localStatus(e, dir)
		if err != nil {
			return err
		}
		return exit(printStatus(e, s, asJSON, brief, cmp.Or(e.Columns(), statusColumns), messages.Quoted(e.Args[0])), s.Failing, s.Complete)
	})
	return cmd
}

// statusColumns is how wide a status is where the terminal does not say.
const statusColumns = 100

// printStatus prints a status as JSON, in a line, or in a number of columns with what to do next,
// which is a command.
func printStatus(e *command.Env, s interface {
	WriteBrief(w io.Writer) error
	WriteText(w io.Writer, columns int, command string) error
}, asJSON, brief bool, columns int, next string) error {
	return e.Print(asJSON, s, func(w io.Writer) error {
		if brief {
			return s.WriteBrief(w)
		}
		return s.WriteText(w, columns, next)
	})
}

// localStatus reads how far a campaign is that runs on this machine, or did.
func localStatus(e *command.Env, dir string) (*progress.Status, error) {
	a, err := journal.Open(dir)
	if err != nil {
		return nil, err
	}
	running, err := journal.Running(dir)
	if err != nil {
		return nil, err
	}
	defer reading(e, "status", a).Close()
	return progress.Read(a, running, time.Now())
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
