package journal

import "ordeal/sim"

// Mark is how far the journal of a campaign was read, and what its further
// lines mean by those before. The zero Mark is the beginning.
type Cursor struct {
	// Offset is how many bytes were read, Lines how many lines: whole ones.
	Offset int64
	Lines  int
	seen   map[int]bool // the runs read
	known  TransitionTables
}

// MarkAt is the Mark behind lines that were read before: the numbers of their
// runs and, by configuration, the transitions that they name, in order.
func CursorAt(offset int64, numbers []int, transitions map[string]sim.Coverage) *Cursor {
	m := &Cursor{Offset: offset, Lines: len(numbers), known: transitions}
	m.prepare()
	for _, n := range numbers {
		m.seen[n] = true
	}
	return m
}

// prepare makes the maps of m that are missing.
func (m *Cursor) prepare() {
	if m.seen == nil {
		m.seen = make(map[int]bool)
	}
	if m.known == nil {
		m.known = make(TransitionTables)
	}
}
