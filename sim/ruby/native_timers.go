package ruby

import (
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
)

// timerNatives are the methods of a TimerTable.
var timerNatives = map[string]nativeWord{
	"TimerTable.isReady": {0, func(c *controller, k *code.Call) uint64 { // whether the time of any line is over
		_, over := c.timers[k.Part].Next(c.now)
		return truth(over)
	}},
	"TimerTable.isSet": lineMethod(func(c *controller, at int, line memory.Addr) uint64 {
		return truth(c.timers[at].Find(line) >= 0)
	}),
	"TimerTable.unset": lineMethod(unsetTimer),
	"TimerTable.nextAddress": {0, func(c *controller, k *code.Call) uint64 {
		line, over := c.timers[k.Part].Next(c.now)
		if !over {
			c.failAt(k.At, "timer table: no time is over", "%d lines", len(c.timers[k.Part].Lines))
		}
		return uint64(line)
	}},
	"TimerTable.set": effect(2, func(c *controller, k *code.Call) {
		line, over := c.line(k, 0), event.Tick(c.word(k, 1))
		if err := c.timers[k.Part].Set(line, over); err != nil {
			c.failAt(k.At, err.Error(), "line %#x", int64(line))
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
