package html

import (
	"context"
	"slices"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/sim"
)

// campaignData is what a page shows of a campaign.
type campaignData struct {
	archive  *journal.Archive
	sum      *summary.Summary
	canaries []*progress
	growth   growth
	// configs counts by configuration what the summary does not.
	configs map[string]*progress
}

// progress adds to the summary of a configuration what only its runs say.
type progress struct {
	config *config.Config
	row    *summary.Row
	titles map[string]int // of a canary: failed runs by title
}

func (p *progress) add(run *journal.Entry) {
	if p.config.Bug == nil || !run.Failed() {
		return
	}
	if p.titles == nil {
		p.titles = make(map[string]int)
	}
	p.titles[run.FindingTitle()]++
}

func collect(ctx context.Context, a *journal.Archive) (*campaignData, error) {
	f := summary.Follow(a)
	d := &campaignData{archive: a, sum: f.Summary(), configs: make(map[string]*progress), growth: newGrowth()}
	for i := range a.Campaign.Configs {
		cfg := &a.Campaign.Configs[i]
		d.configs[cfg.Name] = &progress{config: cfg, row: &d.sum.Rows[i]}
	}
	_, err := f.Read(func(run *journal.Entry) error {
		d.configs[run.Config.Name].add(run)
		d.grow(run)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for i := range d.sum.Rows {
		if row := &d.sum.Rows[i]; row.Canary != nil {
			d.canaries = append(d.canaries, d.configs[row.Config])
		}
	}
	return d, nil
}

// grow adds a run to the growth of coverage and findings.
func (d *campaignData) grow(run *journal.Entry) {
	protocol := ""
	if cfg := run.Config; !summary.Edited(cfg) {
		protocol = summary.ProtocolOf(d.archive.Campaign, cfg)
	}
	d.growth.add(run, protocol, d.archive.System(run.Config), d.configs[run.ConfigName].row.LastNew == run.Number)
}

// reduced reports whether a finding was reduced, or that was tried.
func (d *campaignData) reduced() bool {
	return slices.ContainsFunc(d.sum.Findings, func(f summary.Finding) bool { return f.Reduction != nil })
}

// findings counts the findings that runs show.
func (d *campaignData) findings() int {
	count := 0
	for i := range d.sum.Findings {
		count += btoi(d.sum.Findings[i].Outcome != sim.Missed)
	}
	return count
}
