package ruby

import (
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/types"
)

func isTimer(p *types.InPort) bool { return p.Buffer.Type.Name == "TimerTable" }

// timerNatives are the methods of a TimerTable.
var timerNatives = map[string]nativeWord{
	"TimerTable.isReady": {0, func(c *controller, k *call) uint64 { // whether the time of any line is over
		_, over := c.timers[k.part].Next(c.now)
		return truth(over)
	}},
	"TimerTable.isSet": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		return truth(c.timers[at].Find(line) >= 0)
	}),
	"TimerTable.unset": lineMethod(unsetTimer),
	"TimerTable.nextAddress": {0, func(c *controller, k *call) uint64 {
		line, over := c.timers[k.part].Next(c.now)
		if !over {
			c.failAt(k.at, "timer table: no time is over", "%d lines", len(c.timers[k.part].Lines))
		}
		return uint64(line)
	}},
	"TimerTable.set": effect(2, func(c *controller, k *call) {
		line, over := c.line(k, 0), event.Tick(c.word(k, 1))
		if err := c.timers[k.part].Set(line, over); err != nil {
			c.failAt(k.at, err.Error(), "line %#x", int64(line))
		}
		c.wake(max(over, c.now)) // to be polled when the time is over
	}),
}

func unsetTimer(c *controller, at int, line memory.Addr) uint64 {
	if err := c.timers[at].Unset(line); err != nil {
		c.fail(err.Error(), "line %#x", int64(line))
	}
	return 0
}
