package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	extras "ordeal/scripts/gem5"
)

func newGem5(e *env) *cobra.Command {
	cmd := &cobra.Command{Use: "gem5", Short: "Write out the tester that a gem5 binary can be built with"}
	cmd.AddCommand(newGem5Agent(e))
	return cmd
}

func newGem5Agent(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent DIR",
		Short: "Write the sources of the tester into DIR/ordeal, for EXTRAS of gem5's build",
		Long: `Write the sources of Ordeal's own tester into DIR/ordeal. gem5's scons builds them
into its binary with EXTRAS=DIR/ordeal, on each of its command lines. ordeal run
--sim gem5 --agent then runs programs on its cores and devices in place of CPUs.`,
		Example: "  ordeal gem5 agent extras",
		Args:    command.Arguments(1, 1, "one DIR"),
	}
	cmd.RunE = command.Body(func(_ context.Context, args []string) error {
		sources, err := fs.Sub(extras.Extras, "extras")
		if err != nil {
			return err
		}
		if err := os.CopyFS(args[0], sources); err != nil {
			return fmt.Errorf("write the tester: %w", err)
		}
		dir, err := filepath.Abs(filepath.Join(args[0], "ordeal"))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.Stdout, "in the gem5 tree: scons build/NULL_ALL_RUBY/gem5.opt EXTRAS=%s\n", dir)
		return err
	})
	return cmd
}
