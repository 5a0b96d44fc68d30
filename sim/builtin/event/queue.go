// Package event is the clock of the embedded simulator: a queue of events at
// integer ticks, whose order is a function of a seed, and distributions of
// delays.
package event

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync"
)

// Tick is a point in simulated time. One tick is one cycle of every clock.
type Tick int64

// Actor names a handler that was added to a Queue, from 0.
type Actor int32

// Handler receives the events of its actor. The argument is what the event
// was scheduled with.
type Handler interface{ Handle(arg uint64) }

// The wheel holds the events of the next wheelTicks ticks in one bucket a
// tick; later ones wait in a heap. The size is a power of two.
const (
	wheelTicks  = 256
	firstBucket = 4 // events that a bucket holds before it has to grow
)

// stream is the second word of the PCG that shuffles events.
const stream = 0x6576656e74 // "event"

// Queue is a queue of events and the current time. It allocates memory only
// while it grows, and is not safe for concurrent use.
type Queue struct {
	now      Tick
	order    Order
	random   *rand.PCG
	handlers []Handler

	wheel [wheelTicks][]item
	busy  [wheelTicks / 64]uint64 // a bit for each bucket that may hold events
	near  int                     // events in the wheel
	head  int                     // FIFO: events of the current bucket that ran
	far   farHeap

	hash, count uint64
	halted      bool
	err         error
}

type item struct {
	arg   uint64
	actor Actor
}

// released has the queues of Release.
var released sync.Pool

// New makes an empty queue at tick 0. The seed matters to order Shuffled.
func New(order Order, seed uint64) *Queue {
	q, ok := released.Get().(*Queue)
	if !ok {
		q = new(Queue)
		slab := make([]item, wheelTicks*firstBucket)
		for i := range q.wheel {
			q.wheel[i] = slab[i*firstBucket : i*firstBucket : (i+1)*firstBucket]
		}
	}
	q.order, q.random = order, rand.NewPCG(seed, stream)
	return q
}

// Release gives the memory of a queue back, which may not be used afterwards.
func (q *Queue) Release() {
	empty := Queue{wheel: q.wheel, handlers: q.handlers[:0], far: farHeap{items: q.far.items[:0]}}
	for i := range empty.wheel {
		empty.wheel[i] = empty.wheel[i][:0]
	}
	clear(q.handlers)
	*q = empty
	released.Put(q)
}

// Add makes h an actor.
func (q *Queue) Add(h Handler) Actor {
	q.handlers = append(q.handlers, h)
	return Actor(len(q.handlers) - 1)
}

// Now is the current tick.
func (q *Queue) Now() Tick { return q.now }

// Count is the number of events that ran.
func (q *Queue) Count() uint64 { return q.count }

// Hash is a running hash of the events that ran: their ticks, actors and
// arguments in order.
func (q *Queue) Hash() uint64 { return q.hash }

// Waiting is the number of events that are scheduled and did not run yet.
func (q *Queue) Waiting() int { return q.near + len(q.far.items) }

// At schedules an event for actor a at tick t, which is not in the past; at
// the current tick it runs after the current event.
func (q *Queue) At(t Tick, a Actor, arg uint64) {
	switch d := t - q.now; {
	case d < 0:
		panic(fmt.Sprintf("event for actor %d at tick %d scheduled at tick %d: an actor computed a negative delay", a, t, q.now))
	case d < wheelTicks:
		q.put(t, item{arg, a})
	default:
		q.far.push(t, item{arg, a})
	}
}

func (q *Queue) put(t Tick, it item) {
	i := bucket(t)
	q.wheel[i] = append(q.wheel[i], it)
	q.busy[i/64] |= 1 << (i % 64)
	q.near++
}

// bucket is the index of a tick's bucket.
func bucket(t Tick) uint64 { return uint64(t) % wheelTicks }

// Halt makes Run return after the current event.
func (q *Queue) Halt() { q.halted = true }

// Fail makes Run return err after the current event and from then on. Only
// the first failure counts.
func (q *Queue) Fail(err error) {
	if q.err == nil {
		q.err = err
	}
	q.halted = true
}

// Err is the failure, nil when there was none.
func (q *Queue) Err() error { return q.err }

// Recover returns the failure and forgets it.
func (q *Queue) Recover() error {
	err := q.err
	q.err, q.halted = nil, false
	return err
}

// Run runs at most limit events. It returns early when no event is left, when
// an event called Halt, and with the error when an event called Fail.
func (q *Queue) Run(limit int) error {
	if q.err != nil {
		return q.err
	}
	q.halted = false
	for ; limit > 0 && !q.halted; limit-- {
		if len(q.wheel[bucket(q.now)]) == 0 && !q.advance() {
			break
		}
		it := q.pop()
		q.near--
		q.count++
		h := bits.RotateLeft64((q.hash^uint64(q.now))*0x9e3779b97f4a7c15, 29)
		q.hash = bits.RotateLeft64((h^it.arg)*0xbf58476d1ce4e5b9, 31) + uint64(it.actor)
		q.handlers[it.actor].Handle(it.arg)
	}
	return q.err
}

// advance moves to the next tick that has an event; the bucket of the current
// one is empty. It reports whether there is such a tick.
func (q *Queue) advance() bool {
	here := bucket(q.now)
	q.busy[here/64] &^= 1 << (here % 64)
	switch {
	case q.near > 0:
		q.now += q.distance(here)
	case len(q.far.items) > 0:
		q.now = q.far.items[0].at
	default:
		return false
	}
	for len(q.far.items) > 0 && q.far.items[0].at < q.now+wheelTicks {
		it := q.far.pop()
		q.put(it.at, it.item)
	}
	return true
}

// distance counts the ticks from bucket here, which is not busy, to the next
// busy bucket.
func (q *Queue) distance(here uint64) Tick {
	const words = wheelTicks / 64
	w := here / 64
	if rest := q.busy[w] >> (here % 64); rest != 0 {
		return Tick(bits.TrailingZeros64(rest))
	}
	for i := uint64(1); i <= words; i++ {
		if word := q.busy[(w+i)%words]; word != 0 {
			return Tick((w+i)*64 + uint64(bits.TrailingZeros64(word)) - here)
		}
	}
	panic("event queue: events are counted in the wheel, but no bucket is busy")
}
