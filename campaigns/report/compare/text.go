package compare

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

// shown is how many of a list a line of text names.
const shown = 4

// WriteText writes the differences, the most important first, and nothing if
// there is none. Between them stand the findings that recur. Program is the command to call ordeal.
func (d *Diff) WriteText(w io.Writer, program string) error {
	if d.Empty() {
		return nil
	}
	t := &text{program: program}
	t.side("old", &d.Old)
	t.side("new", &d.New)
	if d.Old.Campaign != d.New.Campaign {
		t.line("The campaigns have different names: %s and %s.", d.Old.Campaign, d.New.Campaign)
	}
	t.section(d, New)
	t.section(d, Missed)
	t.changed(d)
	for _, change := range []Change{Open, Harder, Flaky, Gone, Caught, Easier} {
		t.section(d, change)
	}
	t.recurring(d)
	t.coverage(d)
	t.speed(d)
	t.configs(d)
	t.tools(d)
	_, err := io.WriteString(w, t.b.String())
	return err
}

type text struct {
	b       strings.Builder
	program string
}

// line writes a line; what acts on terminals in its arguments is escaped.
func (t *text) line(format string, args ...any) {
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			args[i] = messages.EscapeLine(s)
		}
	}
	fmt.Fprintf(&t.b, format+"\n", args...)
}

// brief is a duration with three digits.
func brief(d time.Duration) string {
	unit := time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}

func (t *text) side(which string, n *Side) {
	runs := messages.Comma(n.Runs)
	if n.Runs < n.Planned {
		runs += " of " + messages.Comma(n.Planned)
	}
	t.line("%s  %s: campaign %s, seed %d, %s, %s runs, %s operations",
		which, n.Dir, n.Campaign, n.Seed, n.Started.UTC().Format("2006-01-02 15:04 MST"), runs, messages.Comma(n.Operations))
}

// headings are the lines above findings and canaries.
var headings = map[Change]string{
	New:    "new findings",
	Flaky:  "flaky findings",
	Gone:   "findings that are gone",
	Missed: "canaries newly missed: injected bugs that no run shows any more",
	Open:   "canaries not caught, with too few operations to be missed",
	Harder: "canaries that clearly fewer of the runs catch",
	Caught: "canaries caught again",
	Easier: "canaries that clearly more of the runs catch",
}

// section lists the findings or canaries with a change.
func (t *text) section(d *Diff, change Change) {
	findings := slices.DeleteFunc(slices.Clone(d.Findings), func(f Finding) bool { return f.Change != change })
	canaries := slices.DeleteFunc(slices.Clone(d.Canaries), func(c Canary) bool { return c.Change != change })
	t.heading(len(findings)+len(canaries), headings[change])
	for i := range findings {
		t.finding(&findings[i])
	}
	for _, c := range canaries {
		t.line("  %s", c.Config)
		t.line("    new: %s", c.New.text())
		t.line("    old: %s%s", c.Old.text(), chance(c.P))
	}
}

// heading begins a section of n entries; without any it writes nothing.
func (t *text) heading(n int, format string, args ...any) {
	if n > 0 {
		t.line("\n"+format, args...)
	}
}

func (t *text) finding(f *Finding) {
	t.line("  %s", f.Outcome.Titled(f.Title))
	if f.Known != nil {
		t.line("    known issue: %s", cmp.Or(f.Known.String(), f.Known.Title))
	}
	t.line("    on %s, in %s", f.System, names(f.Configs))
	t.line("    %s, before %s%s", share(f.New.Runs, f.New.Of), share(f.Old.Runs, f.Old.Of), f.chance())
	if f.Repeated > 0 {
		t.line("    %s of %s made in both campaigns show it in both", messages.Comma(f.Recurred), messages.Plural(f.Repeated, "run"))
	}
	if f.New.Alone > 0 {
		t.line("    recurs in %s of %s repeated alone", messages.Comma(f.New.Recurs), messages.Plural(f.New.Alone, "run"))
	}
	t.line("    look: %s check --explain %s", t.program, messages.QuotedPath(cmp.Or(f.New.First, f.Old.First)))
}

// recurring names the findings of both campaigns, which are no difference.
func (t *text) recurring(d *Diff) {
	t.heading(len(d.Recurring), "findings that recur")
	for i := range d.Recurring[:min(len(d.Recurring), shown)] {
		f := &d.Recurring[i]
		t.line("  %s: %s, before %s", f.Outcome.Titled(f.Title), share(f.New.Runs, f.New.Of), share(f.Old.Runs, f.Old.Of))
	}
	if more := len(d.Recurring) - shown; more > 0 {
		t.line("  and %s more: --json lists them", messages.Comma(more))
	}
}

func (c *Detection) text() string {
	switch {
	case c == nil:
		return "was not in the campaign"
	case c.Runs == 0:
		return "was not run"
	case c.Caught == 0:
		return fmt.Sprintf("not caught in %s, %s operations", messages.Plural(c.Runs, "run"), messages.Comma(c.Operations))
	}
	return fmt.Sprintf("caught by %s, first after %s operations and %s, by run %d",
		share(c.Caught, c.Runs), messages.Comma(c.Until), brief(c.UntilTime), c.First)
}

