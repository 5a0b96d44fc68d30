package ruby

import (
	"fmt"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// buffer is a message buffer: its messages leave in the order of their
// arrival, those that arrive together in the order in which they were put in.
//
// What each message needs comes first, and fits into one line of a processor's cache.
type buffer struct {
	items  []queued // those from head on, sorted
	head   int
	poller *wakeups // of who takes messages out
	ports  uint64   // a bit for each in_port of the poller that the buffer is of
	count  uint64

	delayed  uint64    // of count, those that putOff put in once more
	capacity *capacity // nil for any number of messages
	throttle *throttle // lets messages of the network in; nil unless room is bounded
	// ordered says that no message may arrive before the one put in before it, at
	// last.
	ordered bool
	last    event.Tick
	clock   int // Hardware.CoreClock, of an ordered buffer that the network fills
	stalls  []stalled
	link    *link       // takes messages from a buffer into the network
	owner   *controller // has the buffer
	prefix  string      // of the name
	title   string      // the name in the owner
}

type queued struct {
	msg    *object
	at     event.Tick // of its arrival
	number uint64     // of the message in the buffer
	// recycled counts how often the message was put back, for reports.
	recycled int
}

func (q *queued) before(r *queued) bool {
	return q.at < r.at || q.at == r.at && q.number < r.number
}

type stalled struct {
	line memory.Addr
	list []queued
}

func (b *buffer) name() string { return b.prefix + b.owner.name() + " " + b.title }

// inOrder notes the arrival of a message that is being put in; false if the buffer is
// ordered and the message would arrive before the one put in last (gem5's
// MessageBuffer.cc:257).
func (b *buffer) inOrder(at event.Tick) bool {
	if b.ordered && at < b.last {
		return false
	}
	b.last = at
	return true
}

// overtakes finds a message that the network puts into the buffer, a tick before it arrives, out of
// order with its head, which is put off from a tick to another one; 0 for none. In a tick of the
// network the head is put off first at another edge of the core's clock.
func (b *buffer) overtakes(now, until event.Tick) (arrives event.Tick) {
	for _, q := range b.items[b.head+1:] {
		if b.clock > 0 && q.at == now+1 || b.clock < 0 && q.at > now+1 && q.at < until {
			return q.at
		}
	}
	return 0
}

// cycle is one of the core's clock, in ticks.
func (b *buffer) cycle() string {
	if b.clock > 0 {
		return fmt.Sprintf("1/%d of a tick", b.clock)
	}
	return fmt.Sprintf("%d ticks", -b.clock)
}

// enqueue puts a message in, to arrive at a tick, and wakes who polls.
func (b *buffer) enqueue(m *object, at event.Tick) {
	b.count++
	b.insert(queued{msg: m, at: at, number: b.count})
	if b.capacity != nil {
		b.noteCome(b.poller.queue.Now())
	}
	b.poller.wake(at)
}

func (b *buffer) insert(q queued) {
	if b.head > 0 && len(b.items) == cap(b.items) {
		n := copy(b.items, b.items[b.head:])
		b.items, b.head = b.items[:n], 0
	}
	b.items = append(b.items, q)
	b.poller.holding |= b.ports
	i := len(b.items) - 1
	if i == b.head || !q.before(&b.items[i-1]) {
		return
	}
	for ; i > b.head && q.before(&b.items[i-1]); i-- {
		b.items[i] = b.items[i-1]
	}
	b.items[i] = q
}

func (b *buffer) ready(now event.Tick) bool {
	return b.head < len(b.items) && b.items[b.head].at <= now
}

// pop takes the first message out; there is one.
func (b *buffer) pop() queued {
	if b.capacity != nil {
		b.noteGone(b.poller.queue.Now())
	}
	return b.take()
}

// take is pop of a message that will be put back.
func (b *buffer) take() queued {
	q := b.items[b.head]
	b.head++
	if b.head == len(b.items) {
		b.items, b.head = b.items[:0], 0
		b.poller.holding &^= b.ports
	}
	return q
}

// recycle lets the first message arrive again later; younger ones overtake.
func (b *buffer) recycle(at event.Tick) {
	q := b.take()
	q.at = at
	q.recycled++
	b.insert(q)
	b.poller.wake(at)
}

// putOff puts the first message in once more, as a new one.
func (b *buffer) putOff(at event.Tick) {
	b.enqueue(b.pop().msg, at)
	b.delayed++
}

// stall sets the first message aside until its line is reanalyzed.
func (b *buffer) stall(line memory.Addr) { b.setAside(line, b.pop()) }

func (b *buffer) setAside(line memory.Addr, q queued) {
	for i := range b.stalls {
		if b.stalls[i].line == line {
			b.stalls[i].list = append(b.stalls[i].list, q)
			return
		}
	}
	if n := len(b.stalls); n < cap(b.stalls) { // reuse the list of an old entry
		b.stalls = b.stalls[:n+1]
		b.stalls[n].line = line
		b.stalls[n].list = append(b.stalls[n].list[:0], q)
		return
	}
	b.stalls = append(b.stalls, stalled{line, []queued{q}})
}

// reanalyze puts the messages that wait for a line back, as old as they are,
// and has the buffer polled in this tick. It reports whether there were any.
func (b *buffer) reanalyze(line memory.Addr, now event.Tick) bool {
	for i := range b.stalls {
		if b.stalls[i].line != line {
			continue
		}
		s := b.stalls[i]
		last := len(b.stalls) - 1
		copy(b.stalls[i:], b.stalls[i+1:])
		b.stalls[last] = s
		b.stalls = b.stalls[:last]
		for _, q := range s.list {
			b.insert(q)
		}
		b.poller.wake(now)
		return true
	}
	return false
}

// reanalyzeAll is reanalyze for every line, by address. Which comes first does
// not matter: the messages keep their places in the order.
func (b *buffer) reanalyzeAll(now event.Tick) {
	for len(b.stalls) > 0 {
		b.reanalyze(b.stalls[0].line, now)
	}
}

// stalledFor counts the messages that wait for a line.
func (b *buffer) stalledFor(line memory.Addr) int {
	for i := range b.stalls {
		if b.stalls[i].line == line {
			return len(b.stalls[i].list)
		}
	}
	return 0
}
