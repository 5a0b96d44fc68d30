package ruby

import (
	"unsafe"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// peek compiles a peek. With block_on it puts the message off by a cycle if a
// core holds the lock of the line that the field names, unless the message is
// from the core itself.
func (g *generator) peek(s *types.Peek) {
	layout := g.layout(s.Msg.Type)
	if s.WakeUp != nil {
		g.unsupported(s.Pos(), "a peek with wake_up")
	}
	in := instruction{op: opPeek, a: uint32(g.where(s.Msg)), b: uint32(s.Port.Var.Index), c: uint32(layout.index)}
	if s.BlockOn != nil {
		g.code.blocks = true
		in.op, in.n = opPeekUnlocked, uint16(layout.offset[s.BlockOn])
	}
	g.emit(s.Pos(), in)
	g.block(s.Body)
}

// headLocked reports whether a port waits for the lock of the line that a message is
// about.
func (c *controller) headLocked(port int, line memory.Addr) bool {
	return c.in[port] != c.mandatory && c.isLocked(line)
}

// delayHead puts the head of a port in once more, one cycle later. In a buffer that
// gem5 makes ordered that is a fault if a later message has been put in meanwhile
// that arrives after it (MessageBuffer::delayHead is a pop and an enqueue).
func (c *controller) delayHead(port int) {
	b := c.in[port]
	if !b.inOrder(c.now + 1) {
		c.failAt(c.code.machine.InPorts[port].Var.Pos, "FIFO ordering violated",
			"buffer %s: a message for a locked line is delayed to tick %d, a later one arrives at %d", b.name(), c.now+1, b.last)
	}
	b.putOff(c.now + 1)
}

func (g *generator) enqueue(s *types.Enqueue) {
	at := uint32(g.where(s.Msg))
	if s.Deferred {
		g.unsupported(s.Pos(), "defer_enqueueing")
	}
	words, left := g.template(s)
	g.emit(s.Pos(), instruction{op: opNew, a: at, b: uint32(g.layout(s.Msg.Type).index), c: addTo(&g.code.messages, words)})
	g.block(left)
	latency := g.constant(1)
	if s.Latency != nil {
		latency = g.place(s.Latency)
	}
	g.emit(s.Pos(), instruction{op: opEnqueue, a: at, b: uint32(s.Port.Var.Index), c: uint32(latency)})
}

// enqueue puts a message into an out_port, to arrive after a delay, for the
// instruction before at.
func (c *controller) enqueue(m *object, port int, delay event.Tick, at unsafe.Pointer) {
	if delay < 0 || delay > 1<<40 {
		c.failAt(c.pos(at), "enqueue with a negative latency", "latency %d", delay)
	}
	out := c.out[port]
	if !out.inOrder(c.now + delay) {
		c.failAt(c.pos(at), "FIFO ordering violated", "buffer %s: a message arrives at tick %d, an earlier one at %d", out.name(), c.now+delay, out.last)
	}
	out.enqueue(m, c.now+delay)
	if out.overfull() {
		c.failAt(c.pos(at), "message buffer overfull", "buffer %s has %d messages and room for %d", out.name(), out.held(), out.room.limit)
	}
}

func (g *generator) portAddr(s *types.PortAddr) {
	op := opWakePort
	switch s.Kind {
	case syntax.CheckProbe:
		op = opProbe
	case syntax.StallAndWait:
		op = opStall
	}
	g.emit(s.Pos(), instruction{op: op, b: uint32(s.Port.Var.Index), c: uint32(g.place(s.Addr))})
}
