package ruby

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ordeal/gen/option"
)

// Sent is a message that a step sent.
type Sent struct {
	To, From int // controllers
	buffer   int // of To
	delay    int // that the sender gave it, in ticks; noOrder where the network keeps none
	msg      *object
}

// send takes the messages that a controller put into a buffer of another, or
// into the network, in the order in which it put them in.
func (s *Stepper) send(c *controller, b *buffer) {
	list := b.items[b.head:]
	slices.SortFunc(list, func(a, b queued) int { return int(a.number) - int(b.number) })
	for _, q := range list {
		if b.link == nil {
			to, delay := s.places[b], delayOf(&q)
			if s.unordered[b] {
				delay = noOrder
			}
			s.sent = append(s.sent, Sent{to.controller, c.index(), to.buffer, delay, q.msg})
			continue
		}
		s.sendThrough(b.link, q.msg, delayOf(&q))
	}
	b.items, b.head = b.items[:0], 0
}

// noOrder in place of a delay says that a channel keeps no order.
const noOrder = 255

// unorder finds the buffers that Data.Unordered names.
func (s *Stepper) unorder() error {
	for _, name := range s.data.Unordered {
		found := false
		var known []string
		for k, mc := range s.program.Codes {
			for _, v := range mc.Buffers {
				if from, _ := v.Attrs.Get("network"); from != "From" {
					continue
				}
				known = append(known, mc.Decl.Name+"."+v.Name)
				if known[len(known)-1] != name {
					continue
				}
				found = true
				for _, c := range s.controllers[k] {
					s.unordered[c.buffers[mc.Place[v]]] = true
				}
			}
		}
		if !found {
			return option.Faultf("unordered", "%q: no buffer that messages of other controllers reach: want some of %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// delayOf is the delay of a message that is not there yet, as far as a byte
// goes.
func delayOf(q *queued) int { return int(min(max(q.at-stepTick, 0), noOrder-1)) }

// sendThrough sends a copy of a message to each of its destinations.
func (s *Stepper) sendThrough(l *link, m *object, delay int) {
	if o := s.network.Ordered; o != nil && !o[l.vnet] {
		delay = noOrder
	}
	dest := m.layout.Dest
	if dest < 0 {
		s.misrouted(l, m, "message without field Destination")
		return
	}
	for k, controllers := range s.controllers {
		for set := m.words[dest+k]; set != 0; set &= set - 1 { // explored systems have few machines: SetWords is 1
			to := s.first[k] + bits.TrailingZeros64(set)
			if l.to[to] == nil {
				s.misrouted(l, m, "no buffer of "+controllers[0].code.Decl.Name+" on the virtual network")
				return
			}
			one := s.pools[m.layout.Index].get()
			copy(one.words, m.words)
			arrives := delay
			if s.unordered[l.to[to]] {
				arrives = noOrder
			}
			s.sent = append(s.sent, Sent{to, l.source, s.places[l.to[to]].buffer, arrives, one})
			if s.options.Messages != nil {
				s.report(Message{At: stepTick, Buffer: l.from.name(), To: l.to[to].name(), Arrives: stepTick}, one)
			}
		}
	}
	s.release(m)
}

// Sent lists the messages that the last step sent, in order. They last until
// Start.
func (s *Stepper) Sent() []Sent { return s.sent }

// An encoded message in flight begins with the channel that it is in: the
// controller that it goes to, the buffer there, and the controller that it
// comes from. Then comes its delay.
const channelBytes = 3

// Channel is the encoding of the channel of an encoded message in flight.
func Channel(encoded []byte) []byte { return encoded[:channelBytes] }

// Overtakes reports whether a message in flight may arrive before another one of
// its channel that was sent earlier: where the sender gave it a shorter delay, it
// may have left the sender's buffer first, and where the channel keeps no order.
func Overtakes(encoded, earlier []byte) bool {
	return encoded[channelBytes] < earlier[channelBytes] || Unordered(encoded)
}

// Unordered reports whether the channel of a message in flight keeps no order.
func Unordered(encoded []byte) bool { return encoded[channelBytes] == noOrder }

// AppendSent encodes a message that was sent, with cores and lines renamed.
func (s *Stepper) AppendSent(dst []byte, m *Sent, perm *Permutation) []byte {
	dst = append(dst, byte(s.renamed(m.To, perm)), byte(m.buffer), byte(s.renamed(m.From, perm)), byte(m.delay))
	return s.appendMessage(dst, m.msg, perm)
}

// LoadSent makes what AppendSent wrote without renaming a message that was
// sent.
func (s *Stepper) LoadSent(encoded []byte) (Sent, error) {
	d := &s.reader
	*d = decoder{rest: encoded}
	m := Sent{To: d.below(len(s.all)), buffer: d.byte(), From: d.below(len(s.all)), delay: d.byte()}
	m.msg = s.readMessage(d)
	if d.failed || len(d.rest) > 0 || m.buffer >= len(s.buffersOf[m.To]) {
		return m, fmt.Errorf("load a message: %w", errTruncated)
	}
	return m, nil
}

// renamed is the number that controller i gets.
func (s *Stepper) renamed(i int, perm *Permutation) int {
	c := s.all[i]
	return s.first[c.code.Index] + s.permuted(c.code.Index, s.number(c), perm)
}

// Open reports whether a message that was sent may arrive.
func (s *Stepper) Open(m *Sent) bool { return s.Accepts(m.To, m.buffer) }

// Arrive runs the step in which a message arrives. It is the Stepper's from then
// on.
func (s *Stepper) Arrive(m Sent) error {
	s.buffersOf[m.To][m.buffer].arrive(m.msg)
	return s.run(s.all[m.To])
}

// TextOf describes a message that was sent.
func (s *Stepper) TextOf(m *Sent) string {
	return fmt.Sprintf("%s > %s: %s", s.Name(m.From), s.buffersOf[m.To][m.buffer].name(), s.program.describe(m.msg))
}
