package command

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
)

// exitMeanings has the meaning of each exit status, the same for all commands.
var exitMeanings = [...]string{
	summary.ExitOK:        "nothing found; or, of a command that searches for nothing, done",
	summary.ExitFinding:   "a finding, or a canary that is not caught any more",
	summary.ExitUsage:     "invalid arguments, or an invalid file that they name",
	summary.ExitUndecided: "undecided, or interrupted with nothing found",
	summary.ExitInfra:     "something could not be read, written or executed",
}

// ExitText lists the exit statuses in lines of at most width columns.
func ExitText(width int) string {
	var b strings.Builder
	b.WriteString("Exit status:\n")
	for status, text := range exitMeanings {
		b.WriteString(messages.Wrap(text, fmt.Sprintf("  %d  ", status), "     ", width) + "\n")
	}
	return b.String()
}

// DocumentExits adds the exit statuses to the descriptions of a command and of
// those below it, for man pages.
func DocumentExits(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		DocumentExits(sub)
	}
	if text := exitsOf(cmd, helpWidth); text != "" {
		cmd.Long = cmp.Or(cmd.Long, cmd.Short+".") + "\n\n" + strings.TrimRight(text, "\n")
	}
}

// exitsOf returns the exit statuses of a command that has none below it, else nothing.
func exitsOf(cmd *cobra.Command, width int) string {
	if !cmd.HasParent() || cmd.HasSubCommands() {
		return ""
	}
	return ExitText(width)
}
