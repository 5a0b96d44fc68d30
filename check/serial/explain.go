package serial

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"ordeal/check/witness"
	"ordeal/parse/formats/events"
)

// explanation is the cycle of a verdict with a letter for each event that
// causes an edge, in the order of the sequence.
type explanation struct {
	s       *events.Sequence
	v       *Verdict
	threads [][]int32 // the events of each thread that has some
	letter  map[int32]string
}

func explanationOf(s *events.Sequence, v *Verdict) *explanation {
	x := &explanation{s: s, v: v, letter: map[int32]string{}}
	var list []int32
	for _, e := range v.Cycle {
		list = append(list, e.From, e.To)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	threads := make([][]int32, len(s.Threads))
	for i, event := range list {
		x.letter[event] = witness.Letters(i)
		t := s.Events[event].Thread
		threads[t] = append(threads[t], event)
	}
	x.threads = slices.DeleteFunc(threads, func(events []int32) bool { return events == nil })
	return x
}

func (x *explanation) head(events []int32) string {
	return "thread " + x.s.Threads[x.s.Events[events[0]].Thread]
}

func (x *explanation) access(event int32) string {
	e := &x.s.Events[event]
	if e.Var < 0 {
		return e.Kind.String()
	}
	return e.Kind.String() + " " + x.s.Variables[e.Var]
}

func (x *explanation) transaction(event int32) string { return x.s.TxName(x.s.Events[event].Tx) }

// Explain prints the cycle of a verdict as text: the events that cause its
// edges, each with a letter, its place in the sequence from 1 and its
// transaction, in columns by thread; then the edges with the events that cause
// each. It prints nothing for a verdict without a cycle.
func Explain(w io.Writer, s *events.Sequence, v *Verdict) error {
	if len(v.Cycle) == 0 {
		return nil
	}
	x := explanationOf(s, v)
	var out bytes.Buffer
	witness.Columns(&out, x.columns())
	out.WriteString("\nCycle:\n")
	lines := make([][2]string, len(v.Cycle))
	for i, e := range v.Cycle {
		ends := x.transaction(e.From) + " → " + x.transaction(e.To)
		if v.Relation == TSOPO {
			ends = x.letter[e.From] + " → " + x.letter[e.To]
		}
		lines[i] = [2]string{ends, x.reason(e)}
	}
	witness.Reasons(&out, "  ", lines)
	_, err := w.Write(out.Bytes())
	return err
}

// columns lists the events by thread; each stands in a line of its own, later
// ones lower.
func (x *explanation) columns() [][]string {
	columns := make([][]string, len(x.threads))
	rows := slices.Sorted(slices.Values(slices.Concat(x.threads...)))
	for i, events := range x.threads {
		columns[i] = []string{x.head(events)}
		for _, event := range rows {
			text := ""
			if slices.Contains(events, event) {
				text = fmt.Sprintf("%s: %s (%s, event %d)", x.letter[event], x.access(event), x.transaction(event), event+1)
			}
			columns[i] = append(columns[i], text)
		}
	}
	return columns
}

func (x *explanation) reason(e Edge) string {
	a, b := &x.s.Events[e.From], &x.s.Events[e.To]
	from, to := x.letter[e.From], x.letter[e.To]
	switch {
	case a.Thread == b.Thread && (a.Kind.Drains() || b.Kind.Drains()):
		return fmt.Sprintf("fence: %s before %s in program order", from, to)
	case a.Thread == b.Thread && b.Kind == events.Commit:
		return fmt.Sprintf("store buffer: %s before %s", from, to)
	case a.Thread == b.Thread:
		return fmt.Sprintf("program order: %s before %s", from, to)
	}
	verb := func(k events.Kind) string {
		if k == events.Read {
			return "reads"
		}
		return "writes"
	}
	return fmt.Sprintf("%s %s %s before %s %s it", from, verb(a.Kind), x.s.Variables[a.Var], to, verb(b.Kind))
}
