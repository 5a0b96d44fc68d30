package mutation

import (
	"fmt"

	"ordeal/sim/slicc/mutate"
)

// realEdits counts, by operator, the edits that take real fixes out of gem5's protocols: of 46
// of the 116 bugs of campaigns/lab/bugs/history.yaml whose protocols could be made with and without
// the fix, whom one or two edits express ("bench bugs").
func realEdits(op mutate.Operator) int {
	switch op {
	case mutate.Set:
		return 16
	case mutate.Delete:
		return 15
	case mutate.Skip:
		return 9
	case mutate.Drop:
		return 7
	case mutate.Replace:
		return 4
	case mutate.Copy:
		return 3
	case mutate.Next:
		return 2
	case mutate.Insert:
		return 1
	}
	return 0
}

// Weighted is the score of operators, in percent, each weighted by the number of edits of real
// fixes that it makes, edits of operators without a mutant that can be killed left out. Used
// are the edits of the operators that count, of so many in all.
func Weighted(results []Result) (percent float64, used, all int) {
	for _, op := range mutate.Operators() {
		all += realEdits(op)
	}
	_, scores := Scores(results, func(r *Result) string { return string(r.Operator) })
	for _, op := range mutate.Operators() {
		if s := scores[string(op)]; s != nil && s.Compared() > 0 {
			percent += float64(realEdits(op)) * s.Percent()
			used += realEdits(op)
		}
	}
	return percent / float64(max(used, 1)), used, all
}

// weightedLine says the weighted score; empty where no operator counts.
func weightedLine(results []Result) string {
	percent, used, all := Weighted(results)
	if used == 0 {
		return ""
	}
	return fmt.Sprintf("score weighted by the operators of gem5's real fixes: %.1f %% (%d of %d edits)\n", percent, used, all)
}
