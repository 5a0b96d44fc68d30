package audit

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ordeal/campaigns/internal/messages"
)

// limitText says what ended an audit.
var limitText = map[string]string{
	LimitSteps: "the budget of steps is used up", LimitCPU: "the budget of CPU time is used up", LimitFound: "the finding that was searched for is found",
	LimitDone: "the engines have done all they can", LimitInterrupted: "interrupted",
}

// widest is the longest line of a report.
const widest = 110

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "protocol   %s, from %s\n", messages.EscapeLine(r.Protocol), messages.EscapeLine(r.Source))
	fmt.Fprintf(&b, "work       %s, %s steps, %s operations: %s\n", seconds(r.CPU), comma(r.Steps), comma(r.Operations), limitText[r.Limit])
	for _, defect := range r.Repairs {
		fmt.Fprintf(&b, "known      %s: half of the runs are made without it\n", messages.EscapeLine(defect))
	}
	t := &messages.Table{Header: []any{"engine", "turns", "operations", "states", "steps", "CPU", "found first"}}
	for _, e := range r.Engines {
		t.Rows = append(t.Rows, []any{e.Engine, e.Turns, comma(e.Operations), comma(e.States), comma(e.Steps), seconds(e.CPU), e.Findings})
	}
	fmt.Fprintf(&b, "\n%s", t)
	for _, e := range r.Engines {
		if e.Refused != "" {
			fmt.Fprintf(&b, "%s cannot work on this protocol: %s\n", e.Engine, messages.EscapeLine(e.Refused))
		}
		if len(e.Complete) > 0 {
			fmt.Fprintf(&b, "every state visited: %s\n", strings.Join(e.Complete, "; "))
		}
	}
	if len(r.Coverage) > 0 {
		fmt.Fprintln(&b, r.rows())
	}
	if causes := len(r.Causes()); causes < len(r.Findings) {
		fmt.Fprintf(&b, "%s, taken for %s: those that end alike and need the same\n", messages.Plural(len(r.Findings), "finding"), messages.Plural(causes, "cause"))
	}
	if r.Base != "" && len(r.Findings) > 0 {
		fmt.Fprintln(&b, r.news())
	}
	for _, cause := range r.Causes() {
		r.writeFinding(&b, cause[0])
		for _, f := range cause[1:] {
			also := fmt.Sprintf("finding %d: %s (%s, %s)", r.number(f), messages.EscapeLine(f.Title), f.Outcome, messages.Plural(f.Count, "time"))
			if ids := f.IDs(); ids != "" {
				also += ", known: " + ids
			}
			fmt.Fprintf(&b, "  %-8s %s\n", "also", also)
		}
	}
	if len(r.Findings) == 0 {
		b.WriteString("\nnothing found\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// number is that of a finding, from 1.
func (r *Report) number(f *Finding) int { return slices.Index(r.Findings, f) + 1 }

func (r *Report) writeFinding(b *strings.Builder, f *Finding) {
	fmt.Fprintf(b, "\nfinding %d: %s (%s, %s)\n", r.number(f), messages.EscapeLine(f.Title), f.Outcome, messages.Plural(f.Count, "time"))
	line := func(word, format string, args ...any) {
		fmt.Fprintf(b, "  %-8s %s\n", word, fmt.Sprintf(format, args...))
	}
	line("first", "by %s, after %s, %s steps and %s operations", f.Engine, seconds(f.CPU), comma(f.Steps), comma(f.Operations))
	switch {
	case f.Tries > 0:
		line("latency", "%d of %d other seeds show it at latencies near gem5's", f.Faithful, f.Tries)
	case f.Path != nil:
		line("path", "%d steps", len(f.Path))
	}
	if len(f.Needs) > 0 {
		line("needs", "%s", strings.Join(f.Needs, ", "))
	}
	if len(f.Conditions) > 0 {
		line("only", "with %s", strings.Join(f.Conditions, ", "))
	}
	for _, k := range f.Known {
		line("known", "%s", messages.EscapeLine(strings.TrimPrefix(k.ID+": "+k.About, ": ")))
	}
	if f.Dir != "" {
		line("repeat", "ordeal repro %s", messages.QuotedPath(f.Dir))
		if f.Explore == nil {
			line("reduce", "ordeal reduce %s", messages.QuotedPath(f.Dir))
		}
	}
	if first, _, _ := strings.Cut(f.Detail, "\n"); first != "" {
		line("detail", "%s", messages.EscapeLine(first[:min(len(first), widest)]))
	}
}

// IDs are those of the known defects that have the title of a finding; "no defect" if it is
// listed as none, and empty if it is not listed.
func (f *Finding) IDs() string {
	var ids []string
	for _, k := range f.Known {
		ids = append(ids, cmp.Or(k.ID, "no defect"))
	}
	return strings.Join(ids, ", ")
}

// news says which findings are not known of the base.
func (r *Report) news() string {
	var news []string
	for i, f := range r.Findings {
		if len(f.Known) == 0 {
			news = append(news, strconv.Itoa(i+1))
		}
	}
	if len(news) == 0 {
		return "all titles are known of " + r.Base + " as it is"
	}
	return fmt.Sprintf("%s not known of %s as it is: %s", messages.Plural(len(news), "finding"), r.Base, strings.Join(news, ", "))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func comma(n uint64) string { return messages.Comma(int(n)) }

// rows says how many rows were taken. Of machines that were visited whole, those that
// nothing took are unreachable, and are none of those that could be taken.
func (r *Report) rows() string {
	taken, all := r.Coverage.Taken(), len(r.Coverage)
	if !slices.ContainsFunc(r.Engines, func(e Work) bool { return len(e.Complete) > 0 }) || taken == all {
		return fmt.Sprintf("rows taken: %d of %d", taken, all)
	}
	return fmt.Sprintf("rows taken: %d of %d; %d more are unreachable in what was visited whole", taken, taken, all-taken)
}
