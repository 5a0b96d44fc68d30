package ruby

import (
	"math/bits"
	"slices"

	"ordeal/sim/builtin/event"
)

// wakeups are the ticks at which an actor of the queue is to run, once each. Where time
// stands still there are none.
type wakeups struct {
	queue *event.Queue
	self  event.Actor
	ticks []event.Tick
	// holding has a bit for each in_port of a controller whose buffer holds messages, and
	// maybe for others.
	holding uint64
	few     [4]event.Tick // the memory of ticks unless there are more
}

func (w *wakeups) wake(at event.Tick) {
	if !w.queue.Still() && !slices.Contains(w.ticks, at) {
		if w.ticks == nil {
			w.ticks = w.few[:0]
		}
		w.ticks = append(w.ticks, at)
		w.queue.At(at, w.self, 0)
	}
}

// woken removes the current tick, which it returns.
func (w *wakeups) woken() event.Tick {
	now := w.queue.Now()
	if i := slices.Index(w.ticks, now); i >= 0 {
		last := len(w.ticks) - 1
		w.ticks[i] = w.ticks[last]
		w.ticks = w.ticks[:last]
	}
	return now
}

// link takes messages out of a buffer into the network and copies them into
// the buffers of their destinations. A channel, that is what goes from one
// controller to another on one virtual network, keeps the order in which the
// messages leave the buffer; nothing else does.
type link struct {
	wakeups
	system *System
	from   *buffer
	vnet   int
	// source is the index of the controller that sends, to the buffers of
	// those that may receive.
	source int
	to     []*buffer
	// bounded says that the network's own buffers are.
	bounded bool
}

// Handle forwards the messages that are ready.
func (l *link) Handle(uint64) {
	now := l.woken()
	for l.from.ready(now) && (!l.bounded || l.free(l.from.items[l.from.head].msg, now)) {
		l.forward(l.from.pop().msg, now)
	}
}

// free reports whether the network has room for a message to each of its
// destinations; the link is polled again when there is more (gem5's
// PerfectSwitch::operateMessageBuffer).
func (l *link) free(m *object, now event.Tick) bool {
	s, dest := l.system, m.layout.Dest
	if dest < 0 {
		return true // which forward finds
	}
	for k := range s.controllers {
		for w, set := range s.membersOf(m.words[dest:], k) {
			for ; set != 0; set &= set - 1 {
				to := l.to[s.first[k]+64*w+bits.TrailingZeros64(set)]
				if to != nil && !to.entrance().fits(1, now, &l.wakeups) {
					return false
				}
			}
		}
	}
	return true
}

// forward sends a copy of a message to each of its destinations. One without
// destination is lost, as in gem5, where some protocols rely on that.
func (l *link) forward(m *object, now event.Tick) {
	s := l.system
	dest := m.layout.Dest
	if dest < 0 {
		s.misrouted(l, m, "message without field Destination")
		return
	}
	data := s.network.Occupancy > 0 && s.program.hasData(m)
	departure, sent := event.Tick(0), false
	for k, controllers := range s.controllers {
		for w, set := range s.membersOf(m.words[dest:], k) {
			for ; set != 0; set &= set - 1 {
				index := s.first[k] + 64*w + bits.TrailingZeros64(set)
				to := l.to[index]
				if to == nil {
					s.misrouted(l, m, "no buffer of "+controllers[0].code.Decl.Name+" on the virtual network")
					return
				}
				one := m
				if sent {
					one = s.pools[m.layout.Index].begin(m.words)
				} else {
					departure, sent = s.network.Departure(now, l.source, l.vnet, data), true
				}
				arrival := s.network.Arrival(departure, l.source, index, l.vnet, data)
				if s.options.Messages != nil {
					s.report(Message{At: now, Buffer: l.from.name(), To: to.name(), Arrives: arrival}, one)
				}
				to.entrance().enqueue(one, arrival)
			}
		}
	}
	if !sent {
		s.pools[m.layout.Index].put(m)
	}
}
