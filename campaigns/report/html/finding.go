package html

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/report"
	"ordeal/campaigns/run"
)

// findingView is a finding with what its page says beside the summary.
type findingView struct {
	*summary.Finding
	ID, Name string // Name is the title without the outcome
	// Change is new, flaky or recurring where there is an earlier campaign.
	Change, ChangeClass string
	// Path is the directory of the best reproducer, relative to the
	// campaign's; empty if there is none.
	Path     string
	Reduced  bool
	Program  string
	Commands []summary.Command
	Evidence evidence
}

// FirstConfigs are the first of the configurations that have the finding.
func (v *findingView) FirstConfigs() []summary.ConfigCount {
	return v.Configs[:min(len(v.Configs), configsShown)]
}

// MoreConfigs counts the others.
func (v *findingView) MoreConfigs() int { return len(v.Configs) - len(v.FirstConfigs()) }

// view makes the view of a finding; full adds what takes space.
func (p *page) view(ctx context.Context, f *summary.Finding, number int, full bool) *findingView {
	v := &findingView{
		Finding: f, ID: fmt.Sprintf("finding-%d", number), Name: strings.TrimPrefix(clip(f.Title, titleShown), f.Outcome.String()+": "), Change: string(p.baseline.Change(f)),
	}
	v.ChangeClass = markClasses[v.Change]
	runDir := p.best(f, v)
	var best *summary.Reproducer
	if v.Path != "" {
		best = &summary.Reproducer{Dir: filepath.Join(p.data.archive.Dir, v.Path), Reduced: v.Reduced}
	}
	v.Commands = report.Commands(p.data.archive.Dir, f, best)
	if !full || runDir == "" {
		return v
	}
	if text, err := p.files.Read(path.Join(v.Path, run.ProgramFile), programLimit); err == nil && strings.Count(string(text), "\n") <= programLines {
		v.Program = shorten(string(text))
	}
	v.Evidence = p.evidence(ctx, v, runDir)
	return v
}

// best chooses the reproducer of a finding: that of the summary, or what
// ordeal reduce made of it since. It gives the directory of the run that was
// made or reduced, empty if there is none.
func (p *page) best(f *summary.Finding, v *findingView) (runDir string) {
	if f.Best == nil {
		return ""
	}
	best, err := filepath.Rel(p.data.archive.Dir, f.Best.Dir)
	if err != nil || !p.files.Has(path.Join(best, run.SpecFile)) {
		return ""
	}
	v.Path, v.Reduced = best, f.Best.Reduced
	if v.Reduced {
		return path.Dir(best)
	}
	if reduced := path.Join(best, "reduced"); p.files.Has(path.Join(reduced, run.ProgramFile)) {
		v.Path, v.Reduced = reduced, true
	}
	return best
}
