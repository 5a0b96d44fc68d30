package serial

import (
	"slices"
	"sort"

	"ordeal/check/closure"
	"ordeal/parse/formats/events"
)

// Monitor builds the conflict graph of a sequence while it happens. Instead
// of an edge for every pair of conflicting events it keeps those from the
// last accesses to each variable, whose paths imply the others, so that n
// events take O(n) time, and a table of threads × variables.
type Monitor struct {
	rel  Relation
	seq  *events.Sequence
	node func(i int32) int32
	next int32 // event
	g    closure.Graph[Edge]

	threads   []threadState
	variables []variableState
	program   *ProgramOrder
	inOrder   func(from, to int32) // edge
	// buffers holds the writes of each thread that are not committed, written
	// the last write of each thread to each variable.
	buffers []buffer
	written []int32
}

// threadState is what a thread did last.
type threadState struct {
	last      int32 // the last event but commits
	commit    int32 // the last commit
	committed int32 // the write that it commits
}

// variableState is who accessed memory last.
type variableState struct {
	write int32   // the last commit or update; under SC the last write
	reads []int32 // reads of memory since
}

const none = -1

// NewMonitor makes a monitor of the conflicts between the transactions of s
// by relation rel, SC or TSO.
func NewMonitor(rel Relation, s *events.Sequence) *Monitor {
	m := newMonitor(rel, s)
	m.g.Nodes = len(s.Transactions)
	m.node = func(i int32) int32 { return s.Events[i].Tx }
	return m
}

func newMonitor(rel Relation, s *events.Sequence) *Monitor {
	m := &Monitor{
		rel: rel, seq: s,
		threads:   slices.Repeat([]threadState{{last: none, commit: none, committed: none}}, len(s.Threads)),
		variables: slices.Repeat([]variableState{{write: none}}, len(s.Variables)),
		program:   NewProgramOrder(len(s.Threads), len(s.Variables)),
		buffers:   make([]buffer, len(s.Threads)),
		written:   slices.Repeat([]int32{none}, len(s.Threads)*len(s.Variables)),
	}
	m.inOrder = m.edge
	m.g.Grow(len(s.Events))
	return m
}

func (m *Monitor) slot(e *events.Event) int { return int(e.Thread)*len(m.variables) + int(e.Var) }

func (m *Monitor) edge(from, to int32) {
	if from == none {
		return
	}
	if a, b := m.node(from), m.node(to); a != b {
		m.g.Add(a, b, Edge{From: from, To: to})
	}
}

func (m *Monitor) edgeAcross(from, to int32) {
	if from != none && m.seq.Events[from].Thread != m.seq.Events[to].Thread {
		m.edge(from, to)
	}
}

// Next takes the next event of the sequence; false says that there is none.
func (m *Monitor) Next() bool {
	if int(m.next) == len(m.seq.Events) {
		return false
	}
	i := m.next
	m.next++
	e := &m.seq.Events[i]
	if m.rel == SC {
		m.sc(i, e)
	} else {
		m.tso(i, e)
	}
	return true
}

func (m *Monitor) sc(i int32, e *events.Event) {
	if e.Kind == events.Commit {
		return
	}
	t := &m.threads[e.Thread]
	m.edge(t.last, i)
	t.last = i
	switch e.Kind {
	case events.Read:
		x := &m.variables[e.Var]
		m.edgeAcross(x.write, i)
		x.reads = append(x.reads, i)
	case events.Write, events.Update:
		m.access(i, e)
	}
}

func (m *Monitor) tso(i int32, e *events.Event) {
	t := &m.threads[e.Thread]
	if e.Kind == events.Commit {
		m.edge(t.commit, i)
		t.commit, t.committed = i, e.Issue
		m.access(i, e)
		m.committed(e)
		return
	}
	if m.rel == TSOPO {
		m.edge(t.last, i)
		t.last = i
	} else {
		m.program.Add(i, e, m.inOrder)
	}
	if e.Kind.Drains() {
		m.edge(t.commit, i)
	}
	switch e.Kind {
	case events.Read:
		m.memoryRead(i, e)
	case events.Write:
		m.written[m.slot(e)] = i
		m.buffers[e.Thread].push(store{write: i, before: m.variables[e.Var].write})
	case events.Update:
		m.access(i, e)
	}
}

// committed ends the life of the oldest buffered write of a thread. The reads
// forwarded from it conflict with what happens to the variable from now on.
func (m *Monitor) committed(e *events.Event) {
	s := m.buffers[e.Thread].pop()
	x := &m.variables[e.Var]
	x.reads = append(x.reads, s.reads...)
}

// access is a write of memory: it follows the last one and all reads since.
// Reads of its own thread precede its issue.
func (m *Monitor) access(i int32, e *events.Event) {
	x := &m.variables[e.Var]
	m.edge(x.write, i)
	for _, r := range x.reads {
		m.edgeAcross(r, i)
	}
	x.write, x.reads = i, x.reads[:0]
}

// memoryRead is a read of memory or of the own store buffer. In the latter
// case only what reached memory before the issue of the buffered write
// conflicts with it, and later writes of memory do when that is committed.
func (m *Monitor) memoryRead(i int32, e *events.Event) {
	if w := m.written[m.slot(e)]; w > m.threads[e.Thread].committed {
		s := m.buffers[e.Thread].find(w)
		m.edgeAcross(s.before, i)
		s.reads = append(s.reads, i)
		return
	}
	x := &m.variables[e.Var]
	m.edgeAcross(x.write, i)
	x.reads = append(x.reads, i)
}

// store is a write in a store buffer.
type store struct {
	write  int32
	before int32   // the last commit or update of the variable at its issue
	reads  []int32 // the reads forwarded from it
}

// buffer is a store buffer, the oldest store first.
type buffer struct {
	stores []store
	head   int // what is before has been committed
}

func (b *buffer) push(s store) {
	if b.head > len(b.stores)/2 {
		b.stores = b.stores[:copy(b.stores, b.stores[b.head:])]
		b.head = 0
	}
	b.stores = append(b.stores, s)
}

func (b *buffer) pop() store {
	s := b.stores[b.head]
	b.stores[b.head] = store{}
	b.head++
	return s
}

// find is the store of a write, which is in the buffer.
func (b *buffer) find(write int32) *store {
	waiting := b.stores[b.head:]
	return &waiting[sort.Search(len(waiting), func(i int) bool { return waiting[i].write >= write })]
}
