package html

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ordeal/campaigns"
	"ordeal/sim"
)

// night is what the journal of a campaign tells, added up.
type night struct {
	archive *campaigns.Archive
	sum     *campaigns.Summary
	// ended is the campaign's own closing summary; nil where it has none,
	// being under way or killed.
	ended *campaigns.Summary
	// findings are in the order of the summary, without those that only
	// canaries show.
	findings []*finding
	canaries []*canary
	flow     timeline
	// configs counts by configuration.
	configs map[string]*progress
}

// progress is how far a configuration has come.
type progress struct {
	config     *campaigns.Config
	runs       int
	operations int
	search     time.Duration
	evidence   time.Duration
}

// sighting is a run that showed something.
type sighting struct {
	Number int
	At     time.Duration // of the campaign
	// Runs and Operations are those that the configuration had made by then,
	// that one included.
	Runs, Operations int
}

// seen is how often and when something showed.
type seen struct {
	runs        int
	first, last sighting
	configs     map[string]int
	kept        []int // numbers of the first runs whose directories are there
	outcome     sim.Outcome
}

// keptShown bounds seen.kept.
const keptShown = 32

func (s *seen) add(e *campaigns.Entry, p *progress) {
	at := sighting{e.Number, e.At, p.runs, p.operations}
	if s.runs == 0 || cmp.Or(cmp.Compare(at.At, s.first.At), at.Number-s.first.Number) < 0 {
		s.first = at
	}
	if s.runs == 0 || cmp.Or(cmp.Compare(at.At, s.last.At), at.Number-s.last.Number) > 0 {
		s.last = at
	}
	if s.configs == nil {
		s.configs = make(map[string]int)
	}
	s.runs++
	s.configs[e.Config]++
	s.outcome = e.Outcome
	if e.Kept {
		i, _ := slices.BinarySearch(s.kept, e.Number)
		s.kept = slices.Insert(s.kept, i, e.Number)
		s.kept = s.kept[:min(len(s.kept), keptShown)]
	}
}

// collect reads the journal of a campaign.
func collect(ctx context.Context, a *campaigns.Archive) (*night, error) {
	n := &night{archive: a, configs: make(map[string]*progress)}
	var err error
	if n.sum, err = a.Summary(); err != nil {
		return nil, err
	}
	if n.ended, err = closing(a.Dir); err != nil {
		return nil, err
	}
	canaries := make(map[string]*canary)
	for i := range a.Campaign.Configs {
		cfg := &a.Campaign.Configs[i]
		n.configs[cfg.Name] = &progress{config: cfg}
		if cfg.Bug != nil {
			c := &canary{config: cfg, titles: make(map[string]int)}
			canaries[cfg.Name] = c
			n.canaries = append(n.canaries, c)
		}
	}
	findings := make(map[string]*seen)
	for e, err := range a.Entries() {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		p := n.configs[e.Config]
		p.add(e)
		n.flow.add(e)
		if !e.Finding() {
			continue
		}
		if c := canaries[e.Config]; c != nil {
			c.seen.add(e, p)
			c.titles[e.Title]++
			continue
		}
		if findings[e.Title] == nil {
			findings[e.Title] = new(seen)
		}
		findings[e.Title].add(e, p)
	}
	for _, c := range n.canaries {
		c.progress = *n.configs[c.config.Name]
	}
	n.findings = gather(n.sum, findings)
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

// closing reads the summary that a campaign leaves at its end.
func closing(dir string) (*campaigns.Summary, error) {
	path := filepath.Join(dir, "summary.json")
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	s := new(campaigns.Summary)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return s, nil
}
