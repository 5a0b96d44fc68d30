package compare

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/sim"
)

// Diff is the difference between two campaigns. Lists are in order of
// importance, then of the campaign file.
type Diff struct {
	Old      Side      `json:"old"`
	New      Side      `json:"new"`
	Findings []Finding `json:"findings"`
	// Recurring are the findings that do not differ.
	Recurring []Finding  `json:"recurring"`
	Canaries  []Canary   `json:"canaries"`
	Changed   []Changed  `json:"changed"`
	Coverage  []Coverage `json:"coverage"`
	Speed     []Speed    `json:"speed"`
	Configs   []Config   `json:"configs"`
	Tools     []Tool     `json:"tools"`
	_         struct{}
}

// Side is one of the two campaigns that are compared.
type Side struct {
	Dir        string    `json:"dir"`
	Campaign   string    `json:"campaign"`
	Seed       uint64    `json:"seed"`
	Started    time.Time `json:"started"`
	Runs       int       `json:"runs"`
	Planned    int       `json:"planned"`
	Operations int       `json:"operations"`
}

// Config is a configuration that was added, removed or edited.
type Config struct {
	Config string `json:"config"`
	Change string `json:"change"` // "added", "removed" or "edited"
	Edits  []Edit `json:"edits,omitempty"`
}

// Tool is a tool whose version changed; "" where it was not used.
type Tool struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
	// Commits are between the versions of a protocol, older ones first, if a repository with them is known; Unknown says
	// why they are not.
	Commits []string `json:"commits,omitempty"`
	Unknown string   `json:"unknown,omitempty"`
}

// Between lists the commits of a tool in lines, or why they are not known.
func (t *Tool) Between() []string {
	if t.Unknown != "" {
		return []string{"commits are not known: " + t.Unknown}
	}
	return t.Commits
}

// Compare compares two campaigns, each as far as it has run.
func Compare(old, new *journal.Archive) (*Diff, error) {
	var a, b *campaign
	var group errgroup.Group // reading is nearly all of the work
	group.Go(func() (err error) { a, err = read(old); return err })
	group.Go(func() (err error) { b, err = read(new); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	p := newPair(a, b)
	changed, recurring := p.findings()
	return &Diff{
		Old: a.summary(), New: b.summary(),
		Findings: changed, Recurring: recurring, Canaries: p.canaries(), Changed: p.changed(), Coverage: p.coverage(), Speed: p.speed(),
		Configs: p.configs(), Tools: Tools(a.a.Header.Tools, b.a.Header.Tools),
	}, nil
}

// Change is new, flaky or recurring for a finding of the new campaign, among which
// are missed canaries. It is empty of a nil Diff: there is no old campaign.
func (d *Diff) Change(f *summary.Finding) Change {
	if d == nil {
		return ""
	}
	if f.Outcome == sim.Missed {
		if slices.ContainsFunc(d.Canaries, func(c Canary) bool { return c.Config == f.Configs[0].Config && c.Change == Missed }) {
			return New
		}
		return Recurring
	}
	for _, x := range slices.Concat(d.Findings, d.Recurring) {
		if (summary.FindingKey{Title: x.Title, System: x.System, Outcome: x.Outcome}) == f.Key() {
			return x.Change
		}
	}
	return ""
}

// Gone lists the findings of the old campaign that the new one does not have.
func (d *Diff) Gone() []Finding {
	if d == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(d.Findings), func(f Finding) bool { return f.Change != Gone })
}

// Empty reports whether there is no difference.
func (d *Diff) Empty() bool {
	return len(d.Findings)+len(d.Canaries)+len(d.Changed)+len(d.Coverage)+len(d.Speed)+len(d.Configs)+len(d.Tools) == 0
}

// ExitStatus is campaigns.ExitFinding if there is a new finding that is no known
// issue or a canary newly missed, else campaigns.ExitOK.
func (d *Diff) ExitStatus() int {
	if slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Change == New && f.Known == nil }) ||
		slices.ContainsFunc(d.Canaries, func(c Canary) bool { return c.Change == Missed }) {
		return summary.ExitFinding
	}
	return summary.ExitOK
}

func (n *campaign) summary() Side {
	c, total := n.a.Campaign, n.sum.Total()
	return Side{
		Dir: n.a.Dir, Campaign: c.Name, Seed: c.Seed, Started: n.a.Header.Started, Runs: total.Runs, Planned: c.Runs(), Operations: total.Operations,
	}
}

// pair is two campaigns, configuration by configuration.
type pair struct {
	old, new *campaign
	names    []string // of configurations of either, in the order of the files
}

func newPair(old, new *campaign) *pair {
	p := &pair{old: old, new: new}
	for _, n := range []*campaign{new, old} {
		for i := range n.a.Campaign.Configs {
			if name := n.a.Campaign.Configs[i].Name; !slices.Contains(p.names, name) {
				p.names = append(p.names, name)
			}
		}
	}
	return p
}

// both returns the configurations of a name; ok if both campaigns have it.
func (p *pair) both(name string) (old, new *configRuns, ok bool) {
	old, new = p.old.configs[name], p.new.configs[name]
	return old, new, old != nil && new != nil
}

// alike returns the configurations of a name; ok if both campaigns have it with
// the same settings.
func (p *pair) alike(name string) (old, new *configRuns, ok bool) {
	old, new, ok = p.both(name)
	return old, new, ok && slices.Equal(old.settings, new.settings)
}

func (p *pair) configs() []Config {
	list := []Config{}
	for _, name := range p.names {
		old, new, ok := p.both(name)
		switch {
		case old == nil:
			list = append(list, Config{Config: name, Change: "added"})
		case new == nil:
			list = append(list, Config{Config: name, Change: "removed"})
		case ok:
			changes := edits(old.settings, new.settings)
			if (old.Bug != nil) != (new.Bug != nil) {
				changes = append(changes, Edit{"canary", fmt.Sprint(old.Bug != nil), fmt.Sprint(new.Bug != nil)})
			}
			if len(changes) > 0 {
				list = append(list, Config{name, "edited", changes})
			}
		}
	}
	return list
}

// Tools lists the tools whose versions differ, by name.
func Tools(old, new map[string]string) []Tool {
	all := make(map[string]string)
	maps.Copy(all, old)
	maps.Copy(all, new)
	list := []Tool{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if old[name] != new[name] {
			list = append(list, Tool{Name: name, Old: old[name], New: new[name]})
		}
	}
	return list
}
