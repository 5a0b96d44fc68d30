package html

import (
	"cmp"
	"path/filepath"
	"slices"

	"ordeal/campaigns/engine/summary"
)

// canaryRow is a row of the table of canaries: Seen is the title that most runs have, Dir
// the directory of the first one in that of the campaign.
type canaryRow struct {
	*summary.Canary
	Machine                          machineRow
	Config, Status, Class, Seen, Dir string
	Runs                             int
}

var statuses = map[summary.Status][2]string{
	summary.StatusPending:  {"open", "none"},
	summary.StatusCaught:   {"caught", "good"},
	summary.StatusMissed:   {"missed", "bad"},
	summary.StatusSurvived: {"quiet, as it should be", "good"},
	summary.StatusKilled:   {"failed, though it cannot", "bad"},
}

func (d *campaignData) canaryRow(p *progress) canaryRow {
	k, status := p.row.Canary, statuses[p.row.Canary.Status]
	r := canaryRow{
		Canary: k, Machine: d.machine(p.row.Config), Config: p.row.Config, Status: status[0], Class: status[1], Seen: p.commonest(), Runs: p.row.Runs,
	}
	if k.Control != "" && k.Caught == 0 {
		r.Seen = k.Control
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
