package serial

import (
	"slices"

	"ordeal/parse/formats/events"
)

// ProgramOrder finds the conflicts under TSO between events of one thread, as
// few as imply all of them. It keeps, for each thread, the events that a later
// one may conflict with and that no path leads to from another of them, in a
// table of threads × variables, and takes amortised constant time for an event.
type ProgramOrder struct {
	variables int
	threads   []threadOrder
	// written and read are the last write and the last buffered read, by
	// thread and variable.
	written, read []int32
}

type threadOrder struct {
	barrier  int32   // the last fence or update
	write    int32   // the last write since
	plain    int32   // the last read since that is not buffered
	buffered []int32 // the buffered reads since write
}

// NewProgramOrder makes the state before the first event.
func NewProgramOrder(threads, variables int) *ProgramOrder {
	return &ProgramOrder{
		variables: variables,
		threads:   slices.Repeat([]threadOrder{{barrier: none, write: none, plain: none}}, threads),
		written:   slices.Repeat([]int32{none}, threads*variables),
		read:      slices.Repeat([]int32{none}, threads*variables),
	}
}

// Add takes event i, which is no commit, and calls edge with earlier events of
// its thread that conflict with it; with -1 where there is none.
func (p *ProgramOrder) Add(i int32, e *events.Event, edge func(from, to int32)) {
	t := &p.threads[e.Thread]
	slot := int(e.Thread)*p.variables + int(e.Var)
	edge(t.barrier, i)
	edge(t.plain, i)
	if e.Kind == events.Read {
		w := p.written[slot]
		if w <= t.barrier {
			t.plain = i
			return
		}
		edge(w, i)
		edge(p.read[slot], i)
		p.read[slot] = i
		t.buffered = append(t.buffered, i)
		return
	}
	edge(t.write, i)
	for _, r := range t.buffered {
		edge(r, i)
	}
	t.buffered = t.buffered[:0]
	if e.Kind == events.Write {
		t.write, p.written[slot] = i, i
		return
	}
	t.barrier, t.write, t.plain = i, none, none
}
