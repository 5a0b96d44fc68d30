package serial

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"ordeal/check/witness"
	"ordeal/parse/formats/events"
)

// Explain prints the cycle of a verdict for people: the events that cause its
// edges, each with a letter, its place in the sequence from 1 and its
// transaction, in columns by thread; then the edges with the events that cause
// each. It prints nothing of a verdict without a cycle.
func Explain(w io.Writer, s *events.Sequence, v *Verdict) error {
	if len(v.Cycle) == 0 {
		return nil
	}
	x := explainer{s: s, letter: map[int32]string{}}
	var list []int32
	for _, e := range v.Cycle {
		list = append(list, e.From, e.To)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	for i, event := range list {
		x.letter[event] = witness.Letters(i)
	}
	x.columns(list)
	x.out.WriteString("\nCycle:\n")
	var ends []string
	wide := 0
	for _, e := range v.Cycle {
		text := s.TxName(s.Events[e.From].Tx) + " → " + s.TxName(s.Events[e.To].Tx)
		if v.Relation == TSOPO {
			text = x.letter[e.From] + " → " + x.letter[e.To]
		}
		ends = append(ends, text)
		wide = max(wide, utf8.RuneCountInString(text))
	}
	for i, e := range v.Cycle {
		pad := strings.Repeat(" ", wide-utf8.RuneCountInString(ends[i]))
		fmt.Fprintf(&x.out, "  %s%s  %s\n", ends[i], pad, x.reason(e))
	}
	_, err := w.Write(x.out.Bytes())
	return err
}

// explainer is the state of Explain.
type explainer struct {
	s      *events.Sequence
	letter map[int32]string // of events
	out    bytes.Buffer
}

// columns prints events by thread, what happens later lower.
func (x *explainer) columns(list []int32) {
	var columns [][]string
	var threads []int32
	for _, i := range list {
		threads = append(threads, x.s.Events[i].Thread)
	}
	slices.SortFunc(threads, cmp.Compare)
	for _, t := range slices.Compact(threads) {
		column := []string{"thread " + x.s.Threads[t]}
		for _, i := range list {
			e := &x.s.Events[i]
			text := ""
			if e.Thread == t {
				text = fmt.Sprintf("%s: %s", x.letter[i], e.Kind)
				if e.Var >= 0 {
					text += " " + x.s.Variables[e.Var]
				}
				text += fmt.Sprintf(" (%s, event %d)", x.s.TxName(e.Tx), i+1)
			}
			column = append(column, text)
		}
		columns = append(columns, column)
	}
	witness.Columns(&x.out, columns)
}

// reason says in words why an edge holds.
func (x *explainer) reason(e Edge) string {
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
