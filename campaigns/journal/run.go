package journal

import (
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/rundir"
)

// Run is a run that ended.
type Run struct {
	Number int
	Config *config.Config
	Dir    rundir.Dir
	// At is when the run was recorded, in time spent on the campaign.
	At time.Duration
	// Kept says that the run directory stayed, Quarantined that it was moved
	// to Dir, since the run could not be made or judged.
	Kept, Quarantined bool
	*rundir.Case
}

// Finding reports whether a run is one of a finding: it failed, and is not one
// of a canary, which ought to.
func (r *Run) Finding() bool { return r.Case.Finding() && !r.Config.Canary() }

// Caught reports whether a run shows the fault that was planted for it.
func (r *Run) Caught() bool {
	return r.Config.Canary() && r.Case.Finding() && r.Config.Bug.Shows(r.Outcome)
}
