package ruby

import (
	"slices"

	"ordeal/gen"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/bytemask"
)

// issuer puts the accesses of one core into the mandatory queue of its
// controller, and keeps the messages of others from the line whose lock the
// core holds: gem5's blockOnQueue.
type issuer struct {
	controller *controller
	core       uint64 // among the cores of the controller
	port       int    // among the cores of the system
	latency    event.Tick
	fields     *requestFields
}

// requestFields are the offsets in a RubyRequest and the values that matter.
type requestFields struct {
	layout                              *layout
	line, physical, kind, context, size int
	mask                                int // -1 if there is none
	prefetch                            int // likewise
	isPrefetch                          uint64
	load, store, fetch, flush           uint64
	conditional                         uint64 // of a conditional store
	atomic                              uint64 // that returns what the word held
}

var _ memory.AtomicController = (*issuer)(nil)

// Atomics reports whether the protocol completes atomic accesses by a callback
// of their own.
func (i *issuer) Atomics() bool { return i.controller.code.atomics }

// IssueAtomic puts an atomic access into the mandatory queue.
func (i *issuer) IssueAtomic(line memory.Addr, word uint8) {
	c, f := i.controller, i.fields
	m := i.message(line, f.atomic)
	at := uint64(word) * gen.WordBytes
	m.words[f.physical] = uint64(line) + at
	m.words[f.mask], m.words[f.mask+1] = bytemask.Range(at, gen.WordBytes), uint64(i.port)+1
	c.mandatory.enqueue(m, c.system.queue.Now()+i.latency)
}

// Issue puts an access into the mandatory queue.
func (i *issuer) Issue(r memory.Request) {
	c, kind := i.controller, i.fields.load
	switch {
	case r.Kind == memory.Flush:
		kind = i.fields.flush
	case r.Lock == memory.StoreConditional:
		kind = i.fields.conditional
	case r.Write:
		kind = i.fields.store
	case r.Kind == memory.Fetch:
		kind = i.fields.fetch
	}
	c.mandatory.enqueue(i.message(r.Line, kind), c.system.queue.Now()+i.latency)
}

// message is a request of the core.
func (i *issuer) message(line memory.Addr, kind uint64) *object {
	m := i.fields.message(i.controller.system, line, kind)
	m.words[i.fields.context] = i.core
	return m
}

// message is a request of a word of a line.
func (f *requestFields) message(s *System, line memory.Addr, kind uint64) *object {
	m := s.pools[f.layout.index].get()
	m.words[f.line] = uint64(line)
	m.words[f.physical] = uint64(line)
	m.words[f.size] = gen.WordBytes
	m.words[f.kind] = kind
	return m
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
