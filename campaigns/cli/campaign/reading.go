package campaign

import (
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/progress"
)

// reading shows how far the journals of campaigns are read, for what, until the line
// is closed.
func reading(e *command.Env, what string, archives ...*journal.Archive) *progress.Line {
	line := e.Progress(what)
	for _, a := range archives {
		a.OnRead = func(lines int) {
			line.Show("%s: read %s of %s of %s", what, messages.Comma(lines), messages.Plural(a.Campaign.Runs(), "run"), a.Dir)
		}
	}
	return line
}
