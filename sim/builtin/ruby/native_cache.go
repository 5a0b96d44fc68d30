package ruby

import (
	"fmt"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/types"
)

// cacheMethods are those of the tables with entries, as far as they give no
// entry.
var cacheMethods map[string]native

func init() {
	cacheMethods = map[string]native{
		"CacheMemory.cacheAvail(Addr)": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			return truth(c.caches[at].Available(line))
		}),
		"CacheMemory.isTagPresent(Addr)": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			return truth(c.caches[at].Lookup(line) != nil)
		}),
		"CacheMemory.setMRU(Addr)": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			c.caches[at].Touch(line)
			return 0
		}),
		"CacheMemory.setMRU(Addr, int)": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			c.caches[at].Touch(line)
			return 0
		}),
		"CacheMemory.cacheProbe(Addr)":           victim,
		"CacheMemory.deallocate(Addr)":           deallocate,
		"CacheMemory.setMRU(AbstractCacheEntry)": touch,
		"CacheMemory.allocateVoid(Addr, AbstractCacheEntry)": func(g *generator, x *types.Call) wordExpr {
			f := g.allocate(x)
			return func(c *controller) uint64 {
				f(c)
				return 0
			}
		},
		"CacheMemory.recordRequestType(CacheRequestType, Addr)":       nothing,
		"CacheMemory.checkResourceAvailable(CacheResourceType, Addr)": always(1),
		"CacheMemory.profileDemandHit()":                              nothing,
		"CacheMemory.profileDemandMiss()":                             nothing,
		"CacheMemory.profilePrefetchHit()":                            nothing,
		"CacheMemory.profilePrefetchMiss()":                           nothing,
		"CacheMemory.getTagLatency()":                                 always(1),
		"CacheMemory.getDataLatency()":                                always(1),

		"DirectoryMemory.isPresent(Addr)": lineMethod(func(c *controller, _ int, line memory.Addr) uint64 {
			return truth(c.system.isHome(c, line))
		}),
		"DirectoryMemory.deallocate(Addr)":                        lineMethod(forget),
		"DirectoryMemory.recordRequestType(DirectoryRequestType)": nothing,
		"DirectoryMemory.invalidateBlock(Addr)":                   nothing,

		"TBETable.isPresent(Addr)": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			return truth(c.tables[at].lookup(line) != nil)
		}),
		"TBETable.allocate(Addr)": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
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
		}),
		"TBETable.deallocate(Addr)": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
			t := c.tables[at]
			e := t.lookup(line)
			if e == nil {
				c.fail("TBE table: deallocate of an absent line", "line %#x", int64(line))
			}
			t.remove(e)
			c.system.pools[e.layout.index].kill(e)
			return 0
		}),
	}
}

// forget drops the entry of a line from a directory.
func forget(c *controller, at int, line memory.Addr) uint64 {
	d := c.directory[at]
	e := d.entries[line]
	if e == nil {
		c.fail("directory: deallocate of an absent line", "line %#x", int64(line))
	}
	delete(d.entries, line)
	c.system.pools[e.layout.index].kill(e)
	return 0
}

// lineMethod is a method of a part of the machine that takes an address.
func lineMethod(f func(c *controller, at int, line memory.Addr) uint64) native {
	return func(g *generator, x *types.Call) wordExpr {
		at, line := g.partOf(x), g.word(x.Args[0])
		return func(c *controller) uint64 { return f(c, at, memory.Addr(line(c))) }
	}
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

func touch(g *generator, x *types.Call) wordExpr {
	at, entry, pos := g.partOf(x), g.object(x.Args[0]), x.Args[0].Pos()
	return func(c *controller) uint64 {
		e := entry(c)
		if e == nil || e.dead {
			c.badPointer(e, pos)
		}
		c.caches[at].Touch(e.line)
		return 0
	}
}

func changePermission(g *generator, x *types.Call) wordExpr {
	entry, perm, pos := g.object(x.X), g.word(x.Args[0]), x.X.Pos()
	return func(c *controller) uint64 {
		e := entry(c)
		if e == nil || e.dead {
			c.badPointer(e, pos)
		}
		e.header.Permission = c.system.program.permissions[perm(c)]
		return 0
	}
}

// allocate compiles the allocation of an entry in a cache.
func (g *generator) allocate(x *types.Call) objectExpr {
	at, line, entry, pos := g.partOf(x), g.word(x.Args[0]), g.object(x.Args[1]), x.At
	return func(c *controller) *object {
		e := entry(c)
		if e == nil || e.dead {
			c.badPointer(e, pos)
		}
		e.line = memory.Addr(line(c))
		if err := c.caches[at].Allocate(e.line, e); err != nil {
			c.failWith(err, pos)
		}
		return e
	}
}

// builtinObject compiles the builtins that give an entry.
func (g *generator) builtinObject(x *types.Call) objectExpr {
	switch x.Func.Builtin.Key {
	case "CacheMemory.lookup(Addr)":
		at, line := g.partOf(x), g.word(x.Args[0])
		return func(c *controller) *object { return c.caches[at].Lookup(memory.Addr(line(c))) }
	case "TBETable.lookup(Addr)":
		at, line := g.partOf(x), g.word(x.Args[0])
		return func(c *controller) *object { return c.tables[at].lookup(memory.Addr(line(c))) }
	case "PerfectCacheMemory.lookup(Addr)":
		return g.lookupPerfect(x)
	case "DirectoryMemory.lookup(Addr)":
		at, line := g.partOf(x), g.word(x.Args[0])
		return func(c *controller) *object { return c.directory[at].entries[memory.Addr(line(c))] }
	case "CacheMemory.allocate(Addr, AbstractCacheEntry)", "CacheMemory.allocate(Addr, AbstractCacheEntry, bool)":
		return g.allocate(x)
	case "DirectoryMemory.allocate(Addr, AbstractCacheEntry)":
		at, line, entry, pos := g.partOf(x), g.word(x.Args[0]), g.object(x.Args[1]), x.At
		return func(c *controller) *object {
			l, e := memory.Addr(line(c)), entry(c)
			if c.directory[at].entries[l] != nil {
				c.fail(fmt.Sprintf("directory: allocate of a line that is present at %s", pos), "line %#x", int64(l))
			}
			e.line = l
			c.directory[at].entries[l] = e
			return e
		}
	case "CacheMemory.getNullEntry()", "TBETable.getNullEntry()":
		return noObject
	}
	g.unsupported(x.At, "builtin %s", x.Func.Builtin.Key)
	return noObject
}
