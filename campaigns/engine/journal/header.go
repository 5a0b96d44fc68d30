package journal

import (
	"time"

	"ordeal/campaigns/config"
)

// The files and folders of a campaign directory beside its run directories.
const (
	CampaignFile = "campaign.yaml"
	HeaderFile   = "campaign.json"
	RunsFile     = "runs.jsonl"
	SummaryText  = "summary.txt"
	SummaryJSON  = "summary.json"

	// QuarantineDir holds the directories of runs that could not be executed
	// or checked, each with a run.ReasonFile, and LinesFile.
	QuarantineDir = "quarantine"
	// LinesFile holds corrupt lines of the journal, in quarantine.
	LinesFile = "lines.txt"
	// AfterStopDir holds the directories of runs that failed on hardware after
	// the run at which the campaign had stopped.
	AfterStopDir = "after-stop"
	// ExplorationsDir holds what explorations that have not ended go on from.
	ExplorationsDir = "explorations"
	// PendingFile is the file of a finished run that waits for earlier ones. It
	// is an Entry whose New is all of the coverage, counts included.
	PendingFile = "result.pending.json"
)

// Header is campaign.json: what is known of a campaign beside its file.
type Header struct {
	Version int               `json:"version"`
	Seed    uint64            `json:"seed"`
	Command []string          `json:"command"`
	Tools   map[string]string `json:"tools"`
	Started time.Time         `json:"started"`
	// Shard is the part of the campaign that is run here.
	Shard config.Shard `json:"shard,omitzero"`
	// Shards are those that were merged to this campaign, in order.
	Shards []config.Shard `json:"shards,omitempty"`
	// Spent is the time of earlier sessions of a campaign that was resumed,
	// Session the start of the current one. End says how the latest one ended,
	// and then Spent is the time of all. It is empty while the campaign runs,
	// and after a kill, and the time of the latest session is then in Entry.At.
	Spent   time.Duration `json:"spent_ns,omitempty"`
	Session time.Time     `json:"session"`
	End     End           `json:"end,omitempty"`
	_       struct{}
}

// End says how a session of a campaign ended.
type End string

// The ends.
const (
	EndComplete    End = "complete"    // all runs are recorded
	EndStopped     End = "stopped"     // a condition of config.Stop was met
	EndBudget      End = "budget"      // the budget was spent
	EndInterrupted End = "interrupted" // by a signal
	EndInfra       End = "infra-error" // too many infrastructure errors
)

// Ended reports whether the latest session left nothing to do.
func (h *Header) Ended() bool {
	return h.End == EndComplete || h.End == EndStopped || h.End == EndBudget
}
