package campaign

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/report/trend"
	"ordeal/campaigns/run"
)

func newTrend(e *command.Env) *cobra.Command {
	var page string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "trend [DIR...]",
		Short: "Set many campaigns side by side, in the order of time",
		Long: `Set campaigns of the same name side by side, in the order of time: findings, which are
new and which gone, coverage, rate and canaries; and in which campaigns each finding was
seen and each canary caught. A DIR is that of a campaign or has campaigns in it, by
default ` + command.RunsDir + `. Between two campaigns, campaign diff says what is chance.`,
		Example: `  ordeal campaign trend nights
  ordeal campaign trend --html trend.html nights`,
		Args: command.Arguments(0, -1, "directories"),
	}
	cmd.Flags().StringVar(&page, "html", "", "write a page with plots to this file")
	command.JSONFlag(cmd, &asJSON)
	cmd.RunE = command.Body(func(_ context.Context, args []string) error {
		if len(args) == 0 {
			args = []string{command.RunsDir}
		}
		dirs, err := trend.Find(args)
		if err != nil {
			return err
		}
		unread := 0
		list := trend.Read(dirs, func(err error) {
			unread++
			fmt.Fprintf(e.Stderr, "left out: %v\n", err)
		})
		if page != "" {
			if err := run.StreamOutput(page, run.Plain, func(w io.Writer) error { return trend.WriteHTML(w, list) }); err != nil {
				return err
			}
		}
		all := &trend.Trends{Trends: list}
		if err := e.Print(asJSON, all, func(w io.Writer) error { return all.WriteText(w, e.Columns()) }); err != nil {
			return err
		}
		if unread > 0 {
			return command.Exit(summary.ExitInfra)
		}
		return nil
	})
	return cmd
}
