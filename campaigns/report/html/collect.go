package html

import (
	"context"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// night is what a report tells of a campaign.
type night struct {
	archive *journal.Archive
	sum     *summary.Summary
	// tested is the summary of the configurations without planted faults.
	tested   *summary.Summary
	canaries []*progress
	flow     timeline
	// configs counts by configuration what the summary does not.
	configs map[string]*progress
}

// progress is what the runs of a configuration did beside what the summary
// says.
type progress struct {
	config *config.Config
	row    *summary.Row
	// operations are those of the programs that ran, rounds counted: of a run
	// whose log is no history the journal has none.
	operations       int
	search, evidence time.Duration
	// Of a planted fault: the titles of the runs that failed, the first run by
	// number that showed it, and when that was.
	titles map[string]int
	first  *catch
}

// catch is a run that showed a planted fault: the operations of its
// configuration up to there, and when it was recorded.
type catch struct {
	number, operations int
	at                 time.Duration
}

func (p *progress) add(run *journal.Run) {
	p.operations += run.Config.Threads * run.Config.Ops * run.Config.Rounds
	for _, a := range run.Answers {
		p.search += a.Search
		p.evidence += a.Evidence
	}
	if p.config.Bug == nil || !run.Result.Finding() {
		return
	}
	if p.titles == nil {
		p.titles = make(map[string]int)
	}
	p.titles[run.Title]++
	shows := run.Caught() || p.config.Bug.Equivalent != ""
	if shows && (p.first == nil || run.Number < p.first.number) {
		p.first = &catch{run.Number, p.operations, run.At}
	}
}

// collect reads the journal of a campaign.
func collect(ctx context.Context, a *journal.Archive) (*night, error) {
	n := &night{archive: a, configs: make(map[string]*progress)}
	for i := range a.Campaign.Configs {
		cfg := &a.Campaign.Configs[i]
		n.configs[cfg.Name] = &progress{config: cfg}
	}
	var err error
	n.sum, err = summary.ReadEach(a, func(run *journal.Run) error {
		n.configs[run.Config.Name].add(run)
		n.flow.add(run)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	tested := *n.sum
	n.tested, tested.Rows = &tested, nil
	for i := range n.sum.Rows {
		row := &n.sum.Rows[i]
		p := n.configs[row.Config]
		if p.row = row; row.Canary == nil {
			tested.Rows = append(tested.Rows, *row)
		} else {
			n.canaries = append(n.canaries, p)
		}
	}
	return n, nil
}

// findings counts the findings that runs show.
func (n *night) findings() int {
	count := 0
	for i := range n.sum.Findings {
		count += btoi(n.sum.Findings[i].Outcome != sim.Missed)
	}
	return count
}
