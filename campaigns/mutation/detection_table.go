package mutation

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/campaigns/internal/messages"
)

// detectionColumns are the columns of tables of detections.
var detectionColumns = []any{"bug", "in", "caught", "by", "median", "most", "known as"}

// row is a detection's line: the machine, how many seeds caught the bug, by which
// outcomes, after how many operations, and its name in papers.
func (d *Detection) row() []any {
	var s Score
	var outcomes []string
	for _, t := range d.Seeds {
		if !t.Killed {
			s.Censored++
			continue
		}
		s.Ops = append(s.Ops, t.Ops)
		outcomes = append(outcomes, t.By)
	}
	slices.Sort(s.Ops)
	slices.Sort(outcomes)
	by := strings.Join(slices.Compact(outcomes), ", ")
	if d.Bug.Equivalent != "" {
		by = "never, as expected: " + d.Bug.Equivalent
	}
	if d.Bug.Budget > 0 {
		by += fmt.Sprintf(" (rare: within %d)", d.Bug.Budget)
	}
	return []any{
		d.Name, d.Machine.Protocol + ", " + d.Machine.Core, fmt.Sprintf("%d of %d", d.Hits(), len(d.Seeds)), by,
		s.quantile(0.5), s.quantile(1), d.Bug.Known,
	}
}

// DetectionTable is the table of detections.
func DetectionTable(list []*Detection) *messages.Table {
	t := &messages.Table{Header: detectionColumns, Left: []int{1, 3, 6}}
	for _, d := range list {
		t.Rows = append(t.Rows, d.row())
	}
	return t
}
