package ruby

import (
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/types"
)

func isTimer(p *types.InPort) bool { return p.Buffer.Type.Name == "TimerTable" }

// timerReady reports whether the time of any line is over.
func timerReady(at int) wordExpr {
	return func(c *controller) uint64 {
		_, over := c.timers[at].Next(c.now)
		return truth(over)
	}
}

func nextTimed(g *generator, x *types.Call) wordExpr {
	at, pos := g.partOf(x), x.At
	return func(c *controller) uint64 {
		line, over := c.timers[at].Next(c.now)
		if !over {
			c.failAt(pos, "timer table: no time is over", "%d lines", len(c.timers[at].Lines))
		}
		return uint64(line)
	}
}

func setTimer(g *generator, x *types.Call) wordExpr {
	at, line, tick, pos := g.partOf(x), g.word(x.Args[0]), g.word(x.Args[1]), x.At
	return func(c *controller) uint64 {
		l, over := memory.Addr(line(c)), event.Tick(tick(c))
		if err := c.timers[at].Set(l, over); err != nil {
			c.failAt(pos, err.Error(), "line %#x", int64(l))
		}
		c.wake(max(over, c.now)) // to be polled when the time is over
		return 0
	}
}

func unsetTimer(c *controller, at int, line memory.Addr) uint64 {
	if err := c.timers[at].Unset(line); err != nil {
		c.fail(err.Error(), "line %#x", int64(line))
	}
	return 0
}
