package ruby

import (
	"slices"

	"ordeal/gen"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/bytemask"
	"ordeal/sim/ruby/code"
)

// sequencerPort puts the accesses of one core into the mandatory queue of its
// controller, and keeps the messages of others from the line whose lock the
// core holds: gem5's blockOnQueue.
type sequencerPort struct {
	controller *controller
	core       uint64 // among the cores of the controller
	port       int    // among the cores of the system
	latency    event.Tick
	fields     *code.RequestFields
}

var _ memory.AtomicController = (*sequencerPort)(nil)

// Atomics reports whether the protocol completes atomic accesses by a callback
// of their own.
func (i *sequencerPort) Atomics() bool { return i.controller.code.Atomics }

// IssueAtomic puts an atomic access into the mandatory queue.
func (i *sequencerPort) IssueAtomic(line memory.Addr, word uint8) {
	c, f := i.controller, i.fields
	m := i.message(line, f.Atomic)
	at := uint64(word) * gen.WordBytes
	m.words[f.Physical] = uint64(line) + at
	m.words[f.Mask], m.words[f.Mask+1] = bytemask.Range(at, gen.WordBytes), uint64(i.port)+1
	c.mandatory.enqueue(m, c.system.queue.Now()+c.system.portLatency(i.latency))
}

// Issue puts an access into the mandatory queue.
func (i *sequencerPort) Issue(r memory.Request) {
	c, kind := i.controller, i.fields.Load
	switch {
	case r.Kind == memory.Flush:
		kind = i.fields.Flush
	case r.Lock == memory.LoadLinked:
		kind = i.fields.Linked
	case r.Lock == memory.StoreConditional:
		kind = i.fields.Conditional
	case r.Write:
		kind = i.fields.Store
	case r.Kind == memory.Fetch:
		kind = i.fields.Fetch
	}
	c.mandatory.enqueue(i.message(r.Line, kind), c.system.queue.Now()+c.system.portLatency(i.latency))
}

// message is a request of the core.
func (i *sequencerPort) message(line memory.Addr, kind uint64) *object {
	m := i.controller.system.request(line, kind)
	m.words[i.fields.Context] = i.core
	return m
}

// message is a request of a word of a line.
func (s *System) request(line memory.Addr, kind uint64) *object {
	f := &s.program.Request
	m := s.pools[f.Layout.Index].get()
	m.words[f.Line] = uint64(line)
	m.words[f.Physical] = uint64(line)
	m.words[f.Size] = gen.WordBytes
	m.words[f.Kind] = kind
	return m
}

var _ memory.Locker = (*sequencerPort)(nil)

// Block keeps all others from a line.
func (i *sequencerPort) Block(line memory.Addr) {
	i.controller.locked = append(i.controller.locked, line)
}

// Unblock ends Block. The messages that were put off come back by themselves.
func (i *sequencerPort) Unblock(line memory.Addr) {
	c := i.controller
	if at := slices.Index(c.locked, line); at >= 0 {
		c.locked = slices.Delete(c.locked, at, at+1)
	}
}

func (c *controller) isLocked(line memory.Addr) bool { return slices.Contains(c.locked, line) }
