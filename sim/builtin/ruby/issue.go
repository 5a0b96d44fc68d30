package ruby

import (
	"slices"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// issuer puts the accesses of one core into the mandatory queue of its
// controller, and keeps the messages of others from the line whose lock the
// core holds: gem5's blockOnQueue.
type issuer struct {
	controller *controller
	core       uint64 // among the cores of the controller
	latency    event.Tick
	fields     *requestFields
}

// requestFields are the offsets in a RubyRequest and the values that matter.
type requestFields struct {
	layout                              *layout
	line, physical, kind, context, size int
	load, store                         uint64
}

// Issue puts an access into the mandatory queue.
func (i *issuer) Issue(line memory.Addr, write bool) {
	c, f := i.controller, i.fields
	m := c.system.pools[f.layout.index].get()
	m.words[f.line] = uint64(line)
	m.words[f.physical] = uint64(line)
	m.words[f.context] = i.core
	m.words[f.size] = 8
	m.words[f.kind] = f.load
	if write {
		m.words[f.kind] = f.store
	}
	c.mandatory.enqueue(m, c.system.queue.Now()+i.latency)
}

var _ memory.Locker = (*issuer)(nil)

// Block keeps all others from a line.
func (i *issuer) Block(line memory.Addr) {
	i.controller.locked = append(i.controller.locked, line)
}

// Unblock ends Block. The messages that were put off come back by themselves.
func (i *issuer) Unblock(line memory.Addr) {
	c := i.controller
	if at := slices.Index(c.locked, line); at >= 0 {
		c.locked = slices.Delete(c.locked, at, at+1)
	}
}

func (c *controller) isLocked(line memory.Addr) bool { return slices.Contains(c.locked, line) }
