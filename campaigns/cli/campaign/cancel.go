package campaign

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cluster"
	"ordeal/campaigns/run"
)

func newCancel(e *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cancel DIR",
		Short: "Cancel a campaign on a cluster",
		Long: `Cancel the jobs of the campaign that campaign submit has submitted in DIR. Jobs that
run give up the runs in flight and end. What they have made stays: campaign merge
makes a campaign of it, campaign submit goes on. A job that DIR names is cancelled if
it executes a script of DIR: another job is left alone, which is an error.`,
		Example: `  ordeal campaign cancel night
  ordeal campaign merge -o night/merged night`,
		Args: command.Arguments(1, 1, "one DIR of a campaign"),
	}
	command.JSONFlag(cmd, &asJSON)
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		ids, err := cluster.Dir(run.Resolve(args[0])).Cancel(ctx)
		switch {
		case err != nil:
			return err
		case asJSON:
			return e.PrintJSON(map[string][]string{"cancelled": append([]string{}, ids...)})
		case len(ids) == 0:
			fmt.Fprintln(e.Stdout, "nothing to cancel: no job is active")
		default:
			fmt.Fprintf(e.Stdout, "cancelled: %s\n", strings.Join(ids, " "))
		}
		return nil
	})
	return cmd
}
