package html

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/compare"
)

// sinceView is what changed since an earlier campaign.
type sinceView struct {
	Dir, Started string
	Counts       []tile
	Rows         []sinceRow
	More         int
}

// sinceRow is a finding or a canary of either campaign.
type sinceRow struct {
	Mark, Class, Title, System, Old, New, Chance string
	// ID is that of the finding in this page; empty if it has none.
	ID string
}

// markClasses are the tones of marks; others have none.
var markClasses = map[string]string{"new": "bad", "missed": "bad", "fixed": "good", "caught again": "good", "flaky": "open", "harder": "open"}

// mark is the word for the change of a finding.
func mark(f *compare.Finding) string {
	switch {
	case f.Fixed():
		return "fixed"
	case f.Change == compare.Gone:
		return "not seen"
	}
	return string(f.Change)
}

// since makes the view; ids finds the findings of the page.
func (p *page) since(ids map[string]string) *sinceView {
	b := p.baseline
	if b == nil {
		return nil
	}
	v := &sinceView{Dir: clip(filepath.Base(b.Old.Dir), nameShown)}
	if !b.Old.Started.IsZero() {
		v.Started = b.Old.Started.UTC().Format(time.DateTime) + " UTC"
	}
	counts := make(map[string]int)
	add := func(r sinceRow) {
		counts[r.Mark]++
		r.Class = markClasses[r.Mark]
		if len(v.Rows) == rowsShown {
			v.More++
			return
		}
		v.Rows = append(v.Rows, r)
	}
	for _, f := range slices.Concat(b.Findings, b.Recurring) {
		r := sinceRow{
			Mark: mark(&f), Title: clip(f.Outcome.Titled(f.Title), titleShown), System: clip(f.System, titleShown),
			Old: rate(f.Old.Runs, f.Old.Of), New: rate(f.New.Runs, f.New.Of), ID: ids[f.Outcome.Titled(f.Title)+"\n"+f.System],
		}
		if f.P != nil {
			r.Chance = chance(*f.P)
		}
		if f.Repeated > 0 {
			r.Chance = strings.TrimPrefix(r.Chance+fmt.Sprintf(", %d of %d runs recur", f.Recurred, f.Repeated), ", ")
		}
		add(r)
	}
	for _, c := range b.Canaries {
		r := sinceRow{Mark: string(c.Change), Title: "canary " + clip(c.Config, nameShown), Old: "–", New: rate(c.New.Caught, c.New.Runs)}
		if c.Old != nil {
			r.Old = rate(c.Old.Caught, c.Old.Runs)
		}
		if c.P != nil {
			r.Chance = chance(*c.P)
		}
		add(r)
	}
	for _, m := range []struct{ mark, name string }{{"new", "new"}, {"recurring", "recurring"}, {"flaky", "flaky"}, {"fixed", "fixed"}, {"not seen", "not seen again"}, {"missed", "canaries newly missed"}} {
		n := counts[m.mark]
		class := ""
		if n > 0 {
			class = markClasses[m.mark]
		}
		if n > 0 || m.mark == "new" || m.mark == "recurring" || m.mark == "fixed" {
			v.Counts = append(v.Counts, tile{messages.Comma(n), m.name, class})
		}
	}
	return v
}

func rate(runs, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%s of %s runs", messages.Comma(runs), messages.Comma(of))
}

// chance is the probability that two rates differ by chance.
func chance(p float64) string {
	if p < 0.0001 {
		return "p < 0.0001"
	}
	return fmt.Sprintf("p = %.2g", p)
}
