package report

import (
	"slices"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/report/compare"
	"ordeal/sim"
)

// Baseline is what differs from an earlier campaign. A nil one stands for none.
type Baseline struct {
	*compare.Diff
	changes map[summary.FindingKey]compare.Change
}

// Against compares a campaign with an earlier one.
func Against(old, a *journal.Archive) (*Baseline, error) {
	d, err := compare.Compare(old, a)
	if err != nil {
		return nil, err
	}
	b := &Baseline{Diff: d, changes: make(map[summary.FindingKey]compare.Change)}
	for _, f := range slices.Concat(d.Findings, d.Recurring) {
		b.changes[summary.FindingKey{Title: f.Title, System: f.System, Outcome: f.Outcome}] = f.Change
	}
	return b, nil
}

// Change is new, flaky or recurring for a finding of the later campaign, among
// which are missed canaries; empty where there is no earlier campaign.
func (b *Baseline) Change(f *summary.Finding) compare.Change {
	switch {
	case b == nil:
		return ""
	case f.Outcome != sim.Missed:
		return b.changes[f.Key()]
	case slices.ContainsFunc(b.Canaries, func(c compare.Canary) bool { return c.Config == f.Configs[0].Config && c.Change == compare.Missed }):
		return compare.New
	}
	return compare.Recurring
}

// Gone lists the findings of the earlier campaign that the later one does not
// have.
func (b *Baseline) Gone() []compare.Finding {
	if b == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(b.Findings), func(f compare.Finding) bool { return f.Change != compare.Gone })
}
