// Package report writes the results of a campaign directory: as lines of JSON,
// as the XML of JUnit and, in the package html, as a web page.
package report

import (
	"path/filepath"
	"strconv"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
)

// Commands reproduce a finding of the campaign in dir: run its best
// reproducer again, explain it, reduce it, and run it again from nothing but
// the campaign's file. Best may be nil.
func Commands(dir string, f *summary.Finding, best *summary.Reproducer) []summary.Command {
	list := f.Commands("ordeal", best)
	purpose := "from the campaign"
	if f.Outcome == sim.Missed {
		purpose = "its last run"
	}
	return append(list, summary.Command{Purpose: purpose, Line: "ordeal repro --campaign " + messages.QuotedPath(filepath.Join(dir, "campaign.yaml")) + " --run " + strconv.Itoa(f.First)})
}
