package html

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"ordeal/campaigns/summary"
)

// caught tells whether some run showed the fault.
func (p *progress) caught() bool { return p.row.Canary.Caught > 0 }

// control tells whether the fault is one that no run can show.
func (p *progress) control() bool { return p.row.Canary.Control != "" }

// wrong tells whether the canary did what it should not.
func (p *progress) wrong() bool {
	fate := p.row.Canary.Fate
	return fate == summary.StatusMissed || fate == summary.StatusFailing
}

// canaryRow is a line of the table of canaries.
type canaryRow struct {
	Name, Fate, Class, About, Known, Seen, Dir string
	Runs, Caught, Otherwise                    int
	First                                      *catchView
}

// catchView is a catch for the template.
type catchView struct {
	Operations int
	At         time.Duration
}

// fates says for people what the fates are, and with which class.
var fates = map[summary.Status][2]string{
	summary.StatusPending: {"open", "none"},
	summary.StatusCaught:  {"caught", "good"},
	summary.StatusMissed:  {"missed", "bad"},
	summary.StatusQuiet:   {"quiet, as it should be", "good"},
	summary.StatusFailing: {"failed, though it cannot", "bad"},
}

func (n *night) canaryRow(p *progress) canaryRow {
	k := p.row.Canary
	r := canaryRow{
		Name: clip(p.row.Config, nameShown), About: clip(k.About, titleShown), Known: clip(k.Known, titleShown), Seen: clip(p.commonest(), titleShown),
		Fate: clip(string(k.Fate), nameShown), Class: "none",
		Runs: p.row.Runs, Caught: k.Caught, Otherwise: k.Otherwise,
	}
	if p.first != nil {
		r.First = &catchView{p.first.operations, p.first.at}
	}
	if f, ok := fates[k.Fate]; ok {
		r.Fate, r.Class = f[0], f[1]
	}
	if p.control() && !p.caught() {
		r.Seen = clip(k.Control, titleShown)
	}
	if dir, err := filepath.Rel(n.archive.Dir, k.Dir); err == nil && k.Dir != "" {
		r.Dir = dir
	}
	return r
}

// commonest is the title that most runs have.
func (p *progress) commonest() string {
	best := ""
	for title, n := range p.titles {
		if best == "" || cmp.Or(n-p.titles[best], cmp.Compare(best, title)) > 0 {
			best = title
		}
	}
	return best
}

// fateCount counts canaries and controls by fate.
type fateCount map[summary.Status]int

func (n *night) fates() fateCount {
	k := make(fateCount)
	for _, c := range n.canaries {
		k[c.row.Canary.Fate]++
	}
	return k
}

// canaries counts the faults that ought to be caught.
func (k fateCount) canaries() int {
	return k[summary.StatusCaught] + k[summary.StatusMissed] + k[summary.StatusPending]
}

// fated names the canaries of a fate.
func (n *night) fated(fate summary.Status) []string {
	var list []string
	for _, c := range n.canaries {
		if c.row.Canary.Fate == fate {
			list = append(list, clip(c.row.Config, nameShown))
		}
	}
	return list
}

// canaryRows are those that did what they should not first.
func (n *night) canaryRows() []canaryRow {
	list := slices.Clone(n.canaries)
	slices.SortStableFunc(list, func(a, b *progress) int { return btoi(b.wrong()) - btoi(a.wrong()) })
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
