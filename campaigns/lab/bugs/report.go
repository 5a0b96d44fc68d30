package bugs

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
)

// Report is the results of a measurement.
type Report struct {
	Version int       `json:"version"`
	Results []*Result `json:"results"`
	// Recall is the share found of the bugs that can be seen and whose protocol can
	// be made and simulated, of which there are Searched; Low and High are its
	// 95 % confidence interval.
	Found    int     `json:"found"`
	Searched int     `json:"searched"`
	Recall   float64 `json:"recall"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	_        struct{}
}

// NewReport adds results up.
func NewReport(results []*Result) *Report {
	r := &Report{Version: resultVersion, Results: results}
	for _, x := range results {
		switch x.Status {
		case Found:
			r.Found++
			r.Searched++
		case Missed, Repeated:
			r.Searched++
		}
	}
	if r.Searched > 0 {
		r.Recall = float64(r.Found) / float64(r.Searched)
		r.Low, r.High = summary.Wilson(r.Found, r.Searched)
	}
	return r
}

// WriteText writes the report for a terminal of a number of columns; 0 means any.
func (r *Report) WriteText(w io.Writer, columns int) error {
	var b strings.Builder
	all := &messages.Table{Header: []any{"bug", "protocol", "result", "engine", "CPU", "operations", "steps", "witness", "finding or reason"}, Left: []int{1, 2, 3, 8}}
	for _, x := range r.Results {
		row := []any{x.Bug.ID, x.Bug.Protocol, x.Status, "", "", "", "", "", ""}
		switch f := x.Finding; {
		case f != nil:
			witness := ""
			if x.Witness > 0 {
				witness = fmt.Sprint(x.Witness)
			}
			row = append(row[:3], f.Engine, seconds(f.CPU), messages.Comma(int(f.Operations)), messages.Comma(int(f.Steps)), witness, cut(f.Title))
		case x.Reason != "":
			row[8] = cut(x.Reason)
		case x.Status == Missed:
			row = append(row[:3], "", seconds(x.CPU), messages.Comma(int(x.Operations)), messages.Comma(int(x.Steps)), "", "needs "+cmp.Or(strings.Join(x.Bug.Needs, ", "), "loads and stores"))
		case x.Bug.Equivalent != "":
			row[8] = cut(x.Bug.Equivalent)
		}
		all.Rows = append(all.Rows, row)
	}
	for _, t := range []*messages.Table{
		all, r.table("protocol", func(b *Bug) string { return b.Protocol }), r.table("cause", func(b *Bug) string { return b.Cause }),
	} {
		b.WriteString(t.Fit(columns) + "\n")
	}
	if r.Searched > 0 {
		fmt.Fprintf(&b, "found %d of %d: recall %.0f %% (95 %% confidence: %.0f to %.0f %%)\n", r.Found, r.Searched, 100*r.Recall, 100*r.Low, 100*r.High)
		if times := r.times(); len(times) > 0 {
			fmt.Fprintf(&b, "CPU time to find: median %.1f s, most %.1f s\n", times[len(times)/2], times[len(times)-1])
		}
	}
	r.repairs(&b, columns)
	r.proposed(&b, columns)
	_, err := io.WriteString(w, b.String())
	return err
}

// repairs writes which proposals are as good as the fixes.
func (r *Report) repairs(b *strings.Builder, columns int) {
	t := &messages.Table{Header: []any{"bug", "edits tried", "passes its audit", "first proposal"}, Left: []int{3}}
	good := 0
	for _, x := range r.Results {
		if x.Repaired == nil {
			continue
		}
		passes := "-"
		if x.Repaired.Passes > 0 {
			good++
			passes = fmt.Sprintf("proposal %d", x.Repaired.Passes)
		}
		first := x.Repaired.Reason
		if len(x.Repaired.Proposals) > 0 {
			first = strings.TrimSuffix(x.Repaired.Proposals[0]+"; "+x.Repaired.Reason, "; ")
		}
		t.Rows = append(t.Rows, []any{x.Bug.ID, x.Repaired.Tried, passes, cut(first)})
	}
	if len(t.Rows) > 0 {
		fmt.Fprintf(b, "\n%s%d of %d bugs have a repair as good as the fix among the first %d proposals\n", t.Fit(columns), good, len(t.Rows), proposals)
	}
}

// proposed writes what the proposed repairs of bugs that are still there were checked by,
// and at which latencies these bugs show.
func (r *Report) proposed(b *strings.Builder, columns int) {
	t := &messages.Table{Header: []any{"bug", "shows", "latencies near gem5's", "witness", "repair", "new in the audit of the repaired protocol"}, Left: []int{1, 2, 4, 5}}
	pass, proposals := 0, 0
	for _, x := range r.Results {
		if x.Finding == nil || !x.Bug.Unfixed() {
			continue
		}
		shows, near, repair, more := "unmodified", "", "none", ""
		if x.Alone {
			shows = "with the others repaired"
		}
		if f := x.Finding; f.Tries > 0 {
			near = fmt.Sprintf("%d of %d seeds", f.Faithful, f.Tries)
		} else if x.Status == Repeated && f.Explore == nil {
			near = "its run has them"
		}
		if p := x.Proposed; p != nil {
			proposals++
			switch {
			case p.Passes() && len(p.Hidden) > 0:
				repair, more = "passes", "not known: "+strings.Join(p.Hidden, "; ")
				pass++
			case p.Passes():
				repair, pass = "passes", pass+1
			case p.Reason != "":
				repair, more = "refused", p.Reason
			case !p.Gone:
				repair, more = "still shows", strings.Join(p.New, "; ")
			default:
				repair, more = "new findings", strings.Join(p.New, "; ")
			}
			if len(p.Without) > 0 {
				more = strings.TrimSuffix("checked without "+strings.Join(p.Without, ", ")+"; "+more, "; ")
			}
		}
		t.Rows = append(t.Rows, []any{x.Bug.ID, shows, near, x.Witness, repair, cut(more)})
	}
	if len(t.Rows) > 0 {
		fmt.Fprintf(b, "\n%s%d of %d proposed repairs pass the audit\n", t.Fit(columns), pass, proposals)
	}
}

// widest is the longest title in a table.
const widest = 90

func cut(text string) string {
	runes := []rune(messages.EscapeLine(text))
	if len(runes) > widest {
		return string(runes[:widest-1]) + "…"
	}
	return string(runes)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// table counts results by a property of bugs.
func (r *Report) table(name string, of func(*Bug) string) *messages.Table {
	statuses := []Status{Found, Repeated, Missed, Equivalent, Surprise, Unmade, Refused}
	t := &messages.Table{Header: []any{name}}
	for _, s := range statuses {
		t.Header = append(t.Header, s)
	}
	t.Header = append(t.Header, "recall")
	counts := map[string]map[Status]int{}
	for _, x := range r.Results {
		key := of(x.Bug)
		if counts[key] == nil {
			counts[key] = map[Status]int{}
		}
		counts[key][x.Status]++
		if counts["all"] == nil {
			counts["all"] = map[Status]int{}
		}
		counts["all"][x.Status]++
	}
	row := func(key string) []any {
		c := counts[key]
		list := []any{key}
		for _, s := range statuses {
			list = append(list, c[s])
		}
		recall := "-"
		if n := c[Found] + c[Repeated] + c[Missed]; n > 0 {
			recall = fmt.Sprintf("%d %%", (100*c[Found]+n/2)/n)
		}
		return append(list, recall)
	}
	var keys []string
	for key := range counts {
		if key != "all" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		t.Rows = append(t.Rows, row(key))
	}
	if len(keys) > 1 {
		t.Total = row("all")
	}
	return t
}

// times are the seconds that were spent until each bug was found, in order.
func (r *Report) times() []float64 {
	var list []float64
	for _, x := range r.Results {
		if x.Status == Found {
			list = append(list, x.Finding.CPU.Seconds())
		}
	}
	slices.Sort(list)
	return list
}
