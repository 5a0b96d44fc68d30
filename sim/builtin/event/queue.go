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
const wheelTicks = 256

// stream is the second word of the PCG that shuffles events.
const stream = 0x6576656e74 // "event"

// firstNodes is the number of events in the wheel, and one, that a queue has memory for
// from the start.
const firstNodes = 64

// Queue is a queue of events and the current time. It allocates memory only
// while it grows, and is not safe for concurrent use.
type Queue struct {
	now      Tick
	order    Order
	random   *rand.PCG
	handlers []Handler

	wheel [wheelTicks]bucket
	nodes []node                  // of the buckets' lists; the first is none
	spare int32                   // the first of the nodes in no list
	busy  [wheelTicks / 64]uint64 // a bit for each bucket that may hold events
	far   farHeap

	hash, count uint64
	longest     Tick // see Longest
	halted      bool
	still       bool
	err         error
}

type item struct {
	arg   uint64
	actor Actor
}

// bucket is the list of the events of a tick, by the indexes of nodes, 0 for none:
// the one that was scheduled first at its front in order FIFO, and at its back in the
// others.
type bucket struct {
	front, back int32
	n           int32
}

// node is an event in a list. The lists share their nodes: those that were used last are
// used next, so that few of them stay in a processor's nearest cache.
type node struct {
	arg   uint64
	actor Actor
	next  int32
}

// released has the queues of Release.
var released sync.Pool

// New makes an empty queue at tick 0. The seed matters to order Shuffled.
func New(order Order, seed uint64) *Queue {
	q, ok := released.Get().(*Queue)
	if !ok {
		q = &Queue{nodes: make([]node, 1, firstNodes)}
	}
	q.order, q.random = order, rand.NewPCG(seed, stream)
	return q
}

// Still makes a queue whose time stands still at a tick: nothing is to be scheduled on it, and it
// runs nothing.
func Still(at Tick) *Queue { return &Queue{now: at, still: true} }

// Still reports whether the queue is one of Still.
func (q *Queue) Still() bool { return q.still }

// Release gives the memory of a queue back, which may not be used afterwards.
func (q *Queue) Release() {
	clear(q.handlers)
	*q = Queue{nodes: q.nodes[:1], handlers: q.handlers[:0], far: farHeap{items: q.far.items[:0]}}
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

// Longest is how far ahead an event was scheduled at most, 0 where none was so by 256 ticks.
func (q *Queue) Longest() Tick { return q.longest }

// Latest is a tick by which every event has run that is scheduled.
func (q *Queue) Latest() Tick {
	latest := q.now + wheelTicks
	for i := range q.far.items {
		latest = max(latest, q.far.items[i].at)
	}
	return latest
}

// Hash is a running hash of the events that ran: their ticks, actors and
// arguments in order.
func (q *Queue) Hash() uint64 { return q.hash }

// Waiting is the number of events that are scheduled and did not run yet.
func (q *Queue) Waiting() int {
	n := len(q.far.items)
	for i := range q.wheel {
		n += int(q.wheel[i].n)
	}
	return n
}

// At schedules an event for actor a at tick t, which is not in the past; at
// the current tick it runs after the current event.
func (q *Queue) At(t Tick, a Actor, arg uint64) {
	if d := t - q.now; uint64(d) >= wheelTicks {
		if d < 0 {
			panic(fmt.Sprintf("event for actor %d at tick %d scheduled at tick %d: an actor computed a negative delay", a, t, q.now))
		}
		q.longest = max(q.longest, d)
		q.far.push(t, item{arg, a})
		return
	}
	at := q.spare
	if at == 0 {
		at = int32(len(q.nodes))
		q.nodes = append(q.nodes, node{})
	}
	n := &q.nodes[at]
	q.spare = n.next
	n.arg, n.actor, n.next = arg, a, 0
	i := place(t)
	b := &q.wheel[i]
	switch {
	case b.front == 0:
		b.front, b.back = at, at
		q.busy[i/64] |= 1 << (i % 64)
	case q.order == FIFO:
		q.nodes[b.back].next, b.back = at, at
	default:
		n.next, b.front = b.front, at
	}
	b.n++
}

// place is the index of a tick's bucket.
func place(t Tick) uint64 { return uint64(t) % wheelTicks }

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

// Failure is an error that a handler may panic with, in place of a call of Fail.
type Failure interface {
	error
	// EndsRun marks the error as one of a run. It is not called.
	EndsRun()
}

// Run runs at most limit events. It returns early when no event is left, when
// an event called Halt, and with the error when an event called Fail or panicked with a
// Failure.
func (q *Queue) Run(limit int) error {
	if q.err != nil {
		return q.err
	}
	q.halted = false
	q.catch(limit)
	return q.err
}

// catch runs events, and has the run fail with a Failure that one of them panics with.
func (q *Queue) catch(limit int) {
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case Failure:
			q.Fail(failure)
		default:
			panic(failure)
		}
	}()
	q.run(limit)
}

func (q *Queue) run(limit int) {
	for ; limit > 0 && !q.halted; limit-- {
		if q.wheel[place(q.now)].n == 0 && !q.advance() {
			break
		}
		it := q.pop()
		q.count++
		h := bits.RotateLeft64((q.hash^uint64(q.now))*0x9e3779b97f4a7c15, 29)
		q.hash = bits.RotateLeft64((h^it.arg)*0xbf58476d1ce4e5b9, 31) + uint64(it.actor)
		q.handlers[it.actor].Handle(it.arg)
	}
}

// advance moves to the next tick that has an event; the bucket of the current
// one is empty. It reports whether there is such a tick.
func (q *Queue) advance() bool {
	here := place(q.now)
	q.busy[here/64] &^= 1 << (here % 64)
	if d := q.distance(here); d > 0 {
		q.now += d
	} else if len(q.far.items) > 0 {
		q.now = q.far.items[0].at
	} else {
		return false
	}
	for len(q.far.items) > 0 && q.far.items[0].at < q.now+wheelTicks {
		it := q.far.pop()
		q.At(it.at, it.actor, it.arg)
	}
	return true
}

// distance counts the ticks from bucket here, which is not busy, to the next
// busy bucket; 0 if there is none.
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
	return 0
}
