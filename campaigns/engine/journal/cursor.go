package journal

import (
	"maps"
	"slices"

	"ordeal/sim"
)

// Cursor is a position in the journal of a campaign, with what later lines
// refer to. The zero Cursor is the beginning.
type Cursor struct {
	// Offset and Lines count the bytes and the lines before the cursor: whole
	// lines.
	Offset int64
	Lines  int
	seen   []bool // by number: the run's line is before the cursor
	known  transitions
	// passing says that entries share memory, of which counts and stalls are parts.
	passing bool
	counts  []uint64
	stalls  []uint64
}

// CursorAt is the Cursor behind lines that were read before: the numbers of
// their runs and, by configuration, the transitions that they list, in order.
func CursorAt(offset int64, numbers []int, listed map[string]sim.Coverage) *Cursor {
	c := &Cursor{Offset: offset, Lines: len(numbers)}
	c.prepare(0)
	for _, n := range numbers {
		c.prepare(n + 1)
		c.seen[n] = true
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		c.known.of(name).add(listed[name])
	}
	return c
}

// Passing has the entries that are read from here share their memory, as
// Archive.Passing says, and returns c.
func (c *Cursor) Passing() *Cursor {
	c.passing = true
	return c
}

// prepare makes room for a number of runs.
func (c *Cursor) prepare(runs int) {
	if more := runs - len(c.seen); more > 0 {
		c.seen = append(c.seen, make([]bool, more)...)
	}
	if c.known == nil {
		c.known = make(transitions)
	}
}
