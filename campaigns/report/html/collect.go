package html

import (
	"context"
	"slices"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/sim"
)

// campaignData is what a page shows of a campaign.
type campaignData struct {
	archive *journal.Archive
	sum     *summary.Summary
	// tested is the summary of the configurations without injected bugs.
	tested   *summary.Summary
	canaries []*progress
	flow     timeline
	growth   growth
	// configs counts by configuration what the summary does not.
	configs map[string]*progress
}

// progress adds to the summary of a configuration what only its runs say.
type progress struct {
	config *config.Config
	row    *summary.Row
	// operations are those of the programs that ran.
	operations       int
	search, evidence time.Duration
	// Of a canary: the number of failed runs by title, and the first run by
	// number that showed its bug.
	titles map[string]int
	first  *catch
}

// catch is a run that showed an injected bug: the operations of its
// configuration up to it, and when it was recorded.
type catch struct {
	number, operations int
	at                 time.Duration
}

func (p *progress) add(run *journal.Entry) {
	p.operations += run.Config.Operations()
	for _, a := range run.Answers {
		p.search += a.Search
		p.evidence += a.Evidence
	}
	if p.config.Bug == nil || !run.Failed() {
		return
	}
	if p.titles == nil {
		p.titles = make(map[string]int)
	}
	p.titles[run.FindingTitle()]++
	shows := run.Caught() || p.config.Bug.Equivalent != ""
	if shows && (p.first == nil || run.Number < p.first.number) {
		p.first = &catch{run.Number, p.operations, run.At}
	}
}

func collect(ctx context.Context, a *journal.Archive) (*campaignData, error) {
	d := &campaignData{archive: a, configs: make(map[string]*progress), growth: newGrowth()}
	for i := range a.Campaign.Configs {
		cfg := &a.Campaign.Configs[i]
		d.configs[cfg.Name] = &progress{config: cfg}
	}
	var err error
	d.sum, err = summary.ReadEach(a, func(run *journal.Entry) error {
		d.configs[run.Config.Name].add(run)
		d.flow.add(run)
		d.grow(run)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	tested := *d.sum
	d.tested, tested.Rows = &tested, nil
	for i := range d.sum.Rows {
		row := &d.sum.Rows[i]
		p := d.configs[row.Config]
		if p.row = row; row.Canary == nil {
			tested.Rows = append(tested.Rows, *row)
		} else {
			d.canaries = append(d.canaries, p)
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
	d.growth.add(run, protocol, d.archive.System(run.Config))
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
