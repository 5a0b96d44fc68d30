package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/compare"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// newFailure describes a finding with n runs of a configuration.
func newFailure(a *journal.Archive, s *summary.Summary, f *summary.Finding, n int, baseline *compare.Diff) *failure {
	message := fmt.Sprintf("%s; %d runs, the first is run %d of seed %d", f.Title, n, f.First, s.Seed)
	if f.Outcome == sim.Missed {
		message = fmt.Sprintf("%s: none of %d runs of seed %d showed it", f.Title, n, s.Seed)
	}
	if change := baseline.Change(f); change != "" {
		message = string(change) + ": " + message
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", message, f.System)
	if f.Reduction != nil {
		fmt.Fprintf(&b, "reduced: %s\n", f.Reduction)
	}
	b.WriteString("\n")
	for _, command := range Commands(a.Dir, f, f.Best) {
		b.WriteString(command.Line + "\n")
	}
	if f.Best != nil {
		b.WriteString(evidence(a.Dir, f.Best.Dir))
	}
	return &failure{Message: clean(message), Type: f.Outcome.String(), Text: clean(b.String())}
}

// textMost bounds what is cited of a file of a run, in bytes.
const textMost = 8 << 10

// fileMost bounds what is read of a file of a run, in bytes.
const fileMost = 8 << 20

// evidence is the detail of a run's verdict and its first witness, or empty.
func evidence(campaign, dir string) string {
	files := FilesOf(campaign)
	runDir, err := filepath.Rel(campaign, dir)
	if err != nil {
		return ""
	}
	var b strings.Builder
	var result run.Result
	if err := files.JSON(filepath.Join(runDir, run.ResultFile), fileMost, &result); err == nil && result.Detail != "" {
		b.WriteString("\n" + shortened(result.Detail) + "\n")
	}
	if witnesses := files.Names(runDir, "witness-*.txt"); len(witnesses) > 0 {
		if text, err := files.Read(filepath.Join(runDir, slices.Min(witnesses)), fileMost); err == nil {
			b.WriteString("\n" + shortened(string(text)) + "\n")
		}
	}
	return b.String()
}

// shortened is the beginning of a long text, in whole lines.
func shortened(text string) string {
	if len(text) <= textMost {
		return strings.TrimRight(text, "\n")
	}
	text = text[:textMost]
	if i := strings.LastIndexByte(text, '\n'); i > 0 {
		text = text[:i]
	}
	return text + "\n…"
}

// noncharacters are what XML 1.0 cannot represent, and escaping leaves.
var noncharacters = strings.NewReplacer("\ufffe", "", "\uffff", "")

// clean escapes what acts on a terminal, and so all control characters, and
// removes the rest of what XML 1.0 cannot represent: readers refuse whole files
// for one such character.
func clean(text string) string { return noncharacters.Replace(messages.Escape(text)) }
