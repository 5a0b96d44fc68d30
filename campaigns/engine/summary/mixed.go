package summary

import (
	"fmt"
	"strings"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
)

// Mixed is the runs of a campaign that were made by the same versions.
type Mixed struct {
	Runs int `json:"runs"`
	// Versions says what differs from the first session's; empty for that.
	Versions string `json:"versions,omitempty"`
}

// AddTools adds the versions of the sessions of a campaign. No run is counted
// yet.
func (s *Summary) AddTools(h *journal.Header) {
	if len(h.Mixed) == 0 {
		return
	}
	s.Mixed = make([]Mixed, 1, len(h.Mixed)+1)
	for i := range h.Mixed {
		s.Mixed = append(s.Mixed, Mixed{Versions: strings.Join(journal.Differences(h.Tools, h.Mixed[i].Tools), "; ")})
	}
}

// mixedMessages say by which versions the runs were made, if they are several.
func (s *Summary) mixedMessages() []string {
	if len(s.Mixed) == 0 || s.Mixed[0].Runs == s.Total().Runs {
		return nil
	}
	out := []string{"Different versions made the runs, whose results may differ:"}
	for _, m := range s.Mixed {
		if m.Runs > 0 {
			versions := m.Versions
			if versions == "" {
				versions = "by the versions that campaign.json names first"
			}
			out = append(out, messages.Wrap(fmt.Sprintf("%s: %s", messages.Plural(m.Runs, "run"), parts(versions)), "  ", "    ", textWidth))
		}
	}
	return out
}
