package cache

import "ordeal/sim/builtin/memory"

// Ways is the number of ways of all sets.
func (c *Cache[E]) Ways() int { return len(c.ways) }

// At is the entry of a way, the ways of a set lying together; the zero value
// when the way is free.
func (c *Cache[E]) At(way int) E {
	if !c.free(way) {
		return c.ways[way]
	}
	var none E
	return none
}

// Restore puts an entry into a way, as At gave it for a line with a permission.
func (c *Cache[E]) Restore(way int, line memory.Addr, p Permission, e E) {
	c.put(way, line, Header{Permission: p}, e)
}

// SetOf is the set of a line.
func (c *Cache[E]) SetOf(line memory.Addr) int {
	return int(line>>c.geometry.IndexBit) & (c.geometry.Sets - 1)
}

// Geometry is the shape of the cache.
func (c *Cache[E]) Geometry() Geometry { return c.geometry }

// Tree is the replacement state of a set.
func (c *Cache[E]) Tree(set int) uint64 { return uint64(c.trees[set]) }

// SetTree makes the replacement state of a set what Tree gave.
func (c *Cache[E]) SetTree(set int, bits uint64) { c.trees[set] = tree(bits) }
