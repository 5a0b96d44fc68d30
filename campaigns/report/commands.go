// Package report writes the results of a campaign directory: as lines of JSON,
// as the XML of JUnit and, in the package html, as a web page.
package report

import (
	"path/filepath"
	"strconv"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// Command is a command line, for a shell, and what it is for.
type Command struct{ Purpose, Line string }

// Commands reproduce a finding of the campaign in dir: run its best
// reproducer again, explain it, reduce it, and run it again from nothing but
// the campaign's file. Best may be nil.
func Commands(dir string, f *summary.Finding, best *summary.Reproducer) []Command {
	var list []Command
	if best != nil && f.Outcome != sim.Missed {
		path := messages.Quoted(best.Dir)
		list = append(list, Command{"repeat", "ordeal repro " + path}, Command{"explain", "ordeal check --explain " + path})
		if !best.Reduced {
			list = append(list, Command{"reduce", "ordeal reduce " + path})
		}
	}
	purpose := "from the campaign"
	if f.Outcome == sim.Missed {
		purpose = "its last run"
	}
	return append(list, Command{purpose, "ordeal repro --campaign " + messages.Quoted(filepath.Join(dir, "campaign.yaml")) + " --run " + strconv.Itoa(f.First)})
}
