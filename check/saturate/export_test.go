package saturate

import "slices"

// Clock is a copy of the clock row of v.
func (g *Graph) Clock(v Node) []int32 { return slices.Clone(g.row(v)) }

// Slabs counts the slabs of rows that were allocated, and all.
func (g *Graph) Slabs() (made, all int) {
	for _, s := range g.slabs {
		if s != nil {
			made++
		}
	}
	return made, len(g.slabs)
}
