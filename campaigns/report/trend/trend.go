// Package trend sets many campaigns of the same name side by side, in the order of time:
// findings, coverage, rate and canaries.
package trend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/report/compare"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// Trends are what campaign trend prints as JSON.
type Trends struct {
	Trends []*Trend `json:"trends"`
}

// Trend is the campaigns of one name.
type Trend struct {
	Campaign string  `json:"campaign"`
	Points   []Point `json:"points"` // by time
	// Findings are in the order in which they were first seen.
	Findings []Finding `json:"findings"`
	// Canaries are in the order of the latest campaign that has each.
	Canaries []Canary `json:"canaries,omitempty"`
	_        struct{}
}

// Point is one campaign.
type Point struct {
	Dir     string      `json:"dir"`
	Started time.Time   `json:"started"`
	Seed    uint64      `json:"seed"`
	End     journal.End `json:"end,omitempty"` // empty while it runs, and after a kill
	Runs    int         `json:"runs"`
	Planned int         `json:"planned"`
	// Operations are those of all runs, Rate the operations a second of the time that
	// the runs took.
	Operations int     `json:"operations"`
	Rate       float64 `json:"operations_per_second"`
	// Findings counts those that are no known issue, New those of them that no earlier
	// campaign has, Gone those of the campaign before that this one has not.
	Findings int `json:"findings"`
	New      int `json:"new"`
	Gone     int `json:"gone"`
	Known    int `json:"known"`
	// Caught of Canaries injected bugs were caught; negative controls do not count.
	Caught   int `json:"caught"`
	Canaries int `json:"canaries"`
	// Taken of Transitions of the protocols' tables were taken, without those of
	// configurations with injected bugs. Transitions is 0 where no whole table is
	// known.
	Taken       int `json:"taken"`
	Transitions int `json:"transitions,omitempty"`
	_           struct{}
}

// Finding is a finding of some of the campaigns.
type Finding struct {
	Outcome sim.Outcome `json:"outcome"`
	Title   string      `json:"title"`
	System  string      `json:"system"`
	Known   bool        `json:"known,omitempty"` // in the last campaign that has it
	// Runs counts the runs of each campaign that show it.
	Runs []int `json:"runs"`
	// Since says what is new in the first campaign that has it; nil if that is the first of all.
	Since *Since `json:"since,omitempty"`
}

// Since is the first campaign that has a finding, by number from 1, and the tools and protocols of other versions than in
// the campaign before it.
type Since struct {
	Campaign int            `json:"campaign"`
	Tools    []compare.Tool `json:"tools"`
}

// Canary is an injected bug, and what became of it in each campaign.
type Canary struct {
	Config string           `json:"config"`
	Status []summary.Status `json:"status"` // empty where the campaign does not have it
}

// Find lists the directories of campaigns: those named, and those in directories that
// are named.
func Find(dirs []string) ([]string, error) {
	var list []string
	for _, dir := range dirs {
		found, err := journal.Find(run.Resolve(dir))
		if err != nil {
			return nil, fmt.Errorf("find campaigns: %w", err)
		}
		list = append(list, found...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no campaign in %s", strings.Join(dirs, ", "))
	}
	return list, nil
}

// one is a campaign that was read.
type one struct {
	archive *journal.Archive
	sum     *summary.Summary
}

// Read reads campaigns, and makes a trend of each name among them, in the order of the
// names. OnError is called with campaigns that cannot be read.
func Read(dirs []string, onError func(error)) []*Trend {
	byName := make(map[string][]one)
	for _, dir := range dirs {
		a, err := journal.Open(dir)
		var s *summary.Summary
		if err == nil {
			s, err = summary.Recorded(a)
		}
		if err != nil {
			onError(err)
			continue
		}
		byName[s.Campaign] = append(byName[s.Campaign], one{a, s})
	}
	var list []*Trend
	for name, all := range byName {
		slices.SortStableFunc(all, func(x, y one) int {
			return cmp.Or(x.archive.Header.Started.Compare(y.archive.Header.Started), strings.Compare(x.archive.Dir, y.archive.Dir))
		})
		list = append(list, newTrend(name, all))
	}
	slices.SortFunc(list, func(x, y *Trend) int { return strings.Compare(x.Campaign, y.Campaign) })
	return list
}

func newTrend(name string, all []one) *Trend {
	t := &Trend{Campaign: name, Findings: []Finding{}}
	at := make(map[summary.FindingKey]int)
	since := make([]*Since, len(all))
	for i, c := range all {
		if i > 0 {
			since[i] = &Since{Campaign: i + 1, Tools: compare.Tools(all[i-1].archive.Header.Tools, c.archive.Header.Tools)}
		}
		p := newPoint(&c)
		for k := range c.sum.Findings {
			f := &c.sum.Findings[k]
			x, ok := at[f.Key()]
			if !ok {
				x = len(t.Findings)
				at[f.Key()] = x
				t.Findings = append(t.Findings, Finding{Outcome: f.Outcome, Title: f.Title, System: f.System, Runs: make([]int, len(all)), Since: since[i]})
			}
			t.Findings[x].Runs[i], t.Findings[x].Known = f.Runs, f.Known != nil
			switch {
			case f.Known != nil:
				p.Known++
			default:
				if p.Findings++; !ok {
					p.New++
				}
			}
		}
		for k := range t.Findings {
			if i > 0 && t.Findings[k].Runs[i-1] > 0 && t.Findings[k].Runs[i] == 0 {
				p.Gone++
			}
		}
		t.Points = append(t.Points, p)
	}
	t.canaries(all)
	return t
}

func newPoint(c *one) Point {
	s, total := c.sum, c.sum.Total()
	p := Point{
		Dir: c.archive.Dir, Started: c.archive.Header.Started, Seed: s.Seed, End: c.archive.Header.End, Runs: total.Runs, Planned: s.Planned,
		Operations: total.Operations, Rate: float64(total.Operations) / s.Spent().Seconds(), Caught: s.Canaries().Caught(), Canaries: s.Canaries().Of(),
	}
	whole := true
	for _, x := range s.Protocols(c.archive.Campaign) {
		if !x.Edited {
			p.Taken += x.Reachable.Taken()
			p.Transitions += len(x.Reachable)
			whole = whole && x.Whole
		}
	}
	if !whole {
		p.Transitions = 0
	}
	return p
}

// canaries lists what became of the injected bugs.
func (t *Trend) canaries(all []one) {
	at := make(map[string]int)
	for i := len(all) - 1; i >= 0; i-- {
		for _, r := range all[i].sum.Rows {
			if r.Canary == nil {
				continue
			}
			k, ok := at[r.Config]
			if !ok {
				k = len(t.Canaries)
				at[r.Config] = k
				t.Canaries = append(t.Canaries, Canary{r.Config, make([]summary.Status, len(all))})
			}
			t.Canaries[k].Status[i] = r.Canary.Status
		}
	}
}

// gone reports whether the last campaign does not show the finding.
func (f *Finding) gone() bool { return f.Runs[len(f.Runs)-1] == 0 }
