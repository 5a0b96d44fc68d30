package ruby

import (
	"math/bits"

	"ordeal/sim/builtin/event"
)

// link takes messages out of a buffer into the network and copies them into
// the buffers of their destinations. A channel, that is what goes from one
// controller to another on one virtual network, keeps the order in which the
// messages leave the buffer; nothing else does.
type link struct {
	system *System
	from   *buffer
	self   event.Actor
	vnet   int
	wakes  []event.Tick
	// source is the index of the controller that sends, to the buffers of
	// those that may receive.
	source int
	to     []*buffer
}

// wake has the link look at its buffer.
func (l *link) wake(at event.Tick) {
	for _, t := range l.wakes {
		if t == at {
			return
		}
	}
	l.wakes = append(l.wakes, at)
	l.system.queue.At(at, l.self, 0)
}

// Handle forwards the messages that are ready.
func (l *link) Handle(uint64) {
	now := l.system.queue.Now()
	for i, t := range l.wakes {
		if t == now {
			last := len(l.wakes) - 1
			l.wakes[i] = l.wakes[last]
			l.wakes = l.wakes[:last]
			break
		}
	}
	for l.from.ready(now) {
		l.forward(l.from.pop().msg, now)
	}
}

// forward sends a copy of a message to each of its destinations. One without
// destination is lost, as in gem5, where some protocols rely on that.
func (l *link) forward(m *object, now event.Tick) {
	s := l.system
	dest := m.layout.dest
	if dest < 0 {
		s.misrouted(l, m, "message without field Destination")
		return
	}
	left := 0
	for k := range s.program.codes {
		left += bits.OnesCount64(m.words[dest+k])
	}
	if left == 0 {
		s.pools[m.layout.index].put(m)
		return
	}
	for k, controllers := range s.controllers {
		for set := m.words[dest+k]; set != 0; set &= set - 1 {
			n := bits.TrailingZeros64(set)
			to := controllers[n]
			index := s.first[k] + n
			if l.to[index] == nil {
				s.misrouted(l, m, "no buffer of "+to.code.machine.Name+" on the virtual network")
				return
			}
			left--
			one := m
			if left > 0 {
				one = s.pools[m.layout.index].get()
				copy(one.words, m.words)
			}
			arrival := s.network.Arrival(now, l.source, index, l.vnet)
			if s.options.Messages != nil {
				s.tell(Message{At: now, Buffer: l.from.name, To: l.to[index].name, Arrives: arrival}, one)
			}
			l.to[index].enqueue(one, arrival)
		}
	}
}
