package compare

import (
	"cmp"
	"slices"

	"ordeal/sim"
)

// Coverage is a configuration whose runs took transitions of the coherence
// protocol in one campaign only.
type Coverage struct {
	Config string `json:"config"`
	// Old and New count the transitions that each campaign took.
	Old int `json:"old"`
	New int `json:"new"`
	// OnlyOld and OnlyNew are those that only one took, the least probable by
	// chance first.
	OnlyOld []Transition `json:"only_old"`
	OnlyNew []Transition `json:"only_new"`
}

// Transition is a transition that only one campaign took.
type Transition struct {
	sim.Row
	// Runs counts the runs that took it, Of all runs of the configuration in
	// that campaign.
	Runs int `json:"runs"`
	Of   int `json:"of"`
	// P is the probability that it is chance, see Exact.
	P float64 `json:"p"`
}

// coverage lists the configurations with runs in both campaigns whose coverage
// differs.
func (p *pair) coverage() []Coverage {
	list := []Coverage{}
	for _, name := range p.names {
		old, new, ok := p.both(name)
		if !ok || len(old.runs) == 0 || len(new.runs) == 0 {
			continue
		}
		c := Coverage{Config: name, Old: old.row.Coverage.Taken(), New: new.row.Coverage.Taken(), OnlyOld: only(old, new), OnlyNew: only(new, old)}
		if len(c.OnlyOld)+len(c.OnlyNew) > 0 {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Coverage) int { return cmp.Compare(b.clear(), a.clear()) })
	return list
}

// clear counts the transitions that are no longer taken, and not by chance.
func (c *Coverage) clear() int {
	n := 0
	for _, t := range c.OnlyOld {
		if t.P < Significant {
			n++
		}
	}
	return n
}

// only lists the transitions that runs of a took and no run of b did.
func only(a, b *configRuns) []Transition {
	list := []Transition{}
	taken := make(map[sim.Row]bool)
	for _, t := range b.row.Coverage {
		taken[t.Row] = t.Taken()
	}
	for _, t := range a.row.Coverage {
		if t.Taken() && !taken[t.Row] {
			list = append(list, Transition{
				t.Row, t.Runs, len(a.runs), Exact([]Stratum{{t.Runs, len(a.runs), 0, len(b.runs)}}),
			})
		}
	}
	slices.SortStableFunc(list, func(a, b Transition) int { return cmp.Compare(a.P, b.P) })
	return list
}
