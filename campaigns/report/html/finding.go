package html

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns"
)

// finding is what the runs with one title have in common.
type finding struct {
	campaigns.Finding
	seen
}

// gather joins the findings of the summary with when they were seen. Those of
// the summary that runs have but only runs of canaries are left out.
func gather(sum *campaigns.Summary, seen map[string]*seen) []*finding {
	var list []*finding
	for _, f := range sum.Findings {
		switch s := seen[f.Title]; {
		case s != nil:
			list = append(list, &finding{f, *s})
		case f.Runs == 0:
			list = append(list, &finding{Finding: f})
		}
	}
	return list
}

// findingView is a finding as the page shows it.
type findingView struct {
	ID, Title, Outcome string
	Runs               int
	First, Last        *sighting
	Alone              string
	Configs            []countView
	MoreConfigs        int
	// Best is the directory of the best reproducer, relative to the
	// campaign's: a reduced one if there is one.
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
func (p *page) view(f *finding, number int, full bool) findingView {
	v := findingView{
		ID: fmt.Sprintf("finding-%d", number), Title: clip(f.Title, titleShown), Outcome: f.Outcome.String(), Runs: f.Finding.Runs,
	}
	if f.seen.runs > 0 {
		v.Runs, v.First, v.Last = f.seen.runs, &f.first, &f.last
	}
	if f.Alone > 0 {
		v.Alone = fmt.Sprintf("recurs in %d of %s made again outside their batch", f.Recurred, plural(f.Alone, "run"))
	}
	names := slices.SortedFunc(maps.Keys(f.configs), func(a, b string) int {
		return cmp.Or(f.configs[b]-f.configs[a], strings.Compare(a, b))
	})
	for _, name := range names[:min(len(names), configsShown)] {
		v.Configs = append(v.Configs, countView{clip(name, nameShown), f.configs[name]})
	}
	v.MoreConfigs = len(names) - len(v.Configs)
	run := p.best(f, &v)
	if !full || run < 0 {
		return v
	}
	if text, err := p.files.read(path.Join(v.Best, campaigns.ProgramFile), programLimit); err == nil && strings.Count(string(text), "\n") <= programLines {
		v.Program = shorten(string(text))
	}
	v.Evidence = p.evidence(f, &v, pad(run))
	return v
}

// best chooses the reproducer of a finding and says how to use it. It gives
// the number of the run, -1 if none is kept.
func (p *page) best(f *finding, v *findingView) int {
	run := -1
	for _, n := range f.kept {
		if reduced := path.Join(pad(n), "reduced"); p.files.has(path.Join(reduced, campaigns.ProgramFile)) {
			run, v.Best, v.Reduced = n, reduced, true
			break
		} else if run < 0 && p.files.has(path.Join(pad(n), campaigns.RecordFile)) {
			run, v.Best = n, pad(n)
		}
	}
	dir := func(name string) string { return quoted(filepath.Join(p.night.archive.Dir, name)) }
	add := func(what, format string, args ...any) {
		v.Commands = append(v.Commands, commandView{what, "ordeal " + fmt.Sprintf(format, args...)})
	}
	if run >= 0 {
		add("repeat", "repro %s", dir(v.Best))
		add("explain", "check --explain %s", dir(v.Best))
		if !v.Reduced {
			add("shrink", "reduce %s", dir(v.Best))
		}
	}
	if f.seen.runs > 0 {
		add("from the campaign", "repro --campaign %s --run %d", dir("campaign.yaml"), f.Finding.First)
	}
	return run
}

// pad is the name of the directory of a run.
func pad(run int) string { return fmt.Sprintf("%06d", run) }

// quoted is a word as a shell takes it.
func quoted(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-./=:,@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
