package ruby

import (
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// issuer puts the accesses of one core into the mandatory queue of its
// controller.
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
