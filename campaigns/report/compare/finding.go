package compare

import (
	"cmp"
	"slices"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/sim"
)

// Change is the kind of a change.
type Change string

// Changes of findings and canaries.
const (
	New   Change = "new"   // finding: only the new campaign has it
	Gone  Change = "gone"  // finding: only the old campaign has it
	Flaky Change = "flaky" // finding: at different rates, or by different runs
	// Recurring findings are in both, at rates that do not differ.
	Recurring Change = "recurring"

	Missed Change = "missed"       // canary: no longer caught, or a new one that never was
	Open   Change = "open"         // canary: not caught with fewer operations than before
	Caught Change = "caught again" // canary
	Harder Change = "harder"       // canary: clearly fewer of the runs catch it
	Easier Change = "easier"       // canary: clearly more of the runs catch it
)

// Finding is a finding that changed.
type Finding struct {
	Change  Change      `json:"change"`
	Outcome sim.Outcome `json:"outcome"`
	Title   string      `json:"title"`
	System  string      `json:"system"`
	// Known is the known issue of the new campaign that it is; nil for none.
	Known *config.Known `json:"known,omitempty"`
	// Configs are those whose runs showed it.
	Configs []string    `json:"configs"`
	Old     Occurrences `json:"old"`
	New     Occurrences `json:"new"`
	// P is the probability that the rates differ by chance, see Exact; nil where
	// no configuration that shows it has the same settings in both campaigns.
	P *float64 `json:"p,omitempty"`
	// Repeated counts the runs on simulators that are not deterministic that both
	// campaigns made and at least one shows; Recurred those that both show.
	Repeated int `json:"repeated,omitempty"`
	Recurred int `json:"recurred,omitempty"`
}

// Occurrences are the runs of one campaign that show a finding.
type Occurrences struct {
	Runs int `json:"runs"`
	// Of counts all runs of the configurations that show it.
	Of int `json:"of"`
	// First is the directory of the first of them by number, Number; empty if
	// there is none.
	First  string `json:"first,omitempty"`
	Number int    `json:"number,omitempty"`
	// Failure is that of the first run.
	Failure sim.Failure `json:"failure,omitzero"`
	// Alone counts runs of batches that were repeated alone, Recurs those of
	// them with the same result.
	Alone  int `json:"alone,omitempty"`
	Recurs int `json:"recurs,omitempty"`
}

// Fixed reports whether a finding is gone, and not by chance: the configurations
// that showed it have the same settings, and p < Significant.
func (f *Finding) Fixed() bool { return f.Change == Gone && f.P != nil && *f.P < Significant }

// findings lists the new, flaky and gone findings, frequent ones first, and apart
// from them the recurring ones.
func (p *pair) findings() (changed, recurring []Finding) {
	keys := make(map[summary.FindingKey]bool)
	for _, n := range []*campaign{p.old, p.new} {
		for i := range n.sum.Findings {
			if f := &n.sum.Findings[i]; f.Outcome != sim.Missed { // which are canaries
				keys[f.Key()] = true
			}
		}
	}
	changed, recurring = []Finding{}, []Finding{}
	for k := range keys {
		f := p.finding(k)
		switch {
		case f.Old.Runs == 0:
			f.Change = New
		case f.New.Runs == 0:
			f.Change = Gone
		case f.Recurred < f.Repeated || f.P != nil && *f.P < Significant:
			f.Change = Flaky
		default:
			f.Change = Recurring
			recurring = append(recurring, f)
			continue
		}
		changed = append(changed, f)
	}
	rank := map[Change]int{New: 0, Flaky: 1, Gone: 2}
	order := func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank[a.Change], rank[b.Change]), cmp.Compare(b.New.Runs+b.Old.Runs, a.New.Runs+a.Old.Runs),
			cmp.Compare(a.Outcome, b.Outcome), strings.Compare(a.Title, b.Title), strings.Compare(a.System, b.System))
	}
	slices.SortFunc(changed, order)
	slices.SortFunc(recurring, order)
	return changed, recurring
}

func (p *pair) finding(k summary.FindingKey) Finding {
	known, _ := config.FindKnown(p.new.a.Campaign.Known, k.Title, k.System, p.new.a.Header.Started, p.new.a.Header.Tools)
	f := Finding{Outcome: k.Outcome, Title: k.Title, System: k.System, Known: known}
	var before, now map[string]int // runs by configuration
	f.Old, before = p.old.occurrences(k)
	f.New, now = p.new.occurrences(k)
	var strata []Stratum
	for _, name := range p.names {
		if before[name]+now[name] == 0 {
			continue
		}
		f.Configs = append(f.Configs, name)
		old, new, _ := p.both(name)
		if old != nil {
			f.Old.Of += len(old.runs)
		}
		if new != nil {
			f.New.Of += len(new.runs)
		}
		if _, _, ok := p.alike(name); !ok {
			continue
		}
		strata = append(strata, Stratum{before[name], len(old.runs), now[name], len(new.runs)})
		if new.sim != config.SimBuiltin {
			p.repeats(old, new, func(x, y *comparedRun) {
				here, there := old.of(x).finding == k, new.of(y).finding == k
				if here || there {
					f.Repeated++
				}
				if here && there {
					f.Recurred++
				}
			})
		}
	}
	if len(strata) > 0 {
		chance := Exact(strata)
		f.P = &chance
	}
	return f
}

// repeats calls f with the runs that both campaigns made, with the same seed,
// number and program, except infrastructure errors.
func (p *pair) repeats(old, new *configRuns, f func(old, new *comparedRun)) {
	p.drawn(old, new, func(x, y *comparedRun) {
		if x.program == y.program && old.of(x).outcome != sim.Infra && new.of(y).outcome != sim.Infra {
			f(x, y)
		}
	})
}

// drawn calls f with the runs that both campaigns made with the same seed and
// number, in order of their numbers.
func (p *pair) drawn(old, new *configRuns, f func(old, new *comparedRun)) {
	if p.old.a.Campaign.Seed != p.new.a.Campaign.Seed {
		return
	}
	left := old.runs
	for i := range new.runs {
		y := &new.runs[i]
		for len(left) > 0 && left[0].number < y.number {
			left = left[1:]
		}
		if len(left) > 0 && left[0].number == y.number {
			f(&left[0], y)
		}
	}
}

// occurrences are the runs of a finding, in all and by configuration.
func (n *campaign) occurrences(k summary.FindingKey) (o Occurrences, byConfig map[string]int) {
	byConfig = make(map[string]int)
	for i := range n.sum.Findings {
		f := &n.sum.Findings[i]
		if f.Key() != k {
			continue
		}
		for _, c := range f.Configs {
			byConfig[c.Config] = c.Runs
		}
		return Occurrences{Runs: f.Runs, First: f.Dir, Number: f.First, Failure: f.Failure, Alone: f.Alone, Recurs: f.Recurred}, byConfig
	}
	return o, byConfig
}
