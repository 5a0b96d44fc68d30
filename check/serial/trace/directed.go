package trace

import (
	"ordeal/check/closure"
	"ordeal/check/serial"
	"ordeal/parse/formats/events"
)

// directed makes the conflict graph between transactions of the conflicts
// that all executions have: as many edges as imply all of them, at most a few
// for each event and thread.
func (l *timeline) directed() *closure.Graph[serial.Edge] {
	d := director{l: l, g: &closure.Graph[serial.Edge]{Nodes: len(l.seq.Transactions)}}
	threads, variables := len(l.seq.Threads), len(l.seq.Variables)
	program := serial.NewProgramOrder(threads, variables)
	d.marks = make([]marks, threads*variables)
	for i := range d.marks {
		d.marks[i] = marks{none, none, none, none, none}
	}
	d.touched = make([][]int32, threads)
	for i := range int32(len(l.seq.Events)) {
		e := &l.seq.Events[i]
		program.Add(i, e, d.edge)
		if e.Var >= 0 {
			d.across(i, e)
		}
		d.mark(i, e)
	}
	return d.g
}

// director is the state of directed.
type director struct {
	l       *timeline
	g       *closure.Graph[serial.Edge]
	marks   []marks   // by thread and variable
	touched [][]int32 // variables with marks that no fence follows, by thread
}

// marks are the last accesses of a thread to a variable, from which paths lead
// to the earlier ones of their kind.
type marks struct {
	plain                         int32 // read that is not buffered
	write, buffered               int32 // since the last fence
	fencedWrite, fencedBufferRead int32 // before it
}

func (d *director) edge(from, to int32) {
	if from == none {
		return
	}
	if a, b := d.l.seq.Events[from].Tx, d.l.seq.Events[to].Tx; a != b {
		d.g.Add(a, b, serial.Edge{From: from, To: to})
	}
}

func (d *director) across(i int32, e *events.Event) {
	variables := len(d.l.seq.Variables)
	for t := range d.l.seq.Threads {
		if int32(t) == e.Thread {
			continue
		}
		m := &d.marks[t*variables+int(e.Var)]
		d.edge(m.fencedWrite, i)
		if e.Kind != events.Read {
			d.edge(m.plain, i)
			d.edge(m.fencedBufferRead, i)
		}
	}
}

func (d *director) mark(i int32, e *events.Event) {
	variables := len(d.l.seq.Variables)
	if e.Kind.Drains() {
		for _, x := range d.touched[e.Thread] {
			m := &d.marks[int(e.Thread)*variables+int(x)]
			if m.write != none {
				m.fencedWrite, m.write = m.write, none
			}
			if m.buffered != none {
				m.fencedBufferRead, m.buffered = m.buffered, none
			}
		}
		d.touched[e.Thread] = d.touched[e.Thread][:0]
	}
	if e.Var < 0 {
		return
	}
	m := &d.marks[int(e.Thread)*variables+int(e.Var)]
	switch {
	case e.Kind == events.Update:
		m.fencedWrite = i
	case e.Kind == events.Write:
		if m.write == none {
			d.touched[e.Thread] = append(d.touched[e.Thread], e.Var)
		}
		m.write = i
	case d.l.source[i] == none:
		m.plain = i
	default: // its source is marked as well
		m.buffered = i
	}
}
