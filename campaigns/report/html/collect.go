package html

import (
	"cmp"
	"context"
	"time"

	"ordeal/campaigns"
	"ordeal/sim"
)

// night is what a report tells of a campaign.
type night struct {
	archive *campaigns.Archive
	sum     *campaigns.Summary
	// tested is the summary of the configurations without planted faults.
	tested   *campaigns.Summary
	canaries []*canary
	flow     timeline
	// configs counts by configuration what the summary does not.
	configs map[string]*progress
}

// progress is how far a configuration has come.
type progress struct {
	config     *campaigns.Config
	row        *campaigns.Row
	runs       int
	operations int
	search     time.Duration
	evidence   time.Duration
}

// collect reads the journal of a campaign.
func collect(ctx context.Context, a *campaigns.Archive) (*night, error) {
	n := &night{archive: a, configs: make(map[string]*progress)}
	var err error
	if n.sum, err = a.Summary(); err != nil {
		return nil, err
	}
	tested := *n.sum
	n.tested, tested.Rows = &tested, nil
	canaries := make(map[string]*canary)
	for i := range n.sum.Rows { // in the order of the file
		row, cfg := &n.sum.Rows[i], &a.Campaign.Configs[i]
		n.configs[cfg.Name] = &progress{config: cfg, row: row}
		if row.Canary == nil {
			tested.Rows = append(tested.Rows, *row)
			continue
		}
		c := &canary{name: cfg.Name, row: row, titles: make(map[string]int)}
		canaries[cfg.Name] = c
		n.canaries = append(n.canaries, c)
	}
	for e, err := range a.Entries() {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		p := n.configs[e.Config]
		p.add(e)
		n.flow.add(e)
		if c := canaries[e.Config]; c != nil && e.Finding() {
			c.add(e, p)
		}
	}
	return n, nil
}

func (p *progress) add(e *campaigns.Entry) {
	p.runs++
	p.operations += e.Operations
	for _, a := range e.Answers {
		p.search += a.Search
		p.evidence += a.Evidence
	}
}

// findings counts the findings that runs show.
func (n *night) findings() int {
	count := 0
	for i := range n.sum.Findings {
		count += btoi(n.sum.Findings[i].Outcome != sim.Missed)
	}
	return count
}
