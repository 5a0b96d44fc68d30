package trace

import (
	"slices"

	"ordeal/check/serial"
	"ordeal/parse/formats/events"
)

// timeline knows when the accesses of a trace take effect in its executions:
// a write when it is committed, which is between its issue and the next fence
// of its thread; anything else where it stands. These are the moments of the
// events, which are written like the events.
type timeline struct {
	seq       *events.Sequence
	conflicts *serial.Conflicts
	// last is the position before which the moment of an event lies at the
	// latest: of a write the next fence or update of its thread, or the
	// number of events; of others the event's own.
	last []int32
	// source is, for a buffered read, the write that it may be forwarded
	// from; else -1.
	source []int32
}

const none = -1

func newTimeline(s *events.Sequence) *timeline {
	n := int32(len(s.Events))
	l := &timeline{seq: s, conflicts: serial.NewConflicts(s), last: make([]int32, n), source: make([]int32, n)}
	fence := make([]int32, len(s.Threads))
	for t := range fence {
		fence[t] = n
	}
	for i := n - 1; i >= 0; i-- {
		e := &s.Events[i]
		l.last[i], l.source[i] = i, none
		switch {
		case e.Kind == events.Write:
			l.last[i] = fence[e.Thread]
		case e.Kind.Drains():
			fence[e.Thread] = i
		case l.conflicts.Buffered(i):
			l.source[i] = l.conflicts.Forwarded(i) // no write of a trace is ever committed
		}
	}
	return l
}

// before reports whether the moment of event a is that of b, or before it in
// every execution. Writes of one thread keep their order; else it takes a
// fence, or that a is no write and b has not been issued.
func (l *timeline) before(a, b int32) bool {
	if a == b || l.last[a] <= b {
		return true
	}
	x, y := &l.seq.Events[a], &l.seq.Events[b]
	return x.Kind == events.Write && y.Kind == events.Write && x.Thread == y.Thread && a < b
}

// A conflict from u to v, events of different threads that access one
// variable, one of them writing it, exists in an execution exactly when
//
//   - the moment of u is before that of v, and
//   - if u is a buffered read, so is the moment of its source: u reads the
//     buffer until then, in parallel with v.
//
// With a buffered v this leaves out a conflict that the paper's definition
// has, from a write that precedes v's source to v. It follows from the
// conflicts of the write with the source and of the source with v.

// must reports whether the conflict from u to v exists in every execution.
func (l *timeline) must(u, v int32) bool {
	return l.before(u, v) && (l.source[u] == none || l.before(l.source[u], v))
}

// possible reports whether the conflict from u to v exists in some execution.
func (l *timeline) possible(u, v int32) bool {
	return !l.before(v, u) && (l.source[u] == none || !l.before(v, l.source[u]))
}

// conflicting reports whether events of different threads conflict in one
// direction or the other.
func (l *timeline) conflicting(u, v int32) bool {
	a, b := &l.seq.Events[u], &l.seq.Events[v]
	return a.Thread != b.Thread && a.Var >= 0 && a.Var == b.Var && !(a.Kind == events.Read && b.Kind == events.Read)
}

func (l *timeline) isWrite(i int32) bool { return l.seq.Events[i].Kind == events.Write }

// moment is the node of an event's moment in a graph of moments: node i is the
// position of event i, and node n+i the commit of write i of n events.
func (l *timeline) moment(i int32) int32 {
	if l.isWrite(i) {
		return int32(len(l.seq.Events)) + i
	}
	return i
}

// eachMoment calls add for the arcs between moments that every execution has,
// but for those that others imply.
func (l *timeline) eachMoment(add func(from, to int32)) {
	n := int32(len(l.seq.Events))
	last := slices.Repeat([]int32{none}, len(l.seq.Threads)) // commit
	for i := range n {
		e := &l.seq.Events[i]
		if i+1 < n {
			add(i, i+1)
		}
		switch {
		case l.isWrite(i):
			add(i, n+i)
			if last[e.Thread] != none {
				add(last[e.Thread], n+i)
			}
			last[e.Thread] = n + i
		case e.Kind.Drains() && last[e.Thread] != none:
			add(last[e.Thread], i)
		}
	}
}
