package ruby

import (
	"slices"

	"ordeal/sim/builtin/event"
	"ordeal/sim/slicc/types"
)

// queuesMemory reports whether the machine asks memory by functions, as gem5's did
// until 2020, and not by messages in a buffer.
func (g *generator) queuesMemory() bool {
	is := func(f *types.Func) bool { return f.Name == "queueMemoryRead" }
	return slices.ContainsFunc(g.code.machine.Funcs, is) || slices.ContainsFunc(g.protocol.Funcs, is)
}

// lengthField is the field of a MemoryMsg that has the bytes of a partial write:
// Acks, which messages to memory have no other use for, in versions of gem5 without
// Len.
func lengthField(l *layout) string {
	if l.find("Len") < 0 && l.find("Acks") >= 0 {
		return "Acks"
	}
	return "Len"
}

// memoryNatives are the calls of memory: requests of old machines, and functional reads.
var memoryNatives = map[string]nativeWord{
	"queueMemoryRead":         effect(3, func(c *controller, k *call) { queueMemory(c, k, false) }),
	"queueMemoryWrite":        effect(5, func(c *controller, k *call) { queueMemory(c, k, true) }),
	"queueMemoryWritePartial": effect(5, func(c *controller, k *call) { queueMemory(c, k, true) }),

	// A functional read ends here: the block has the data, or those bytes of it that are in a mask,
	// if it is of the line that is read.
	"testAndRead": {2, func(c *controller, k *call) uint64 {
		return c.system.reading.take(c.word(k, 0), c.vector(k, 1), ^uint64(0))
	}},
	"testAndReadMask": {3, func(c *controller, k *call) uint64 {
		return c.system.reading.take(c.word(k, 0), c.vector(k, 1), c.vector(k, 2)[0])
	}},
	"functionalMemoryRead": effect(0, func(c *controller, k *call) {
		if c.memory == nil {
			c.failAt(k.at, "functional read of memory", "%s has none", c.name())
		}
		c.memory.functionalRead(&c.system.reading)
	}),
}

// queueMemory is a request to memory for a machine: of its line, or to write all of it
// or as many bytes as a last argument says (AbstractController::queueMemoryRead and
// its kin).
func queueMemory(c *controller, k *call, write bool) {
	if c.memory == nil {
		c.failAt(k.at, "request to memory", "%s has none", c.name())
	}
	f := c.memory.fields
	m := c.system.pools[f.layout.index].get()
	m.words[f.addr], m.words[f.sender], m.words[f.kind], m.words[f.len] = c.word(k, 1), c.word(k, 0), f.read, 0
	if write {
		m.words[f.kind] = f.write
		copy(m.block(f.data)[:], c.vector(k, 3))
	}
	if len(k.args) > 4 {
		m.words[f.len] = c.word(k, 4)
	}
	c.memory.requests.enqueue(m, c.now+event.Tick(c.word(k, 2)))
}
