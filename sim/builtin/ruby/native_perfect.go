package ruby

import (
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/types"
)

// A PerfectCacheMemory is a cache without bounds. As in gem5, to look a line
// up makes an entry for it, and to allocate one makes it anew: an entry is
// absent until then, or after it was deallocated.

// perfectMethods are those of PerfectCacheMemories that give no entry.
var perfectMethods map[string]native

func init() {
	perfectMethods = map[string]native{
		"PerfectCacheMemory.deallocate(Addr)": lineMethod(forget),
		"PerfectCacheMemory.isTagPresent(Addr)": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			return truth(c.directory[at].entries[line] != nil)
		}),
		"PerfectCacheMemory.allocate(Addr)": func(g *generator, x *types.Call) wordExpr {
			at, line, entry := g.partOf(x), g.word(x.Args[0]), g.perfectEntry(x)
			return func(c *controller) uint64 {
				l := memory.Addr(line(c))
				if old := c.directory[at].entries[l]; old != nil {
					c.system.pools[old.layout.index].kill(old)
				}
				c.remember(at, l, entry)
				return 0
			}
		},
	}
}

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

// remember makes an entry in a directory.
func (c *controller) remember(at int, line memory.Addr, layout int) *object {
	e := c.system.pools[layout].get()
	e.line = line
	c.directory[at].entries[line] = e
	return e
}

func (g *generator) lookupPerfect(x *types.Call) objectExpr {
	at, line, entry := g.partOf(x), g.word(x.Args[0]), g.perfectEntry(x)
	return func(c *controller) *object {
		l := memory.Addr(line(c))
		if e := c.directory[at].entries[l]; e != nil {
			return e
		}
		return c.remember(at, l, entry)
	}
}
