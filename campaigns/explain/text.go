package explain

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"ordeal/campaigns/internal/messages"
)

// width is how many columns sentences take.
const width = 100

// Head says what the run is, in a line.
func (p *Page) Head() string {
	if p.Title == "" {
		return p.Outcome.String()
	}
	return p.Outcome.Titled(messages.EscapeLine(p.Title))
}

// Facts are names and values of what is known of the run, in order.
func (p *Page) Facts() [][2]string {
	system := p.System
	if p.Core != "" {
		system += ", core " + p.Core
	}
	facts := [][2]string{
		{"directory", p.Dir},
		{"system", system},
		{"run", fmt.Sprintf("number %d of seed %d: %s, %s, %s", p.Number, p.Seed,
			messages.Plural(p.Threads, "thread"), messages.Plural(p.Rounds, "round"), messages.Plural(p.Operations, "operation"))},
	}
	for _, a := range p.Answers {
		facts = append(facts, [2]string{a.Model, a.Answer})
	}
	for i, fact := range facts {
		facts[i] = [2]string{messages.EscapeLine(fact[0]), messages.EscapeLine(fact[1])}
	}
	return facts
}

// WriteText writes the page as text.
func (p *Page) WriteText(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\n", p.Head())
	for _, fact := range p.Facts() {
		fmt.Fprintf(&out, "%-10s %s\n", fact[0], fact[1])
	}
	section := func(name string) { fmt.Fprintf(&out, "\n== %s ==\n\n", name) }
	if p.Witness != "" {
		section(p.Model + " forbids")
		out.WriteString(p.Witness)
	}
	if p.Detail != "" {
		section("Diagnosis")
		fmt.Fprintln(&out, strings.TrimRight(p.Detail, "\n"))
	}
	if len(p.Cause) > 0 {
		section("Cause")
		for _, s := range p.Cause {
			fmt.Fprintln(&out, messages.Wrap(s, "", "  ", width))
		}
	}
	if len(p.Events) > 0 {
		section("Events")
		for i := range p.Events {
			p.Events[i].write(&out)
		}
	}
	if len(p.Program) > 0 {
		section("Program")
		for _, x := range p.Program {
			x.write(&out)
		}
	}
	if len(p.Messages) > 0 {
		section("Trace: " + p.About)
		for _, line := range p.Messages {
			fmt.Fprintln(&out, line)
		}
	}
	if len(p.Missing) > 0 {
		section("Not known")
		for _, s := range p.Missing {
			fmt.Fprintln(&out, messages.Wrap(s, "", "  ", width))
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// write writes an event with the transitions that served it below it.
func (e *Event) write(out io.Writer) {
	fmt.Fprintf(out, "(%s) %s\n    %s, program.txt:%d\n", e.Letter, e.Text, e.Place, e.Line)
	if e.Address != "" {
		fmt.Fprintf(out, "    address %s", e.Address)
		if e.Performed != "" {
			fmt.Fprintf(out, ", %s", e.Performed)
		}
		fmt.Fprintln(out)
	}
	for _, s := range e.Steps {
		fmt.Fprintf(out, "%16d  %s  %s  %s\n", s.Tick, s.Place, s.Row, s.Source)
		if len(s.Actions) > 0 {
			fmt.Fprintln(out, messages.Wrap(strings.Join(s.Actions, " "), strings.Repeat(" ", 20), strings.Repeat(" ", 20), width))
		}
	}
}

// write writes lines of the program, with the letters of their events.
func (x *Excerpt) write(out io.Writer) {
	fmt.Fprintf(out, "thread %d\n", x.Thread)
	for _, l := range x.Lines {
		if l.Gap {
			fmt.Fprintln(out, "     …")
		}
		mark := ""
		if l.Events != "" {
			mark = "  ← " + l.Events
		}
		fmt.Fprintf(out, "%6d  %s%s\n", l.Number, l.Text, mark)
	}
}