// changed lists the runs of the embedded simulator with other results.
func (t *text) changed(d *Diff) {
	t.heading(len(d.Changed), "changed runs: the same settings, seed and number on the embedded simulator, but not the same result")
	for i := range d.Changed {
		c := &d.Changed[i]
		t.line("  %s", c.Config)
		if c.Different > 0 {
			t.line("    %s of %s have another result%s", messages.Comma(c.Different), messages.Plural(c.Both, "run"), c.checker())
		}
		if c.OtherLog > 0 {
			t.line("    %s of %s have the same result and another log", messages.Comma(c.OtherLog), messages.Plural(c.Both, "run"))
		}
		if c.Programs > 0 {
			t.line("    %s have other programs: the generator changed", messages.Plural(c.Programs, "run"))
		}
		if e := c.Example; e != nil && c.Different > 0 {
			t.line("    run %d was %s", e.Number, e.Old.text())
			t.line("    and is now %s", e.New.text())
		}
	}
}

func (c *Changed) checker() string {
	if c.SameLog == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of them from the same log: the checker changed", messages.Comma(c.SameLog))
}

func (r *Result) text() string {
	text := r.Outcome.String()
	if r.Title != "" {
		text += ": " + r.Title
	}
	if r.Answers != "" {
		text += " (" + r.Answers + ")"
	}
	return text
}

// coverage lists transitions that only one campaign took.
func (t *text) coverage(d *Diff) {
	t.heading(len(d.Coverage), "coverage: transitions that only one of the campaigns took; * not by chance (p < %v)", Significant)
	for i := range d.Coverage {
		c := &d.Coverage[i]
		t.line("  %s: %s taken, before %s", c.Config, messages.Comma(c.New), messages.Comma(c.Old))
		t.transitions("no more", c.OnlyOld)
		t.transitions("now", c.OnlyNew)
	}
}

func (t *text) transitions(when string, list []Transition) {
	if len(list) == 0 {
		return
	}
	var names []string
	clear := 0
	for _, x := range list {
		star := ""
		if x.P < Significant {
			star = "*"
			clear++
		}
		names = append(names, fmt.Sprintf("%s%s (%s, %s)", star, x.Machine, x.State, x.Event))
	}
	limit := max(shown, min(clear, 5*shown))
	rest := ""
	if n := len(names) - limit; n > 0 {
		names, rest = names[:limit], fmt.Sprintf(", %d more in --json", n)
	}
	t.line("    %s %d: %s%s", when, len(list), strings.Join(names, ", "), rest)
}

// speed lists what became slower or faster.
func (t *text) speed(d *Diff) {
	t.heading(len(d.Speed), "speed: medians of runs, where they differ by a factor of %v or more", Slower)
	for _, s := range d.Speed {
		word, factor := "slower", s.New/s.Old
		if factor < 1 {
			word, factor = "faster", 1/factor
		}
		rates := fmt.Sprintf("%s operations/s, before %s", messages.Comma(int(1e9/s.New)), messages.Comma(int(1e9/s.Old)))
		if s.What == "checking" {
			rates = fmt.Sprintf("%s ns an operation, before %s", messages.Comma(int(s.New)), messages.Comma(int(s.Old)))
		}
		t.line("  %s: %s %.1f times %s: %s", s.Config, s.What, factor, word, rates)
	}
}

// configs lists the configurations that were added, removed or edited.
func (t *text) configs(d *Diff) {
	t.heading(len(d.Configs), "configurations")
	for _, c := range d.Configs {
		var list []string
		for _, e := range c.Edits {
			list = append(list, fmt.Sprintf("%s %s → %s", e.Key, value(e.Old), value(e.New)))
		}
		t.line("  %s", strings.TrimSuffix(c.Config+" "+c.Change+": "+strings.Join(list, ", "), ": "))
	}
}

func value(v string) string { return cmp.Or(v, "(none)") }

func (t *text) tools(d *Diff) {
	t.heading(len(d.Tools), "tools")
	for _, x := range d.Tools {
		t.line("  %s: %s\n    before %s", x.Name, value(x.New), value(x.Old))
		for _, line := range x.Between() {
			t.line("    %s", line)
		}
	}
}

func share(n, of int) string {
	if of == 0 {
		return "no run"
	}
	percent := strconv.FormatFloat(100*float64(n)/float64(of), 'g', 2, 64)
	if n == of {
		percent = "100"
	}
	return fmt.Sprintf("%s of %s (%s %%)", messages.Comma(n), messages.Plural(of, "run"), percent)
}

// chance says whether the other campaign may have missed a finding by chance,
// or both have it at the same rate.
func (f *Finding) chance() string {
	if f.P != nil && *f.P >= Significant {
		switch f.Change {
		case New:
			return fmt.Sprintf("; it may have been there (p %s)", small(*f.P))
		case Gone:
			return fmt.Sprintf("; it may still be there (p %s)", small(*f.P))
		}
	}
	return chance(f.P)
}

// chance says how probable it is that a difference is none.
func chance(p *float64) string {
	switch {
	case p == nil:
		return ""
	case *p < Significant:
		return fmt.Sprintf("; not by chance (p %s)", small(*p))
	}
	return fmt.Sprintf("; perhaps by chance (p %s)", small(*p))
}

func small(p float64) string {
	if p < 1e-6 {
		return "< 1e-6"
	}
	return "= " + strconv.FormatFloat(p, 'g', 2, 64)
}

// names are names, or only the first of many.
func names(list []string) string {
	if len(list) > shown {
		return fmt.Sprintf("%s and %d more configurations", strings.Join(list[:shown], ", "), len(list)-shown)
	}
	return strings.Join(list, ", ")
}
