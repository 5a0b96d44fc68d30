package ruby

import (
	"unsafe"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// headLocked reports whether a port waits for the lock of the line that a message is
// about.
func (c *controller) headLocked(port int, line memory.Addr) bool {
	return c.in[port] != c.mandatory && c.isLocked(line)
}

// delayHead puts the head of a port in once more, one cycle later. In a buffer that
// gem5 makes ordered that is a fault if a later message has been put in meanwhile
// that arrives after it (MessageBuffer::delayHead is a pop and an enqueue).
func (c *controller) delayHead(port int) {
	b, until := c.in[port], c.now+1
	if b.clock != 0 {
		until = max(until, c.now-event.Tick(b.clock))
		if arrives := b.overtakes(c.now, until); arrives > 0 {
			c.failAt(c.code.Decl.InPorts[port].Var.Pos, "FIFO ordering violated",
				"buffer %s: a message for a locked line is put off at tick %d by a cycle of its core, %s; another one arrives at %d", b.name(), c.now, b.cycle(), arrives)
		}
	} else if !b.inOrder(until) {
		c.failAt(c.code.Decl.InPorts[port].Var.Pos, "FIFO ordering violated",
			"buffer %s: a message for a locked line is delayed to tick %d, a later one arrives at %d", b.name(), until, b.last)
	}
	b.putOff(until)
}

// enqueue puts a message into an out_port, to arrive after a delay, for the
// instruction before at.
func (c *controller) enqueue(m *object, port int, delay event.Tick, at unsafe.Pointer) {
	if c.spent += messageCost; c.spent > budget {
		c.overspent(at)
	}
	if delay < 0 || delay > 1<<40 {
		c.failAt(c.pos(at), "enqueue with a negative latency", "latency %d", delay)
	}
	out := c.out[port]
	if !out.inOrder(c.now + delay) {
		c.failAt(c.pos(at), "FIFO ordering violated", "buffer %s: a message arrives at tick %d, an earlier one at %d", out.name(), c.now+delay, out.last)
	}
	out.enqueue(m, c.now+delay)
	if out.overfull() {
		c.failAt(c.pos(at), "message buffer overfull", "buffer %s has %d messages and room for %d", out.name(), out.held(), out.capacity.limit)
	}
}
