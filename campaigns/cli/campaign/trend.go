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
	var page, clone string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "trend [DIR...]",
		Short: "Set many campaigns side by side, in the order of time",
		Long: `Set campaigns of the same name side by side, in the order of time: findings, which are
new and which gone, coverage, rate and canaries; and in which campaigns each finding was
seen and each canary caught. Under a finding that is not in the first campaign are the versions of tools and
protocols that its first campaign has anew, and with --gem5-tree the commits between. A DIR is that of a campaign or has campaigns in it, by
default ` + command.RunsDir + `. Between two campaigns, campaign diff says what is chance.`,
		Example: `  ordeal campaign trend nights
  ordeal campaign trend --html trend.html nights
  ordeal campaign trend --gem5-tree gem5 nights`,
		Args: command.Arguments(0, -1, "directories"),
	}
	cmd.Flags().StringVar(&page, "html", "", "write a page with plots to this file")
	cloneFlag(cmd, &clone)
	command.JSONFlag(cmd, &asJSON)
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
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
		for _, t := range list {
			done := map[*trend.Since]bool{nil: true} // which findings share
			for i := range t.Findings {
				if s := t.Findings[i].Since; !done[s] {
					done[s] = true
					if err := commits(ctx, clone, t.Points[s.Campaign-2].Dir, t.Points[s.Campaign-1].Dir, s.Tools); err != nil {
						return err
					}
				}
			}
		}
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
