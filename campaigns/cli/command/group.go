package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"ordeal/campaigns/internal/messages"
)

// Names lists the commands below a command, except hidden ones.
func Names(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// Group makes a command of one that only has others below it.
func Group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(below...)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Usage(fmt.Errorf("unknown command %q of %s%s", args[0], cmd.CommandPath(), messages.Hint(args[0], Names(cmd))))
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}
