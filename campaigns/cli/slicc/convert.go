package slicc

import (
	"context"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/sim/slicc/syntax"
)

func newConvert(e *command.Env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "convert FILE",
		Short: "Print a protocol in today's language, as one file",
		Long: `Print the protocol whose root file is FILE with all files that it includes, as one file in the
language of gem5 since 2015. A protocol in the older language, of GEMS and of gem5 until then, is
read by every command as it is; what is printed here is what they read.`,
		Example: `  ordeal slicc convert -o MSI.slicc old/src/mem/protocol/MSI.slicc`,
		Args:    command.Arguments(1, 1, "one FILE"),
	}
	cmd.Flags().StringVarP(&output, "output", "o", "-", "file to write; - is standard output")
	source := sourceFlags(cmd)
	cmd.RunE = command.Body(func(_ context.Context, args []string) error {
		source.Root = args[0]
		tree, err := source.Load()
		if err != nil {
			return command.Usage(err)
		}
		text := []byte(messages.Escape(syntax.PrintOne(tree)))
		if output == "-" {
			_, err = e.Stdout.Write(text)
			return err
		}
		return run.WriteOutput(output, text, run.Plain)
	})
	return cmd
}
