package saturate

import "slices"

// Clock is a copy of the clock row of v.
func (g *Graph) Clock(v Node) []int32 { return slices.Clone(g.row(v)) }

// SetPagedRows sets the number of columns from which on rows are paged, and
// returns what it was.
func SetPagedRows(columns int) (was int) {
	was, pagedRows = pagedRows, columns
	return was
}

// Slabs counts the slabs of rows that were allocated, and all.
func (g *Graph) Slabs() (made, all int) {
	for _, s := range g.slabs {
		if s != nil {
			made++
		}
	}
	return made, len(g.slabs)
}
