package diff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/sim"
)

// Change is what became of something.
type Change string

// What becomes of findings and canaries.
const (
	// New: a finding that the old campaign does not have. Gone: one that the
	// new campaign does not have. Flaky: one that both have, but not alike.
	New   Change = "new"
	Gone  Change = "gone"
	Flaky Change = "flaky"
	// Missed: a canary that is not caught any more, or never was though the old
	// campaign does not have it. Open: one that is not caught, but was not given
	// the operations. Caught: one that is caught again. Harder and Easier: one
	// that clearly fewer, or more, of the runs catch.
	Missed Change = "missed"
	Open   Change = "open"
	Caught Change = "caught again"
	Harder Change = "harder"
	Easier Change = "easier"
)

// Finding is a finding that differs.
type Finding struct {
	Change  Change      `json:"change"`
	Outcome sim.Outcome `json:"outcome"`
	Title   string      `json:"title"`
	System  string      `json:"system"`
	// Configs are those whose runs showed it.
	Configs []string  `json:"configs"`
	Old     Sightings `json:"old"`
	New     Sightings `json:"new"`
	// P is the probability that chance makes the rates differ so, see Exact; nil
	// where no configuration that shows it is alike in both campaigns.
	P *float64 `json:"p,omitempty"`
	// Repeated counts runs that both campaigns made and at least one of which
	// showed it, of configurations whose simulator is not deterministic;
	// Recurred those of them of which both did.
	Repeated int `json:"repeated,omitempty"`
	Recurred int `json:"recurred,omitempty"`
}

// Sightings are the runs of one campaign that show a finding.
type Sightings struct {
	Runs int `json:"runs"`
	// Of counts all runs of the configurations that show it.
	Of int `json:"of"`
	// First is the directory of the first of them by number, Number; empty if
	// there is none.
	First  string `json:"first,omitempty"`
	Number int    `json:"number,omitempty"`
	// Alone counts runs of batches that were made again alone, Recurs those of
	// them that did the same.
	Alone  int `json:"alone,omitempty"`
	Recurs int `json:"recurs,omitempty"`
}

// findings lists the findings that differ: new ones, flaky ones, those that are
// gone; the frequent first.
func (p *pair) findings() []Finding {
	keys := make(map[key]bool)
	for _, n := range []*night{p.old, p.new} {
		for _, k := range n.configs {
			for f := range maps.Keys(k.findings) {
				keys[f] = true
			}
		}
	}
	list := []Finding{}
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
			continue
		}
		list = append(list, f)
	}
	rank := map[Change]int{New: 0, Flaky: 1, Gone: 2}
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank[a.Change], rank[b.Change]), cmp.Compare(b.New.Runs+b.Old.Runs, a.New.Runs+a.Old.Runs),
			cmp.Compare(a.Outcome, b.Outcome), strings.Compare(a.Title, b.Title), strings.Compare(a.System, b.System))
	})
	return list
}

// finding counts a finding in both campaigns.
func (p *pair) finding(k key) Finding {
	f := Finding{Outcome: k.outcome, Title: k.title, System: k.system}
	var strata []Stratum
	for _, name := range p.names {
		old, new, _ := p.both(name)
		a, b := old.sightings(k), new.sightings(k)
		if a == nil && b == nil {
			continue
		}
		f.Configs = append(f.Configs, name)
		f.Old.add(old, a)
		f.New.add(new, b)
		if _, _, ok := p.alike(name); !ok {
			continue
		}
		strata = append(strata, Stratum{a.count(), len(old.runs), b.count(), len(new.runs)})
		if new.sim != config.SimBuiltin {
			p.repeats(old, new, func(x, y *ended) {
				here, there := x.finding && old.key(x) == k, y.finding && new.key(y) == k
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

// repeats calls f with all runs that both campaigns made: of the same seed,
// number and program. Runs that could not be made are none.
func (p *pair) repeats(old, new *kind, f func(old, new *ended)) {
	if p.old.a.Campaign.Seed != p.new.a.Campaign.Seed {
		return
	}
	for _, y := range new.runs {
		x := p.old.runs[y.number]
		if x != nil && x.config == y.config && x.program == y.program && x.outcome != sim.Infra && y.outcome != sim.Infra {
			f(x, y)
		}
	}
}

// sightings are those of a finding; nil if there are none.
func (k *kind) sightings(f key) *sightings {
	if k == nil {
		return nil
	}
	return k.findings[f]
}

func (s *sightings) count() int {
	if s == nil {
		return 0
	}
	return s.runs
}

// add adds the runs of a configuration, which may be nil, as may be t.
func (s *Sightings) add(k *kind, t *sightings) {
	if k != nil {
		s.Of += len(k.runs)
	}
	if t == nil {
		return
	}
	s.Runs, s.Alone, s.Recurs = s.Runs+t.runs, s.Alone+t.alone, s.Recurs+t.recurred
	if s.First == "" || t.first < s.Number {
		s.Number, s.First = t.first, string(t.dir)
	}
}
