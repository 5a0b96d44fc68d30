package html

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"ordeal/campaigns"
)

// canary is a configuration with a planted fault, and what came of it.
type canary struct {
	name   string
	row    *campaigns.Row
	titles map[string]int // of the runs that failed
	// at and operations are when the first run to show the fault was recorded,
	// and the operations of the configuration up to there.
	at         time.Duration
	operations int
}

// add notes a run that failed.
func (c *canary) add(e *campaigns.Entry, p *progress) {
	c.titles[e.Title]++
	if k := c.row.Canary; k.Caught > 0 && e.Number == k.First {
		c.at, c.operations = e.At, p.operations
	}
}

// caught tells whether some run showed the fault.
func (c *canary) caught() bool { return c.row.Canary.Caught > 0 }

// control tells whether the fault is one that no run can show.
func (c *canary) control() bool { return c.row.Canary.Control != "" }

// wrong tells whether the canary did what it should not.
func (c *canary) wrong() bool {
	fate := c.row.Canary.Fate
	return fate == campaigns.FateMissed || fate == campaigns.FateLoud
}

// canaryRow is a line of the table of canaries.
type canaryRow struct {
	Name, Fate, Class, About, Known, Seen, Dir string
	Runs, Caught, Otherwise                    int
	First                                      bool // whether the next two say something
	Operations                                 int
	At                                         time.Duration
}

// fates says for people what the fates are, and with which class.
var fates = map[campaigns.Fate][2]string{
	campaigns.FateOpen:   {"open", "none"},
	campaigns.FateCaught: {"caught", "good"},
	campaigns.FateMissed: {"missed", "bad"},
	campaigns.FateQuiet:  {"quiet, as it should be", "good"},
	campaigns.FateLoud:   {"failed, though it cannot", "bad"},
}

func (n *night) canaryRow(c *canary) canaryRow {
	k := c.row.Canary
	r := canaryRow{
		Name: clip(c.name, nameShown), About: clip(k.About, titleShown), Known: clip(k.Known, titleShown), Seen: clip(c.commonest(), titleShown),
		Fate: clip(string(k.Fate), nameShown), Class: "none",
		Runs: c.row.Runs, Caught: k.Caught, Otherwise: k.Otherwise, First: k.Caught > 0, Operations: c.operations, At: c.at,
	}
	if f, ok := fates[k.Fate]; ok {
		r.Fate, r.Class = f[0], f[1]
	}
	if c.control() && !c.caught() {
		r.Seen = clip(k.Control, titleShown)
	}
	if dir, err := filepath.Rel(n.archive.Dir, k.Dir); err == nil && k.Dir != "" {
		r.Dir = dir
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

// fateCount counts canaries and controls by fate.
type fateCount map[campaigns.Fate]int

func (n *night) fates() fateCount {
	k := make(fateCount)
	for _, c := range n.canaries {
		k[c.row.Canary.Fate]++
	}
	return k
}

// canaries counts the faults that ought to be caught.
func (k fateCount) canaries() int {
	return k[campaigns.FateCaught] + k[campaigns.FateMissed] + k[campaigns.FateOpen]
}

// fated names the canaries of a fate.
func (n *night) fated(fate campaigns.Fate) []string {
	var list []string
	for _, c := range n.canaries {
		if c.row.Canary.Fate == fate {
			list = append(list, clip(c.name, nameShown))
		}
	}
	return list
}

// canaryRows are those that did what they should not first.
func (n *night) canaryRows() []canaryRow {
	list := slices.Clone(n.canaries)
	slices.SortStableFunc(list, func(a, b *canary) int { return btoi(b.wrong()) - btoi(a.wrong()) })
	var rows []canaryRow
	for _, c := range list[:min(len(list), rowsShown)] {
		rows = append(rows, n.canaryRow(c))
	}
	return rows
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
