package ruby

import (
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// peek compiles a peek. With block_on it puts the message off by a cycle if a
// core holds the lock of the line that the field names, unless the message is
// from the core itself.
func (g *generator) peek(s *types.Peek) statement {
	port, at, layout := s.Port.Var.Index, g.where(s.Msg), g.layout(s.Msg.Type)
	if s.WakeUp != nil {
		g.unsupported(s.Pos(), "a peek with wake_up")
	}
	body := g.block(s.Body)
	if s.BlockOn == nil {
		return func(c *controller) flow {
			c.pointers[at] = c.head(port, layout)
			return body(c)
		}
	}
	line := layout.offset[s.BlockOn]
	g.code.blocks = true
	return func(c *controller) flow {
		m := c.head(port, layout)
		if len(c.locked) > 0 && c.in[port] != c.mandatory && c.isLocked(memory.Addr(m.words[line])) {
			c.delayHead(port)
			return again
		}
		c.pointers[at] = m
		return body(c)
	}
}

// delayHead puts the head of a port in once more, one cycle later. In a buffer that
// gem5 makes ordered that is a fault if a later message has been put in meanwhile
// that arrives after it (MessageBuffer::delayHead is a pop and an enqueue).
func (c *controller) delayHead(port int) {
	b := c.in[port]
	if !b.inOrder(c.now + 1) {
		c.failAt(c.code.machine.InPorts[port].Var.Pos, "FIFO ordering violated",
			"buffer %s: a message for a locked line is delayed to tick %d, a later one arrives at %d", b.name, c.now+1, b.last)
	}
	b.putOff(c.now + 1)
}

func (g *generator) enqueue(s *types.Enqueue) statement {
	port, at, index := s.Port.Var.Index, g.where(s.Msg), g.layout(s.Msg.Type).index
	if s.Deferred {
		g.unsupported(s.Pos(), "defer_enqueueing")
	}
	latency := func(*controller) uint64 { return 1 }
	if s.Latency != nil {
		latency = g.word(s.Latency)
	}
	body := g.block(s.Body)
	pos := s.Pos()
	return func(c *controller) flow {
		m := c.system.pools[index].get()
		c.pointers[at] = m
		body(c)
		delay := event.Tick(latency(c))
		if delay < 0 || delay > 1<<40 {
			c.failAt(pos, "enqueue with a negative latency", "latency %d", delay)
		}
		out := c.out[port]
		if !out.inOrder(c.now + delay) {
			c.failAt(pos, "FIFO ordering violated", "buffer %s: a message arrives at tick %d, an earlier one at %d", out.name, c.now+delay, out.last)
		}
		out.enqueue(m, c.now+delay)
		if out.overfull() {
			c.failAt(pos, "message buffer overfull", "buffer %s has %d messages and room for %d", out.name, out.held(), out.room.limit)
		}
		return next
	}
}

func (g *generator) portAddr(s *types.PortAddr) statement {
	switch s.Kind {
	case syntax.CheckProbe:
		port, line := s.Port.Var.Index, g.word(s.Addr)
		return func(c *controller) flow {
			if len(c.locked) > 0 && c.in[port] == c.mandatory && c.isLocked(memory.Addr(line(c))) {
				c.delayHead(port)
				return again
			}
			return next
		}
	case syntax.StallAndWait:
		port, line := s.Port.Var.Index, g.word(s.Addr)
		return func(c *controller) flow {
			c.stallPort(port, memory.Addr(line(c)))
			return next
		}
	}
	port, line := s.Port.Var.Index, g.word(s.Addr)
	return func(c *controller) flow {
		c.wakeUpBuffer(c.in[port], memory.Addr(line(c)))
		return next
	}
}
