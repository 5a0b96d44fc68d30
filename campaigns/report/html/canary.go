package html

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"ordeal/campaigns/engine/summary"
)

type canaryRow struct {
	Machine                                      machineRow
	Name, Status, Class, About, Known, Seen, Dir string
	Runs, Caught, Otherwise                      int
	First                                        *catchView
}

type catchView struct {
	Operations int
	At         time.Duration
}

var statuses = map[summary.Status][2]string{
	summary.StatusPending:  {"open", "none"},
	summary.StatusCaught:   {"caught", "good"},
	summary.StatusMissed:   {"missed", "bad"},
	summary.StatusSurvived: {"quiet, as it should be", "good"},
	summary.StatusKilled:   {"failed, though it cannot", "bad"},
}

func (d *campaignData) canaryRow(p *progress) canaryRow {
	k := p.row.Canary
	r := canaryRow{
		Machine: d.machine(p.row.Config),
		Name:    clip(p.row.Config, nameShown), About: clip(k.About, titleShown), Known: clip(k.Known, titleShown), Seen: clip(p.commonest(), titleShown),
		Status: clip(string(k.Status), nameShown), Class: "none",
		Runs: p.row.Runs, Caught: k.Caught, Otherwise: k.Otherwise,
	}
	if k.Caught > 0 {
		r.First = &catchView{k.Until, k.FirstAt}
	}
	if f, ok := statuses[k.Status]; ok {
		r.Status, r.Class = f[0], f[1]
	}
	if k.Control != "" && k.Caught == 0 {
		r.Seen = clip(k.Control, titleShown)
	}
	if dir, err := filepath.Rel(d.archive.Dir, k.Dir); err == nil && k.Dir != "" {
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

// canaryRows are the rows of the table, missed canaries first.
func (d *campaignData) canaryRows() []canaryRow {
	list := slices.Clone(d.canaries)
	slices.SortStableFunc(list, func(a, b *progress) int { return btoi(b.row.Canary.Wrong()) - btoi(a.row.Canary.Wrong()) })
	var rows []canaryRow
	for _, c := range list[:min(len(list), rowsShown)] {
		rows = append(rows, d.canaryRow(c))
	}
	return rows
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
