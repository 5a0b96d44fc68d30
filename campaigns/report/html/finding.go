package html

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// findingView is a finding as the page shows it.
type findingView struct {
	ID, Title, Outcome, System string
	Runs, First, Last          int
	FirstAt, LastAt            time.Duration
	Alone, Reduction           string
	Configs                    []countView
	MoreConfigs                int
	// Best is the directory of the best reproducer, relative to the
	// campaign's; empty if there is none.
	Best     string
	Reduced  bool
	Program  string
	Commands []commandView
	Evidence evidence
}

// countView is a number of runs of a configuration.
type countView struct {
	Name string
	Runs int
}

// commandView is a command to type, and what it is for.
type commandView struct{ For, Text string }

// view makes the view of a finding; full adds what takes space.
func (p *page) view(f *summary.Finding, number int, full bool) findingView {
	v := findingView{
		ID: fmt.Sprintf("finding-%d", number), Title: clip(f.Title, titleShown), Outcome: f.Outcome.String(), System: clip(f.System, titleShown),
		Runs: f.Runs, First: f.First, Last: f.Last, FirstAt: f.FirstAt, LastAt: f.LastAt,
	}
	if f.Alone > 0 {
		v.Alone = fmt.Sprintf("recurs in %d of %s made again outside their batch", f.Recurred, messages.Plural(f.Alone, "run"))
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
	run := p.best(f, &v)
	v.Commands = p.commands(f, &v)
	if !full || run == "" {
		return v
	}
	if text, err := p.files.read(path.Join(v.Best, rundir.ProgramFile), programLimit); err == nil && strings.Count(string(text), "\n") <= programLines {
		v.Program = shorten(string(text))
	}
	v.Evidence = p.evidence(f, &v, run)
	return v
}

// best chooses the reproducer of a finding: that of the summary, or what
// ordeal reduce made of it since. It gives the directory of the run that was
// made or reduced, empty if there is none.
func (p *page) best(f *summary.Finding, v *findingView) (run string) {
	if f.Best == nil {
		return ""
	}
	best, err := filepath.Rel(p.night.archive.Dir, f.Best.Dir)
	if err != nil || !p.files.has(path.Join(best, rundir.RecordFile)) {
		return ""
	}
	v.Best, v.Reduced = best, f.Best.Reduced
	if v.Reduced {
		return path.Dir(best)
	}
	if reduced := path.Join(best, "reduced"); p.files.has(path.Join(reduced, rundir.ProgramFile)) {
		v.Best, v.Reduced = reduced, true
	}
	return best
}

// commands are those to reproduce a finding.
func (p *page) commands(f *summary.Finding, v *findingView) []commandView {
	var list []commandView
	dir := func(name string) string { return report.Quoted(filepath.Join(p.night.archive.Dir, name)) }
	add := func(what, format string, args ...any) {
		list = append(list, commandView{what, "ordeal " + fmt.Sprintf(format, args...)})
	}
	if v.Best != "" {
		add("repeat", "repro %s", dir(v.Best))
		add("explain", "check --explain %s", dir(v.Best))
		if !v.Reduced {
			add("shrink", "reduce %s", dir(v.Best))
		}
	}
	what := "from the campaign"
	if f.Outcome == sim.Missed {
		what = "its last run"
	}
	add(what, "repro --campaign %s --run %d", dir("campaign.yaml"), f.First)
	return list
}
