package ruby

import (
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
)

// coreNatives are the calls of cores and devices. What they are given besides the line and the
// data is for statistics.
var coreNatives = map[string]nativeWord{
	"Sequencer.readCallback":        dataCallback(readData),
	"Sequencer.writeUniqueCallback": dataCallback(writeUnique),
	"Sequencer.writeCallback": dataCallback(func(c *controller, at int, line memory.Addr, data *memory.Block) {
		c.sequencer(at).WriteCallback(line, data)
	}),
	"Sequencer.atomicCallback": dataCallback(func(c *controller, at int, line memory.Addr, data *memory.Block) {
		c.sequencer(at).AtomicCallback(line, data)
	}),
	// The data are passed by reference, and used by accesses that wait behind the store alone: gem5's
	// generated code forms the reference of an invalid entry's, too (Sequencer.cc, hitCallback).
	"Sequencer.writeCallbackScFail": effect(2, func(c *controller, k *code.Call) {
		seq, line := c.sequencer(k.Part), c.line(k, 0)
		var data *memory.Block
		if !seq.Alone(line) {
			data = (*memory.Block)(c.vector(k, 1))
		}
		seq.FailConditional(line, data)
	}),
	"Sequencer.evictionCallback": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		c.notice(at, line)
		c.sequencer(at).EvictionCallback(line)
		return 0
	}),
	"Sequencer.invalidateSC": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		c.sequencer(at).Unlink(line)
		return 0
	}),
	"Sequencer.llscCheckMonitor": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		return truth(c.sequencer(at).Linked(line))
	}),
	"DMASequencer.ackCallback": effect(1, func(c *controller, k *code.Call) {
		line := c.line(k, 0)
		c.serving(line).AckCallback(line)
	}),
	"DMASequencer.dataCallback": effect(2, func(c *controller, k *code.Call) {
		line := c.line(k, 1)
		c.serving(line).DataCallback(line, (*memory.Block)(c.vector(k, 0)))
	}),
	"RubyPrefetcher.observeMiss": effect(2, func(c *controller, k *code.Call) {
		if c.streams != nil {
			c.streams.Miss(c.line(k, 0), c.word(k, 1), c.now)
		}
	}),
	"RubyPrefetcher.observePfHit":          effect(1, observeUse),
	"RubyPrefetcher.observePfMiss":         effect(1, observeUse),
	"RubyPrefetcherProxy.completePrefetch": effect(1, completePrefetch),
}

// dataCallback is a call of a core with a line and its data.
func dataCallback(f func(c *controller, part int, line memory.Addr, data *memory.Block)) nativeWord {
	return effect(2, func(c *controller, k *code.Call) {
		f(c, k.Part, c.line(k, 0), (*memory.Block)(c.vector(k, 1)))
	})
}
