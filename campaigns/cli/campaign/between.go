package campaign

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/lab/bugs"
	"ordeal/campaigns/report/compare"
	"ordeal/campaigns/run"
)

// cloneFlag declares the flag that names the repository of the protocols.
func cloneFlag(cmd *cobra.Command, clone *string) {
	cmd.Flags().StringVar(clone, "gem5-tree", "", "clone of the repository that has the protocols, for the commits between their versions")
}

// commits adds to protocols whose versions differ between two campaigns the commits of a clone between them; without a
// clone it adds nothing.
func commits(ctx context.Context, clone, before, after string, tools []compare.Tool) error {
	if clone == "" {
		return nil
	}
	c, err := bugs.OpenClone(ctx, clone)
	if err != nil {
		return command.Usage(err)
	}
	for i := range tools {
		if t := &tools[i]; t.Name == "slicc" {
			if err := between(ctx, c, before, after, t); err != nil {
				t.Unknown = err.Error()
			}
		}
	}
	return nil
}

// between adds the commits between the versions of each protocol that both campaigns have.
func between(ctx context.Context, clone *bugs.Clone, before, after string, t *compare.Tool) error {
	for now := range strings.SplitSeq(t.New, "; ") {
		root, _, _ := strings.Cut(now, " ")
		for was := range strings.SplitSeq(t.Old, "; ") {
			if !strings.HasPrefix(was, root+" ") || was == now {
				continue
			}
			old, err := run.KeptTexts(before, was)
			if err != nil {
				return err
			}
			texts, err := run.KeptTexts(after, now)
			if err != nil {
				return err
			}
			list, err := clone.Between(ctx, old, texts)
			if err != nil {
				return fmt.Errorf("%s: %w", root, err)
			}
			for _, c := range list {
				t.Commits = append(t.Commits, fmt.Sprintf("%.10s %s %s", c.ID, c.Date, c.Subject))
			}
		}
	}
	return nil
}
