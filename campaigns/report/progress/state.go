package progress

import (
	"fmt"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
)

// Covered is how much of the table of a protocol all runs of a campaign took.
type Covered struct {
	Protocol string `json:"protocol"`
	Taken    int    `json:"taken"`
	// Of is the size of the table; 0 where it is not known.
	Of int `json:"of,omitempty"`
}

// coverageEvery is the time between sums of the coverage, which are slow.
const coverageEvery = time.Second

// countEvery is the time between sums of the rows, which take longer than recording
// a short run.
const countEvery = 100 * time.Millisecond

// note counts a run, and says of the first run of a finding what was found.
func (p *Status) note(s *summary.Summary, run *journal.Entry, now time.Time) (found string) {
	p.Runs, p.Operations = p.Runs+1, p.Operations+run.Operations
	if now.Sub(p.counted) >= countEvery {
		p.count(s)
		p.counted = now
	}
	p.Spent, p.noted = s.Elapsed, now
	p.pace.add(sample{now, p.Runs, p.Operations}, run.Operations)
	p.stale = p.stale || run.Covered != nil && run.Covered.New > 0
	if p.stale && now.Sub(p.covering) >= coverageEvery {
		p.Coverage, p.stale, p.covering = coverageOf(p.campaign, s), false, now
	}
	return p.noteFindings(s, run, now)
}

// count counts runs by their outcomes, and canaries.
func (p *Status) count(s *summary.Summary) {
	total := s.Total()
	p.Runs, p.Operations, p.Planned = total.Runs, total.Operations, s.Planned
	p.Outcomes = make(map[string]int)
	canaries := s.Canaries()
	p.Canaries, p.Caught, p.Missed = canaries.Of(), canaries.Caught(), append([]string{}, canaries[summary.StatusMissed]...)
	for i := range s.Rows {
		r := &s.Rows[i]
		switch k := r.Canary; {
		case k != nil && k.Control == "":
			p.Outcomes[sim.Infra.String()] += r.Outcomes[sim.Infra]
		default:
			for o, n := range r.Outcomes {
				p.Outcomes[o.String()] += n
			}
		}
	}
}

// noteFinding notes a run of a finding that was recorded at a time.
func (p *Status) noteFinding(run *journal.Entry, at time.Time) {
	p.last, p.lastAt = fmt.Sprintf("%s; run %d of %s", run.Outcome.Titled(messages.EscapeLine(run.FindingTitle())), run.Number, run.Config.Name), at
}

// noteFindings looks whether a run is one of a finding.
func (p *Status) noteFindings(s *summary.Summary, run *journal.Entry, now time.Time) string {
	before := p.found
	p.found = len(s.Findings)
	if run.Finding() {
		p.noteFinding(run, now)
	}
	if p.found == 0 {
		return ""
	}
	f := &s.Findings[p.found-1]
	fresh := p.found > before
	if before < 0 {
		// Earlier sessions may have found it.
		fresh = f.Last == run.Number && f.First == run.Number
	}
	if !fresh {
		return ""
	}
	text := fmt.Sprintf("finding: run %d of seed %d: %s", f.First, s.Seed, f.Outcome.Titled(messages.EscapeLine(f.Title)))
	if f.Dir != "" {
		return text + ", in " + messages.EscapeLine(f.Dir)
	}
	p.last, p.lastAt = f.Outcome.Titled(messages.EscapeLine(f.Title)), now
	return text
}

// coverageOf is what all kinds of run took of each protocol, of what is not proven
// unreachable.
func coverageOf(c *config.Campaign, s *summary.Summary) []Covered {
	list := []Covered{}
	for _, p := range s.Protocols(c) {
		if p.Edited {
			continue
		}
		one := Covered{Protocol: p.Name, Taken: p.Reachable.Taken()}
		if p.Whole {
			one.Of = len(p.Reachable)
		}
		list = append(list, one)
	}
	return list
}

// sample is how far a campaign was at a time.
type sample struct {
	at         time.Time
	runs       int
	operations int
}

// samples are those of the last minute, some seconds apart.
type samples []sample

// The time that rates are of, and that between samples.
const (
	rateOver  = time.Minute
	rateEvery = time.Second
)

// add counts a sample. The first run of a session is worth its own operations.
func (s *samples) add(now sample, operations int) {
	if len(*s) == 0 {
		*s = append(*s, sample{now.at, now.runs - 1, now.operations - operations})
	}
	n := len(*s)
	if n > 1 && now.at.Sub((*s)[n-2].at) < rateEvery {
		(*s)[n-1] = now
	} else {
		*s = append(*s, now)
	}
	for len(*s) > 2 && now.at.Sub((*s)[1].at) > rateOver {
		*s = (*s)[1:]
	}
}

// rates are runs and operations a second; false where there is nothing to
// tell from yet.
func (s samples) rates() (runs, operations float64, ok bool) {
	if len(s) < 2 {
		return 0, 0, false
	}
	first, last := s[0], s[len(s)-1]
	seconds := last.at.Sub(first.at).Seconds()
	if seconds < 0.5 {
		return 0, 0, false
	}
	return float64(last.runs-first.runs) / seconds, float64(last.operations-first.operations) / seconds, true
}
