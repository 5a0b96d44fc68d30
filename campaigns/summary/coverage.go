package summary

import (
	"fmt"
	"strings"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/journal"
)

// missingShown is the number of transitions that a message lists.
const missingShown = 8

// coverage says how much of its protocol the runs of a configuration covered,
// and what they did not; empty without a protocol.
func (r *Row) coverage() string {
	if len(r.Coverage) == 0 {
		return ""
	}
	if !r.Whole {
		return fmt.Sprintf("%s: %s taken, the last new one in run %d.", r.Config, messages.Plural(r.Coverage.Taken(), "transition"), r.LastNew)
	}
	missing := r.Coverage.Missing()
	text := fmt.Sprintf("%s: %d of %d transitions taken (%.1f %%), the last new one in run %d",
		r.Config, r.Coverage.Taken(), len(r.Coverage), 100*r.Coverage.Share(), r.LastNew)
	if len(missing) == 0 {
		return text + "."
	}
	var names []string
	for _, t := range missing[:min(len(missing), missingShown)] {
		names = append(names, fmt.Sprintf("%s (%s, %s)", t.Machine, t.State, t.Event))
	}
	if n := len(missing) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("%d more in %s", n, journal.SummaryJSON))
	}
	return text + "; never: " + strings.Join(names, ", ") + "."
}
