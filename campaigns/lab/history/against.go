package history

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab/bugs"
	"ordeal/campaigns/report"
	"ordeal/campaigns/report/compare"
)

// against are the events of a change that is compared with what was before, in the order in which they are listed, and
// what they are called.
var against = []struct{ what, word string }{
	{Begins, "new"}, {Comes, "new"}, {Unsure, "unsure"}, {Unmasked, "other"}, {Ends, "gone"}, {Stays, "old"},
}

// New lists what a change brings, of a report of one commit: findings with a title that matches a pattern, any if it is
// empty, unless they are known.
func (r *Report) New(title string, known func(title string) bool) (list []*Event) {
	for _, e := range r.Commits[0].Events {
		if (e.What == Begins || e.What == Comes) && (title == "" || diagnose.Matches(title, e.Title)) && !known(e.Title) {
			list = append(list, e)
		}
	}
	return list
}

// Undecided reports whether something about the change is not known.
func (r *Report) Undecided() bool {
	row := r.Commits[0]
	return len(row.Reasons) > 0 || slices.ContainsFunc(row.Events, func(e *Event) bool { return e.What == Unsure })
}

// WriteAgainst writes what a change brings and ends, of a report of one commit.
func (r *Report) WriteAgainst(w io.Writer) error {
	row := r.Commits[0]
	var b strings.Builder
	base := row.Commit.Parents[0][:10]
	fmt.Fprintf(&b, "change   %s %s\n", name(row.Commit), messages.EscapeLine(row.Commit.Subject))
	fmt.Fprintf(&b, "against  %s (%s)\n", base, messages.EscapeLine(r.Since))
	if len(row.Changed) > 0 {
		fmt.Fprintf(&b, "changed  %s\n", messages.EscapeLine(strings.Join(row.Changed, ", ")))
		fmt.Fprintf(&b, "budget   %s for each of %s\n", r.Budget, messages.Plural(r.Versions, "version"))
	}
	if len(row.Refused) > 0 {
		fmt.Fprintf(&b, "neither version can be simulated of %s\n", messages.EscapeLine(strings.Join(row.Refused, ", ")))
	}
	for _, reason := range row.Reasons {
		fmt.Fprintf(&b, "\nnot known: %s\n", messages.EscapeLine(reason))
	}
	if len(row.Changed) == 0 && len(row.Reasons) == 0 {
		b.WriteString("no protocol of a CPU says anything else than before: nothing to audit\n")
	}
	for _, protocol := range row.Changed {
		fmt.Fprintf(&b, "\n%s\n", messages.EscapeLine(protocol))
		none := true
		for _, a := range against {
			for _, e := range row.Events {
				if e.What != a.what || e.Protocol != protocol {
					continue
				}
				none = false
				fmt.Fprintf(&b, "  %-8s %s\n", a.word, messages.EscapeLine(e.Title))
				switch {
				case e.What == Unmasked:
					fmt.Fprintf(&b, "  %-8s the same runs end with %s in %s\n", "", messages.EscapeLine(e.Before), base)
				case e.What == Unsure:
					fmt.Fprintf(&b, "  %-8s too rare: that %s does not show it may be chance\n", "", base)
				case e.Witness != nil && e.Finding.Explore != nil:
					fmt.Fprintf(&b, "  %-8s %s, in %s\n", "", messages.Plural(e.Witness.Size, "step"), e.Witness.Dir)
				case e.Witness != nil:
					fmt.Fprintf(&b, "  %-8s ordeal repro %s\n", "", messages.QuotedPath(e.Witness.Dir))
				}
			}
		}
		if none {
			b.WriteString("  nothing found, before and after\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// name is a commit in a line.
func name(c *bugs.Commit) string {
	if c.ID == bugs.WorkTree {
		return c.ID
	}
	return c.ID[:10]
}

// WriteSARIF writes what a change brings, and what it leaves, as a SARIF log, of a report of one commit.
func (r *Report) WriteSARIF(w io.Writer, version string, clone *bugs.Clone) error {
	var list []report.Located
	for _, e := range r.Commits[0].Events {
		x := report.Located{
			Outcome: e.Finding.Outcome, Title: e.Title, Failure: e.Finding.Failure, SLICC: e.Finding.Machine.SLICC,
			Protocol: clone.Path(e.Protocol + ".slicc"), Text: fmt.Sprintf("%s: %s", e.Finding.Outcome, e.Title), Change: compare.New,
			Path: func(file string) string { return clone.Path(path.Join(path.Dir(e.Protocol), file)) },
		}
		switch e.What {
		case Begins, Comes:
		case Stays:
			x.Change = compare.Recurring
			x.Text += ", before this change, too"
		default:
			continue
		}
		list = append(list, x)
	}
	return report.WriteLocated(w, version, list)
}
