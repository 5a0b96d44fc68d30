package campaigns

import (
	"fmt"
	"strings"

	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
)

// Covered is how much of the table of a coherence protocol a run covered.
type Covered struct {
	// Taken counts the transitions that the run took, Reachable those that
	// are not known to be unreachable; 0 where the simulator lists only what
	// was taken.
	Taken     int `json:"taken"`
	Reachable int `json:"reachable,omitempty"`
	// New counts the transitions that no earlier run of the configuration in
	// its campaign took.
	New int `json:"new,omitempty"`
}

// coveredBy is nil for a run without a coherence protocol.
func coveredBy(c sim.Coverage) *Covered {
	if len(c) == 0 {
		return nil
	}
	if !c.Whole() {
		return &Covered{Taken: c.Taken()}
	}
	return &Covered{Taken: c.Taken(), Reachable: c.Reachable()}
}

// missingShown is the number of transitions that a sentence lists.
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
	reachable, missing := r.Coverage.Reachable(), r.Coverage.Missing()
	text := fmt.Sprintf("%s: %d of %d reachable transitions taken (%.1f %%), the last new one in run %d",
		r.Config, reachable-len(missing), reachable, 100*float64(reachable-len(missing))/float64(max(reachable, 1)), r.LastNew)
	if len(missing) == 0 {
		return text + "."
	}
	var names []string
	for _, t := range missing[:min(len(missing), missingShown)] {
		names = append(names, fmt.Sprintf("%s (%s, %s)", t.Machine, t.State, t.Event))
	}
	if n := len(missing) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("%d more in %s", n, summaryJSON))
	}
	return text + "; never: " + strings.Join(names, ", ") + "."
}
