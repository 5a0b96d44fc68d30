package ruby

import (
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
)

// cacheNatives are the methods of caches, directories and tables of transactions.
var cacheNatives = map[string]nativeWord{
	"CacheMemory.cacheAvail": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		return truth(c.caches[at].Available(line))
	}),
	"CacheMemory.setMRU(Addr)":      lineMethod(touchLine),
	"CacheMemory.setMRU(Addr, int)": lineMethod(touchLine),
	"CacheMemory.setMRU(AbstractCacheEntry)": effect(1, func(c *controller, k *code.Call) {
		c.caches[k.Part].Touch(c.live(c.pointer(k, 0), k.Args[0].Pos).line)
	}),
	"CacheMemory.cacheProbe":     {1, victim},
	"CacheMemory.deallocate":     effect(1, deallocate),
	"CacheMemory.allocateVoid":   effect(2, func(c *controller, k *code.Call) { allocate(c, k) }),
	"CacheMemory.getTagLatency":  {0, func(c *controller, _ *code.Call) uint64 { return c.tagLatency }},
	"CacheMemory.getDataLatency": {0, func(c *controller, _ *code.Call) uint64 { return c.dataLatency }},

	"DirectoryMemory.isPresent": lineMethod(func(c *controller, _ int, line memory.Addr) uint64 {
		return truth(c.system.isHome(c, line))
	}),
	"DirectoryMemory.deallocate":    lineMethod(dropEntry),
	"PerfectCacheMemory.deallocate": lineMethod(dropEntry),
	"PerfectCacheMemory.isTagPresent": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		return truth(c.directory[at].lookup(line) != nil)
	}),
	"PerfectCacheMemory.allocate": effect(1, allocatePerfect),

	"TBETable.isPresent": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		return truth(c.tables[at].lookup(line) != nil)
	}),
	"TBETable.allocate":   lineMethod(allocateTBE),
	"TBETable.deallocate": lineMethod(deallocateTBE),
	"TBETable.areNSlotsAvailable": {1, func(c *controller, k *code.Call) uint64 {
		return truth(c.tables[k.Part].hasCapacity(int(c.word(k, 0))))
	}},
}

// cacheObjects are the methods of theirs whose result is an entry.
var cacheObjects = map[string]nativeObject{
	"CacheMemory.allocate":      {2, allocate},
	"CacheMemory.getNullEntry":  {0, noEntry},
	"DirectoryMemory.allocate":  {2, allocateDirectory},
	"PerfectCacheMemory.lookup": {1, lookupPerfect},
	"TBETable.getNullEntry":     {0, noEntry},
}

func dropEntry(c *controller, at int, line memory.Addr) uint64 {
	d := c.directory[at]
	line = line.Line()
	e := d.lookup(line)
	if e == nil {
		c.fail("directory: deallocate of an absent line", "line %#x", int64(line))
	}
	d.drop(line)
	c.system.pools[e.layout.Index].kill(e)
	return 0
}

func victim(c *controller, k *code.Call) uint64 {
	e, err := c.caches[k.Part].Victim(c.line(k, 0))
	if err != nil {
		c.failWith(err, k.At)
	}
	return uint64(e.line)
}

func deallocate(c *controller, k *code.Call) {
	line := c.line(k, 0)
	e := c.caches[k.Part].Lookup(line)
	if err := c.caches[k.Part].Deallocate(line); err != nil {
		c.failWith(err, k.At)
	}
	c.system.pools[e.layout.Index].kill(e)
}

func allocate(c *controller, k *code.Call) *object {
	e := c.live(c.pointer(k, 1), k.At)
	e.line = c.line(k, 0)
	if err := c.caches[k.Part].Allocate(e.line, e); err != nil {
		c.failWith(err, k.At)
	}
	return e
}

func allocateDirectory(c *controller, k *code.Call) *object {
	line, e := c.line(k, 0).Line(), c.pointer(k, 1)
	if c.directory[k.Part].lookup(line) != nil {
		c.failAt(k.At, "directory: allocate of a line that is present", "line %#x", int64(line))
	}
	e.line = line
	c.directory[k.Part].add(line, e)
	return e
}

func noEntry(*controller, *code.Call) *object { return nil }

func touchLine(c *controller, at int, line memory.Addr) uint64 {
	c.caches[at].Touch(line)
	return 0
}

func allocateTBE(c *controller, at int, line memory.Addr) uint64 {
	t := c.tables[at]
	if t.lookup(line) != nil {
		c.fail("TBE table: allocate of a line that has one", "line %#x", int64(line))
	}
	if !t.hasCapacity(1) {
		c.fail("TBE table: allocate in a full table", "line %#x", int64(line))
	}
	e := c.system.pools[t.layout.Index].get()
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
	c.system.pools[e.layout.Index].kill(e)
	return 0
}

// A PerfectCacheMemory is a cache without bounds. As in gem5, to look a line
// up makes an entry for it, and to allocate one makes it anew: an entry is
// absent until then, or after it was deallocated.

func (c *controller) remember(at int, line memory.Addr, layout int) *object {
	e := c.system.pools[layout].get()
	e.line = line
	c.directory[at].add(line, e)
	return e
}

func lookupPerfect(c *controller, k *code.Call) *object {
	line := c.line(k, 0)
	if e := c.directory[k.Part].lookup(line); e != nil {
		return e
	}
	return c.remember(k.Part, line, int(c.word(k, 1)))
}

func allocatePerfect(c *controller, k *code.Call) {
	line := c.line(k, 0)
	if old := c.directory[k.Part].lookup(line); old != nil {
		c.system.pools[old.layout.Index].kill(old)
	}
	c.remember(k.Part, line, int(c.word(k, 1)))
}
