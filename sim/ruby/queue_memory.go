package ruby

import (
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby/code"
)

// memoryNatives are the calls of memory: requests of old machines, and functional reads.
var memoryNatives = map[string]nativeWord{
	"queueMemoryRead":         effect(3, func(c *controller, k *code.Call) { queueMemory(c, k, false) }),
	"queueMemoryWrite":        effect(5, func(c *controller, k *code.Call) { queueMemory(c, k, true) }),
	"queueMemoryWritePartial": effect(5, func(c *controller, k *code.Call) { queueMemory(c, k, true) }),

	// A functional read ends here: the block has the data, or those bytes of it that are in a mask,
	// if it is of the line that is read.
	"testAndRead": {2, func(c *controller, k *code.Call) uint64 {
		return c.system.reading.take(c.word(k, 0), c.vector(k, 1), ^uint64(0))
	}},
	"testAndReadMask": {3, func(c *controller, k *code.Call) uint64 {
		return c.system.reading.take(c.word(k, 0), c.vector(k, 1), c.vector(k, 2)[0])
	}},
	"functionalMemoryRead": effect(0, func(c *controller, k *code.Call) {
		if c.memory == nil {
			c.failAt(k.At, "functional read of memory", "%s has none", c.name())
		}
		c.memory.functionalRead(&c.system.reading)
	}),
}

// queueMemory is a request to memory for a machine: of its line, or to write all of it
// or as many bytes as a last argument says (AbstractController::queueMemoryRead and
// its kin).
func queueMemory(c *controller, k *code.Call, write bool) {
	if c.memory == nil {
		c.failAt(k.At, "request to memory", "%s has none", c.name())
	}
	f := c.memory.fields
	m := c.system.pools[f.Layout.Index].get()
	m.words[f.Addr], m.words[f.Sender], m.words[f.Kind], m.words[f.Len] = c.word(k, 1), c.word(k, 0), f.Read, 0
	if write {
		m.words[f.Kind] = f.Write
		copy(m.block(f.Data)[:], c.vector(k, 3))
	}
	if len(k.Args) > 4 {
		m.words[f.Len] = c.word(k, 4)
	}
	c.memory.requests.enqueue(m, c.now+event.Tick(c.word(k, 2)))
}
