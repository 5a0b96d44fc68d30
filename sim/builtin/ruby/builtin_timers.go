package ruby

import (
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/types"
)

// timer is a TimerTable: lines and the ticks at which their time is over.
type timer struct {
	owner *controller
	lines []timed
}

type timed struct {
	line memory.Addr
	at   event.Tick
}

// find is the index of a line, -1 if its time does not run.
func (t *timer) find(line memory.Addr) int {
	for i := range t.lines {
		if t.lines[i].line == line {
			return i
		}
	}
	return -1
}

// next is the line whose time is over first; false if none is over.
func (t *timer) next(now event.Tick) (memory.Addr, bool) {
	best := -1
	for i := range t.lines {
		if t.lines[i].at <= now && (best < 0 || t.lines[i].at < t.lines[best].at) {
			best = i
		}
	}
	if best < 0 {
		return 0, false
	}
	return t.lines[best].line, true
}

// set has the owner polled when a line's time is over.
func (t *timer) set(line memory.Addr, at event.Tick) {
	t.lines = append(t.lines, timed{line, at})
	t.owner.wake(max(at, t.owner.now))
}

func isTimer(p *types.InPort) bool { return p.Buffer.Type.Name == "TimerTable" }

// timerReady reports whether the time of any line is over.
func timerReady(at int) wordExpr {
	return func(c *controller) uint64 {
		_, over := c.timers[at].next(c.now)
		return truth(over)
	}
}

func nextTimed(g *generator, x *types.Call) wordExpr {
	at, pos := g.partOf(x), x.At
	return func(c *controller) uint64 {
		line, over := c.timers[at].next(c.now)
		if !over {
			c.failAt(pos, "timer table: no time is over", "%d lines", len(c.timers[at].lines))
		}
		return uint64(line)
	}
}

func setTimer(g *generator, x *types.Call) wordExpr {
	at, line, tick, pos := g.partOf(x), g.word(x.Args[0]), g.word(x.Args[1]), x.At
	return func(c *controller) uint64 {
		l := memory.Addr(line(c))
		if c.timers[at].find(l) >= 0 {
			c.failAt(pos, "timer table: set of a line that is set", "line %#x", int64(l))
		}
		c.timers[at].set(l, event.Tick(tick(c)))
		return 0
	}
}

func unsetTimer(c *controller, at int, line memory.Addr) uint64 {
	t := c.timers[at]
	i := t.find(line)
	if i < 0 {
		c.fail("timer table: unset of a line that is not set", "line %#x", int64(line))
	}
	t.lines = append(t.lines[:i], t.lines[i+1:]...)
	return 0
}
