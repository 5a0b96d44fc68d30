package journal

import (
	"time"

	"ordeal/campaigns/config"
)

// The files of a campaign directory beside its run directories.
const (
	CampaignFile = "campaign.yaml"
	HeadFile     = "campaign.json"
	JournalFile  = "runs.jsonl"
	SummaryText  = "summary.txt"
	SummaryJSON  = "summary.json"
)

// Head is campaign.json: what is known of a campaign beside its file.
type Header struct {
	Version int               `json:"version"`
	Seed    uint64            `json:"seed"`
	Command []string          `json:"command"`
	Tools   map[string]string `json:"tools"`
	Started time.Time         `json:"started"`
	// Shard is the part of the campaign that is made here.
	Shard config.Shard `json:"shard,omitzero"`
	// Shards are those that were merged to this campaign, in order.
	Shards []config.Shard `json:"shards,omitempty"`
	// Spent is the time of earlier sessions of a campaign that was resumed,
	// Session the start of the current one; End says how the latest ended, and
	// then Spent is the time of all. It is empty while the campaign runs, and
	// when it was killed.
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
	EndStopped     End = "stopped"     // a condition of Campaign.Stop was met
	EndBudget      End = "budget"      // the budget was spent
	EndInterrupted End = "interrupted" // somebody asked for it
	EndInfra       End = "trouble"     // too much went wrong
)

// quarantineDir holds the directories of runs that could not be made or
// judged, each with a reasonFile.
const QuarantineDir = "quarantine"

// surplusDir holds the directories of runs that failed on hardware when a
// campaign had stopped at a run of a lower number.
const SurplusDir = "surplus"

// linesFile holds lines of the journal that could not be read, in quarantine.
const LinesFile = "lines.txt"

// endedFile is the file of a run that waits to be recorded. It is an Entry
// whose New is all of the coverage, counts included.
const EndedFile = "ended.json"
