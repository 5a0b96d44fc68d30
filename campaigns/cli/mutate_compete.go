package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/mutation"
)

func newMutateCompete(e *env) *cobra.Command {
	s := mutation.Search{Seed: 1, Seeds: 10, Budget: 200_000}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compete NAME...",
		Short: "Hold ways of choosing programs against each other",
		Long: `Catch bugs of the catalogue with programs that are chosen in different ways: at
random, as critical cycles, by evolution on coverage feedback, and by evolution that
begins with schedules to states that exploration finds hard to reach. All of them draw
from the same programs, layouts and machines under the same budget. The table gives
the median number of operations to catch each bug, the seeds that missed it, and the
probability that the way is no better than chance (rank test of Mann and Whitney).`,
		Example: "  ordeal mutate compete --seeds 5 mesi-invalidation-of-an-upgrade-without-notice",
		Args:    cobra.MinimumNArgs(1),
	}
	f := cmd.Flags()
	f.Uint64Var(&s.Seed, "seed", s.Seed, "first seed")
	f.IntVar(&s.Seeds, "seeds", s.Seeds, "how many seeds")
	f.IntVar(&s.Budget, "budget", s.Budget, "operations for each seed and way")
	f.BoolVar(&asJSON, "json", false, "print the results as JSON")
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		if s.Seeds < 1 || s.Budget < 1 {
			return command.Usage(fmt.Errorf("--seeds %d, --budget %d: want at least 1", s.Seeds, s.Budget))
		}
		c, err := config.Ready(bugsFile)
		if err != nil {
			return err
		}
		list, err := mutation.Catalogue(c, args)
		if err != nil {
			return command.Usage(err)
		}
		command.CollectSeldom()
		var comparisons []*mutation.Comparison
		for _, cfg := range list {
			c, err := s.Compare(ctx, cfg)
			if err != nil {
				return err
			}
			comparisons = append(comparisons, c)
			fmt.Fprintf(e.Stderr, "%s: %v\n", cfg.Name, c.Ops)
		}
		if asJSON {
			return e.PrintJSON(map[string]any{"comparisons": comparisons})
		}
		_, err = fmt.Fprint(e.Stdout, mutation.ComparisonTable(comparisons).Fit(e.Columns()))
		return err
	})
	return cmd
}
