package run

import (
	"fmt"
	"time"

	"ordeal/campaigns/internal/messages"
)

// The files of a reduction in the directory of the run. PartDir becomes
// ReducedDir when the reduction is complete.
const (
	ReductionFile = "reduction.json"
	ReducedDir    = "reduced"
	PartDir       = "reduced.part"
)

// Reduction is reduction.json: the result of reducing a run.
type Reduction struct {
	// Error says why there is no smaller program; the rest is then empty.
	Error string `json:"error,omitempty"`
	// Dir is the run directory of the reduced program. In reduction.json it is
	// relative to the run's.
	Dir string `json:"dir,omitempty"`
	// Before and After are operations, rounds counted; Threads and Rounds are
	// those of the reduced program.
	Before  int `json:"before,omitempty"`
	After   int `json:"after,omitempty"`
	Threads int `json:"threads,omitempty"`
	Rounds  int `json:"rounds,omitempty"`
	// Hits of Tries runs of the reduced program under other seeds fail in the
	// same way.
	Hits  int `json:"hits"`
	Tries int `json:"tries"`
	// Minimal says that no candidate with a part left out failed.
	Minimal bool          `json:"minimal,omitempty"`
	Elapsed time.Duration `json:"elapsed_ns"`
}

// String describes the reduction in one line.
func (r *Reduction) String() string {
	if r.Error != "" {
		return "failed: " + r.Error
	}
	text := fmt.Sprintf("from %s to %d in %s and %s, fails in %d of %s",
		messages.Plural(r.Before, "operation"), r.After, messages.Plural(r.Threads, "thread"), messages.Plural(r.Rounds, "round"), r.Hits, messages.Plural(r.Tries, "run"))
	if !r.Minimal {
		text += "; it may not be minimal"
	}
	return text
}
