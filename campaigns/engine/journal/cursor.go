package journal

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
	line    []byte // the last line without these
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
