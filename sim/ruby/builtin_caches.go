package ruby

import (
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/types"
)

func dropEntry(c *controller, at int, line memory.Addr) uint64 {
	d := c.directory[at]
	line = line.Line()
	e := d.lookup(line)
	if e == nil {
		c.fail("directory: deallocate of an absent line", "line %#x", int64(line))
	}
	d.drop(line)
	c.system.pools[e.layout.index].kill(e)
	return 0
}

func victim(g *generator, x *types.Call) wordExpr {
	at, line, pos := g.partOf(x), g.word(x.Args[0]), x.At
	return func(c *controller) uint64 {
		e, err := c.caches[at].Victim(memory.Addr(line(c)))
		if err != nil {
			c.failWith(err, pos)
		}
		return uint64(e.line)
	}
}

func deallocate(g *generator, x *types.Call) wordExpr {
	at, line, pos := g.partOf(x), g.word(x.Args[0]), x.At
	return func(c *controller) uint64 {
		l := memory.Addr(line(c))
		e := c.caches[at].Lookup(l)
		if err := c.caches[at].Deallocate(l); err != nil {
			c.failWith(err, pos)
		}
		c.system.pools[e.layout.index].kill(e)
		return 0
	}
}

func touchEntry(g *generator, x *types.Call) wordExpr {
	at, entry, pos := g.partOf(x), g.object(x.Args[0]), x.Args[0].Pos()
	return func(c *controller) uint64 {
		c.caches[at].Touch(c.live(entry(c), pos).line)
		return 0
	}
}

func allocate(g *generator, x *types.Call) objectExpr {
	at, line, entry, pos := g.partOf(x), g.word(x.Args[0]), g.object(x.Args[1]), x.At
	return func(c *controller) *object {
		e := c.live(entry(c), pos)
		e.line = memory.Addr(line(c))
		if err := c.caches[at].Allocate(e.line, e); err != nil {
			c.failWith(err, pos)
		}
		return e
	}
}

func allocateDirectory(g *generator, x *types.Call) objectExpr {
	at, line, entry, pos := g.partOf(x), g.word(x.Args[0]), g.object(x.Args[1]), x.At
	return func(c *controller) *object {
		l, e := memory.Addr(line(c)).Line(), entry(c)
		if c.directory[at].lookup(l) != nil {
			c.failAt(pos, "directory: allocate of a line that is present", "line %#x", int64(l))
		}
		e.line = l
		c.directory[at].add(l, e)
		return e
	}
}

func noEntry(*generator, *types.Call) objectExpr { return noObject }

func touchLine(c *controller, at int, line memory.Addr) uint64 {
	c.caches[at].Touch(line)
	return 0
}

func allocateTBE(c *controller, at int, line memory.Addr) uint64 {
	t := c.tables[at]
	if t.lookup(line) != nil {
		c.fail("TBE table: allocate of a line that has one", "line %#x", int64(line))
	}
	if !t.room(1) {
		c.fail("TBE table: allocate in a full table", "line %#x", int64(line))
	}
	e := c.system.pools[t.layout.index].get()
	e.line = line
	t.entries = append(t.entries, e)
	return 0
}

func deallocateTBE(c *controller, at int, line memory.Addr) uint64 {
	t := c.tables[at]
	e := t.lookup(line)
	if e == nil {
		c.fail("TBE table: deallocate of an absent line", "line %#x", int64(line))
	}
	t.remove(e)
	c.system.pools[e.layout.index].kill(e)
	return 0
}

// A PerfectCacheMemory is a cache without bounds. As in gem5, to look a line
// up makes an entry for it, and to allocate one makes it anew: an entry is
// absent until then, or after it was deallocated.

// perfectEntry is the index of the layout of a memory's entries, which is what
// its lookup gives.
func (g *generator) perfectEntry(x *types.Call) int {
	for _, m := range x.X.Type().Methods {
		if m.Name == "lookup" {
			return g.layout(m.Result).index
		}
	}
	g.unsupported(x.At, "a PerfectCacheMemory without lookup")
	return 0
}

func (c *controller) remember(at int, line memory.Addr, layout int) *object {
	e := c.system.pools[layout].get()
	e.line = line
	c.directory[at].add(line, e)
	return e
}

func lookupPerfect(g *generator, x *types.Call) objectExpr {
	at, line, entry := g.partOf(x), g.word(x.Args[0]), g.perfectEntry(x)
	return func(c *controller) *object {
		l := memory.Addr(line(c))
		if e := c.directory[at].lookup(l); e != nil {
			return e
		}
		return c.remember(at, l, entry)
	}
}

func allocatePerfect(g *generator, x *types.Call) wordExpr {
	at, line, entry := g.partOf(x), g.word(x.Args[0]), g.perfectEntry(x)
	return func(c *controller) uint64 {
		l := memory.Addr(line(c))
		if old := c.directory[at].lookup(l); old != nil {
			c.system.pools[old.layout.index].kill(old)
		}
		c.remember(at, l, entry)
		return 0
	}
}
