package ruby

import (
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/types"
)

// coreBuiltins are the calls of cores and devices.
var coreBuiltins = map[string]native[wordExpr]{
	// What a core is given besides the line and the data is for statistics.
	"Sequencer.readCallback":        dataCallback(readData),
	"Sequencer.writeUniqueCallback": dataCallback(writeUnique),
	"Sequencer.writeCallback": dataCallback(func(c *controller, at int, line memory.Addr, data *memory.Block) {
		c.sequencer(at).WriteCallback(line, data)
	}),
	"Sequencer.atomicCallback": func(g *generator, x *types.Call) wordExpr {
		g.code.atomics = g.request.mask >= 0 && g.request.atomic > 0
		return dataCallback(func(c *controller, at int, line memory.Addr, data *memory.Block) {
			c.sequencer(at).AtomicCallback(line, data)
		})(g, x)
	},
	"Sequencer.evictionCallback": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		c.notice(at, line)
		c.sequencer(at).EvictionCallback(line)
		return 0
	}),
	"DMASequencer.ackCallback":       transferred(0, -1),
	"DMASequencer.dataCallback":      transferred(1, 0),
	"DMASequencer.atomicCallback":    never, // devices make loads and stores only
	"DMASequencer.recordRequestType": nothing,
	"Sequencer.recordRequestType":    nothing,
	"Sequencer.invalidateSC": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		c.sequencer(at).Unlink(line)
		return 0
	}),
	"Sequencer.checkCoherence": nothing, // of testers
	"Sequencer.invL1Callback":  nothing,
	"Sequencer.writeCallbackScFail": dataCallback(func(c *controller, at int, line memory.Addr, data *memory.Block) {
		c.sequencer(at).FailConditional(line, data)
	}),
	"Sequencer.llscClearLocalMonitor": nothing, // of transactions
	"Sequencer.llscCheckMonitor": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		return truth(c.sequencer(at).Linked(line))
	}),
	"Sequencer.checkResourceAvailable": always(1),
	"Sequencer":                        never, // cores make loads and stores only
	"HTMSequencer":                     never,
}
