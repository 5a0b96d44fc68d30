package diagnose

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/campaigns/internal/messages"
	"ordeal/gen"
	"ordeal/sim/trace"
)

// Filter selects events of a trace. The zero Filter selects none.
type Filter struct {
	// Around is the letter of an operation of the witness: from the request of its
	// core to its access, with some events before and after.
	Around string
	// Location restricts the events to the line of a location of the program.
	Location string
	// Everywhere adds the events of lines that no location is on, as those of barriers, in a
	// run without a witness.
	Everywhere bool
	// From and To are the first and the last tick, with Ticks.
	Ticks    bool
	From, To int64
	_        struct{}
}

// ErrFilter is wrapped by the errors of a filter that does not fit the trace.
var ErrFilter = errors.New("select events of the trace")

// Set reports whether the filter selects anything.
func (f *Filter) Set() bool { return f.Around != "" || f.Location != "" || f.Ticks }

// Validate says what contradicts itself in a filter, whatever the run.
func (f *Filter) Validate() error {
	if f.Around != "" && f.Ticks {
		return errors.New("around an event contradicts ticks: both say when")
	}
	if f.Ticks && f.From > f.To {
		return fmt.Errorf("ticks %d..%d: the last is before the first", f.From, f.To)
	}
	return nil
}

// elsewhere reports whether the filter may want lines that the witness does not
// access.
func (f *Filter) elsewhere() bool { return f.Location != "" || f.Ticks }

// near is how many events before the request for an event and after its access
// are selected with it.
const near = 20

// Select returns the events that the filter selects, in order. The error says
// which of its names or ticks are not of the trace.
func (c *Cause) Select(f Filter) ([]trace.Event, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	op, err := c.lettered(f.Around)
	if err != nil {
		return nil, err
	}
	line := int64(-1)
	switch {
	case f.Location != "":
		if line, err = lineNamed(c.program, c.lineOf, f.Location); err != nil {
			return nil, err
		}
	case op >= 0:
		line = c.Events[c.Joined[op].Access].Line
	}
	list := onLine(c.all, line)
	switch {
	case op >= 0:
		j := c.Joined[op]
		first := c.Events[max(j.Asked, 0)].At
		if j.Asked < 0 {
			first = c.Events[j.Access].At
		}
		last := c.Events[j.Access].At
		from := slices.IndexFunc(list, func(e trace.Event) bool { return e.At >= first })
		to := slices.IndexFunc(list, func(e trace.Event) bool { return e.At > last })
		if from < 0 {
			from = len(list)
		}
		if to < 0 {
			to = len(list)
		}
		list = list[max(0, from-near):min(len(list), to+near)]
	case f.Ticks:
		return within(c.all, list, f)
	}
	return list, nil
}

// SelectText is Select with each event as EventText.
func (c *Cause) SelectText(f Filter) ([]string, error) {
	events, err := c.Select(f)
	lines := make([]string, len(events))
	for i := range events {
		lines[i] = c.EventText(&events[i])
	}
	return lines, err
}

// lettered is the operation of a letter that the trace has; -1 for no letter.
func (c *Cause) lettered(letter string) (int, error) {
	if letter == "" {
		return -1, nil
	}
	letter = strings.Trim(letter, "()")
	var letters []string
	for i, op := range c.Witness.Operations {
		letters = append(letters, op.Letter)
		if op.Letter != letter {
			continue
		}
		if c.Joined[i].Access < 0 {
			return -1, fmt.Errorf("%w: event %s, %s: the trace has no access of it", ErrFilter, letter, op.Text)
		}
		return i, nil
	}
	return -1, fmt.Errorf("%w: no event %q: the witness has %s", ErrFilter, letter, messages.Or(letters))
}

// lineNamed is the line of a location of the program.
func lineNamed(p *gen.Program, lineOf Lines, name string) (int64, error) {
	i := slices.Index(p.Locations, name)
	if i < 0 {
		return 0, fmt.Errorf("%w: no location %q in the program%s", ErrFilter, name, messages.Hint(name, p.Locations))
	}
	return lineOf(gen.LocID(i)), nil
}

// onLine are the events of a line, all of them for -1, without commits.
func onLine(events []trace.Event, line int64) []trace.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e trace.Event) bool {
		return e.Kind == trace.Commit || line >= 0 && e.Line != line
	})
}

// within are those events of a list that are within the ticks of a filter.
func within(whole, list []trace.Event, f Filter) ([]trace.Event, error) {
	if len(whole) == 0 {
		return nil, fmt.Errorf("%w: the trace is empty", ErrFilter)
	}
	if first, last := whole[0].At, whole[len(whole)-1].At; f.To < first || f.From > last {
		return nil, fmt.Errorf("%w: ticks %d..%d: the trace has %d..%d", ErrFilter, f.From, f.To, first, last)
	}
	return slices.DeleteFunc(list, func(e trace.Event) bool { return e.At < f.From || e.At > f.To }), nil
}

// EventText is an event of the trace on a line: its tick, place and what happened,
// the locations of its line, the place of a transition in the protocol, and the
// letter of the operation of the witness that it performs.
func (c *Cause) EventText(e *trace.Event) string {
	text := e.String()
	if e.Kind == trace.Access {
		text = fmt.Sprintf("%12d  %-14s %s", e.At, e.Place, operationText(c.program.Locations[e.Loc], e.Reads, e.Writes, e.Read, e.Written))
	}
	if name := c.names[e.Line]; name != "" && e.Kind != trace.Commit {
		text += "  [" + name + "]"
	}
	if place, _ := c.source(e); place != "" {
		text += "  " + place
	}
	for i, op := range c.Witness.Operations {
		if j := c.Joined[i]; e.Kind == trace.Access && j.Access >= 0 && c.Events[j.Access] == *e {
			text += "  (" + op.Letter + ")"
		}
	}
	return text
}
