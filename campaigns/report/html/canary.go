package html

import (
	"cmp"
	"slices"

	"ordeal/campaigns"
)

// canary is a configuration with a planted fault, and what came of it.
type canary struct {
	config   *campaigns.Config
	progress progress
	seen     seen
	titles   map[string]int
}

// caught tells whether some run failed.
func (c *canary) caught() bool { return c.seen.runs > 0 }

// control tells whether the fault is one that no run can show.
func (c *canary) control() bool { return c.config.Bug.Equivalent != "" }

// wrong tells whether the canary did what it should not: a fault that nobody
// saw though there were runs, or a control that failed.
func (c *canary) wrong() bool {
	return c.caught() == c.control() && (c.caught() || c.progress.runs > 0)
}

// canaryRow is a line of the table of canaries.
type canaryRow struct {
	Name, About, Known, Fate, Class, Title string
	Runs, Hits                             int
	First                                  *sighting
}

func (c *canary) row() canaryRow {
	r := canaryRow{
		Name: clip(c.config.Name, nameShown), About: clip(c.config.Bug.About, titleShown), Known: clip(c.config.Bug.Known, titleShown),
		Runs: c.progress.runs, Hits: c.seen.runs,
	}
	switch {
	case c.progress.runs == 0:
		r.Fate, r.Class = "not run", "none"
	case c.control() && c.caught():
		r.Fate, r.Class = "failed, though it cannot", "bad"
	case c.control():
		r.Fate, r.Class, r.Title = "quiet, as it should be", "good", clip(c.config.Bug.Equivalent, titleShown)
	case c.caught():
		r.Fate, r.Class = "caught", "good"
	default:
		r.Fate, r.Class = "missed", "bad"
	}
	if c.caught() {
		r.First = &c.seen.first
		r.Title = clip(c.commonest(), titleShown)
	}
	return r
}

// commonest is the title that most runs have.
func (c *canary) commonest() string {
	best := ""
	for title, n := range c.titles {
		if best == "" || cmp.Or(n-c.titles[best], cmp.Compare(best, title)) > 0 {
			best = title
		}
	}
	return best
}

// canaryCount counts canaries for the sentence at the top.
type canaryCount struct {
	Faults, Caught, Controls, Quiet int
	Missed, Loud                    []string // names
}

func (n *night) countCanaries() canaryCount {
	var k canaryCount
	for _, c := range n.canaries {
		if c.progress.runs == 0 {
			continue
		}
		name := clip(c.config.Name, nameShown)
		switch {
		case c.control() && c.caught():
			k.Controls++
			k.Loud = append(k.Loud, name)
		case c.control():
			k.Controls++
			k.Quiet++
		case c.caught():
			k.Faults++
			k.Caught++
		default:
			k.Faults++
			k.Missed = append(k.Missed, name)
		}
	}
	return k
}

// canaryRows are those that did what they should not first.
func (n *night) canaryRows() []canaryRow {
	list := slices.Clone(n.canaries)
	slices.SortStableFunc(list, func(a, b *canary) int { return btoi(b.wrong()) - btoi(a.wrong()) })
	var rows []canaryRow
	for _, c := range list[:min(len(list), rowsShown)] {
		rows = append(rows, c.row())
	}
	return rows
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
