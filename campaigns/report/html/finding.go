package html

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report"
	"ordeal/campaigns/run"
)

type findingView struct {
	ID, Title, Outcome, System string
	Runs, First, Last          int
	FirstAt, LastAt            time.Duration
	Alone, Reduction, Known    string
	Latency                    string // of a finding in a protocol of gem5: whether it needs others than gem5's
	// Change is new, flaky or recurring where there is an earlier campaign.
	Change, ChangeClass string
	Configs             []countView
	MoreConfigs         int
	// Best is the directory of the best reproducer, relative to the
	// campaign's; empty if there is none.
	Best     string
	Reduced  bool
	Program  string
	Commands []summary.Command
	Evidence evidence
}

type countView struct {
	Name string
	Runs int
}

// view makes the view of a finding; full adds what takes space.
func (p *page) view(ctx context.Context, f *summary.Finding, number int, full bool) findingView {
	v := findingView{
		ID: fmt.Sprintf("finding-%d", number), Title: clip(f.Title, titleShown), Outcome: f.Outcome.String(), System: clip(f.System, titleShown),
		Runs: f.Runs, First: f.First, Last: f.Last, FirstAt: f.FirstAt, LastAt: f.LastAt,
	}
	v.Title = strings.TrimPrefix(v.Title, v.Outcome+": ")
	v.Change = string(p.baseline.Change(f))
	v.ChangeClass = markClasses[v.Change]
	if f.Known != nil {
		v.Known = "known issue: " + clip(cmp.Or(f.Known.String(), f.Known.Title), titleShown)
	}
	if f.Timing != nil {
		v.Latency = f.Timing.String()
	}
	if f.Alone > 0 {
		v.Alone = fmt.Sprintf("recurs in %d of %s repeated outside their batch", f.Recurred, messages.Plural(f.Alone, "run"))
	}
	if r := f.Reduction; r != nil && r.Error != "" {
		v.Reduction = clip(r.Error, titleShown)
	} else if r != nil {
		v.Reduction = clip(r.String(), titleShown)
	}
	for _, c := range f.Configs[:min(len(f.Configs), configsShown)] {
		v.Configs = append(v.Configs, countView{clip(c.Config, nameShown), c.Runs})
	}
	v.MoreConfigs = len(f.Configs) - len(v.Configs)
	runDir := p.best(f, &v)
	var best *summary.Reproducer
	if v.Best != "" {
		best = &summary.Reproducer{Dir: filepath.Join(p.data.archive.Dir, v.Best), Reduced: v.Reduced}
	}
	v.Commands = report.Commands(p.data.archive.Dir, f, best)
	if !full || runDir == "" {
		return v
	}
	if text, err := p.files.Read(path.Join(v.Best, run.ProgramFile), programLimit); err == nil && strings.Count(string(text), "\n") <= programLines {
		v.Program = shorten(string(text))
	}
	v.Evidence = p.evidence(ctx, f, &v, runDir)
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
	v.Best, v.Reduced = best, f.Best.Reduced
	if v.Reduced {
		return path.Dir(best)
	}
	if reduced := path.Join(best, "reduced"); p.files.Has(path.Join(reduced, run.ProgramFile)) {
		v.Best, v.Reduced = reduced, true
	}
	return best
}
