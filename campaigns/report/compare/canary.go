package compare

import (
	"cmp"
	"slices"
	"time"

	"ordeal/campaigns/engine/summary"
)

// Canary is a canary that one campaign catches differently.
type Canary struct {
	Change Change `json:"change"`
	Config string `json:"config"`
	// Old and New are nil where the campaign does not have the canary.
	Old *Detection `json:"old,omitempty"`
	New *Detection `json:"new,omitempty"`
	// P is the probability that the rates differ by chance, see Exact; nil where
	// the settings differ.
	P *float64 `json:"p,omitempty"`
}

// Detection is the result of a canary in one campaign.
type Detection struct {
	// Runs and Operations are all that were spent on it, Caught the runs that
	// showed the bug.
	Runs       int `json:"runs"`
	Operations int `json:"operations"`
	Caught     int `json:"caught"`
	// The first run by number that caught it, its directory, and the operations
	// and the time of simulation and checking of all runs of the canary up to it;
	// zero if none did.
	First     int           `json:"first,omitempty"`
	Dir       string        `json:"dir,omitempty"`
	Until     int           `json:"until_operations,omitempty"`
	UntilTime time.Duration `json:"until_ns,omitempty"`
	// Missed is set if all its runs were made, with as many operations as the
	// bug needs, and none caught it.
	Missed bool `json:"missed"`
}

// detection returns nil for a configuration that is no canary.
func (n *campaign) detection(k *configRuns) *Detection {
	if k == nil || k.row.Canary == nil || k.row.Canary.Control != "" {
		return nil
	}
	c := k.row.Canary
	d := &Detection{Runs: k.row.Runs, Operations: k.row.Runs * k.Operations(), Caught: c.Caught, Missed: c.Status == summary.StatusMissed}
	if c.Caught > 0 {
		d.First, d.Dir, d.Until, d.UntilTime = c.First, string(n.a.Run(c.First)), c.Until, c.UntilTime
	}
	return d
}

// canaries lists the canaries that changed, the missed ones first.
func (p *pair) canaries() []Canary {
	list := []Canary{}
	for _, name := range p.names {
		c := Canary{Config: name, Old: p.old.detection(p.old.configs[name]), New: p.new.detection(p.new.configs[name])}
		if c.New == nil {
			continue // removed: see configs
		}
		if old, new, ok := p.alike(name); ok && c.Old != nil {
			chance := Exact([]Stratum{{c.Old.Caught, len(old.runs), c.New.Caught, len(new.runs)}})
			c.P = &chance
		}
		if c.Change = c.change(); c.Change != "" {
			list = append(list, c)
		}
	}
	rank := map[Change]int{Missed: 0, Open: 1, Harder: 2, Caught: 3, Easier: 4}
	slices.SortStableFunc(list, func(a, b Canary) int { return cmp.Compare(rank[a.Change], rank[b.Change]) })
	return list
}

// change returns "" for no change.
func (c *Canary) change() Change {
	old, new := c.Old, c.New
	had := old != nil && old.Caught > 0
	missed := old != nil && old.Missed
	switch {
	case new.Caught == 0 && had:
		if new.Operations >= old.Until {
			return Missed
		}
		return Open
	case new.Missed && !missed:
		return Missed
	case new.Caught == 0:
		return ""
	case missed:
		return Caught
	case had && c.P != nil && *c.P < Significant:
		if new.Caught*old.Runs < old.Caught*new.Runs {
			return Harder
		}
		return Easier
	}
	return ""
}
