package ruby

import (
	"math/rand/v2"
	"reflect"

	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby/structure"
)

// spare is memory of a system that has ended, for the next one of the protocol:
// most of a short run would be spent on allocating it.
type spare struct {
	pools            []pool // by layout
	recent           []delivery
	coverage, stalls [][]uint64 // by machine, state and event
}

// most bounds the objects of a layout that stay for other systems.
const most = 4096

// newSpare makes memory for a system.
func (p *program) newSpare() *spare {
	m := &spare{pools: make([]pool, len(p.Layouts))}
	for _, l := range p.Layouts {
		m.pools[l.Index].layout = l
	}
	for _, mc := range p.Codes {
		m.coverage = append(m.coverage, make([]uint64, len(mc.Rows)))
		m.stalls = append(m.stalls, make([]uint64, len(mc.Rows)))
	}
	return m
}

// released is a system that has ended, of the same machine as the options describe;
// nil if there is none. There is memory for another one then.
func (p *program) released(o *Options) (*System, *spare) {
	s, ok := p.spares.Get().(*System)
	switch {
	case !ok:
		return nil, p.newSpare()
	case s.options.sameMachine(o):
		return s, nil
	}
	return nil, &s.spare
}

// sameMachine reports whether systems of two options differ in their seeds only, and none is
// observed.
func (o *Options) sameMachine(other *Options) bool {
	a, b := *o, *other
	a.Seed, b.Seed = 0, 0
	return reflect.DeepEqual(a, b) // false if there is a function
}

// Release gives a system back. Neither it nor anything that it handed out may be
// used afterwards.
func (s *System) Release() {
	for i := range s.pools {
		s.pools[i].reclaim()
	}
	clear(s.recent)
	s.recent, s.oldest, s.reading = s.recent[:0], 0, reading{}
	for k := range s.coverage {
		clear(s.coverage[k])
		clear(s.stalls[k])
	}
	for _, list := range s.controllers {
		for _, c := range list {
			c.reset()
		}
	}
	s.queue = nil
	s.program.spares.Put(s)
}

// restart begins anew with the events and the seed of another run.
func (s *System) restart(q *event.Queue, seed uint64) {
	s.queue, s.options.Seed = q, seed
	for _, a := range s.actors {
		*a.waking() = wakeups{queue: q, self: q.Add(a)}
	}
	for _, p := range s.ports {
		p.Reset(q)
	}
	for _, d := range s.devices {
		d.Reset(q)
	}
	s.network.Reset(seed)
	for _, list := range s.controllers {
		for _, c := range list {
			if c.memory != nil {
				c.memory.random = memoryRandom(seed, c.id)
			}
		}
	}
}

// memoryRandom draws the latencies of the memory of a controller.
func memoryRandom(seed, id uint64) *rand.PCG { return rand.NewPCG(seed, memoryStream+id) }

// actor is an actor of a system.
type actor interface {
	event.Handler
	waking() *wakeups
}

func (w *wakeups) waking() *wakeups { return w }

// act makes a an actor.
func (s *System) act(a actor) {
	*a.waking() = wakeups{queue: s.queue, self: s.queue.Add(a)}
	s.actors = append(s.actors, a)
}

// reset makes the state of a controller the one that it began with. What restart sets
// is left out.
func (c *controller) reset() {
	copy(c.words, c.initial)
	clear(c.pointers)
	clear(c.returns)
	c.idle, c.now, c.depth, c.spent = false, 0, 0, 0
	c.port, c.state, c.event, c.next, c.end = 0, 0, -1, 0, done
	c.locked, c.prefetching, c.waiting = c.locked[:0], c.prefetching[:0], c.waiting[:0]
	for i := range c.underway {
		c.underway[i] = c.underway[i][:0]
	}
	for _, b := range c.buffers {
		b.reset()
	}
	for _, cache := range c.caches {
		cache.Reset()
	}
	for _, t := range c.tables {
		clear(t.entries)
		t.entries = t.entries[:0]
	}
	for _, d := range c.directory {
		d.reset()
	}
	if c.streams != nil {
		c.streams.Reset()
	}
	for _, t := range c.timers {
		t.Lines = t.Lines[:0]
	}
	for _, p := range c.persistents {
		p.Lines = nil
	}
	for _, s := range c.storages {
		*s = *structure.NewStorage(s.Capacity())
	}
	for _, l := range c.lists {
		l.Words = l.Words[:0]
	}
	if m := c.memory; m != nil {
		m.requests.reset() // of no machine's
		clear(m.last)
		clear(m.lines)
	}
}

// reset empties a buffer.
func (b *buffer) reset() {
	clear(b.items)
	b.items, b.head, b.count, b.delayed, b.last, b.stalls = b.items[:0], 0, 0, 0, 0, b.stalls[:0]
	if b.capacity != nil {
		b.capacity = newCapacity(b.capacity.limit)
	}
	if b.throttle != nil {
		b.throttle.held.reset()
	}
}

// reclaim takes all objects back, whatever refers to them.
func (p *pool) reclaim() {
	clear(p.dead)
	clear(p.free)
	p.dead, p.next, p.free = p.dead[:0], 0, append(p.free[:0], p.made...)
}
