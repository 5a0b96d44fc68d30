package cli

import (
	"fmt"
	"strings"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/reduction"
)

func (r *repeat) printJSON(report *reduction.RepeatReport) error {
	// Cause is the text of cause.txt, Events are the lines of the trace that were
	// asked for, or else the last ones.
	out := struct {
		*reduction.RepeatReport
		Cause  string   `json:"cause,omitempty"`
		Events []string `json:"events,omitempty"`
	}{RepeatReport: report, Events: report.Selected}
	if out.Events == nil {
		out.Events = report.Last
	}
	if report.Cause != nil {
		var b strings.Builder
		if err := report.Cause.WriteText(&b); err != nil {
			return err
		}
		out.Cause = b.String()
	}
	return r.PrintJSON(out)
}

// replayed is a counterexample of an exploration whose steps were taken again.
type replayed struct {
	head     string                 // property and title
	Property string                 `json:"property"`
	Title    string                 `json:"title"`
	Steps    []exploration.Replayed `json:"steps"`
	Recurs   bool                   `json:"recurs"`
	// Otherwise says what came in place of the finding, Messages is the picture of one
	// that recurred.
	Otherwise string `json:"otherwise,omitempty"`
	Messages  string `json:"messages,omitempty"`
}

// print prints it as text.
func (f *replayed) print(r *repeat) {
	w := r.Stdout
	fmt.Fprintf(w, "recorded    %s\n", messages.EscapeLine(f.head))
	for i, step := range f.Steps {
		fmt.Fprintf(w, "%10d  %s\n", i+1, messages.EscapeLine(step.Step))
		for line := range strings.Lines(step.State) {
			fmt.Fprintf(w, "%10s      %s\n", "", messages.EscapeLine(strings.TrimRight(line, "\n")))
		}
	}
	if f.Recurs {
		fmt.Fprintf(w, "recurred    after %d steps\nmessages    %s\n", len(f.Steps), f.Messages)
	} else {
		fmt.Fprintf(w, "otherwise   %s\n", f.Otherwise)
	}
}
