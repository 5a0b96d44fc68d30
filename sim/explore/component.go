package explore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sync/atomic"

	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
)

// A state is the numbers of its components: of each controller, then of the
// inbox of each controller, which is the messages on their way to it. A component that many
// states have is kept once, with what any of them needs to know of it; a step
// changes few components.

// components are what all states that were seen consist of. Workers share them.
type components struct {
	controllers *table[controllerPart]
	messages    *table[messagePart]
	inboxes     *table[inboxPart]
	locals      *table[local]

	arrivals *memo // of a message at a controller: what happens there
	mail     *memo // an inbox that a message is put into or taken out of
	aged     *memo // a component after a store
}

func newComponents() *components {
	return &components{
		newTable[controllerPart](), newTable[messagePart](), newTable[inboxPart](), newTable[local](),
		newMemo(), newMemo(), newMemo(),
	}
}

// controllerPart is a controller with its cores in a state.
type controllerPart struct {
	text    []byte
	sums    []machine.Fingerprint // by permutation
	summary ruby.Summary
	// readers and writers have a bit for each line that the cores may read, or
	// write.
	readers, writers uint64
	// waiting has a bit for each core and line with an access under way.
	waiting  uint64
	open     uint64 // the buffers at which a message may arrive
	finished bool   // the cores run threads that are at their end
	// sought has a bit for each of Config.Sought that the threads of the controller agree with; nil: it
	// has none.
	sought []uint64
	menu   atomic.Pointer[[]ownStep]
}

// ownStep is a step that a controller can take by itself.
type ownStep struct {
	core  int // the number of a step of its cores, -1 for a move
	move  ruby.Move
	class uint16
	local uint32
}

// messagePart is a message in flight.
type messagePart struct {
	text             []byte
	sums             []machine.Fingerprint // by permutation
	to, buffer, from int
	channel          uint32
}

// inboxPart is the messages on their way to a controller: channel by channel, those
// of one channel in order.
type inboxPart struct {
	messages []uint32
	sums     []machine.Fingerprint // by permutation
	heads    []uint32              // the messages that may arrive
}

func (m *Machine) controller(i int) uint32 {
	m.scratch = m.encode(m.scratch[:0], i, m.Identity())
	text := m.scratch
	return m.parts.controllers.number(hash(text),
		func(p *controllerPart) bool { return bytes.Equal(p.text, text) },
		func(p *controllerPart) { m.fillController(p, i, text) })
}

// fillController notes everything about controller i, which the machine has
// loaded.
func (m *Machine) fillController(p *controllerPart, i int, text []byte) {
	p.text = slices.Clone(text)
	p.sums = make([]machine.Fingerprint, len(m.permutations))
	for n := range m.permutations {
		if n == 0 {
			p.sums[n] = hash(text)
			continue
		}
		m.renamed = m.encode(m.renamed[:0], i, &m.permutations[n])
		p.sums[n] = hash(m.renamed)
	}
	for buffer := range m.Buffers(i) {
		if m.Accepts(i, buffer) {
			p.open |= 1 << buffer
		}
	}
	p.waiting = m.waiting(i)
	p.finished = m.cores.finished(i)
	if c, ok := m.cores.(*programCores); ok && len(c.choices[i]) > 0 && m.config.Sought != nil {
		p.sought = c.sought(i)
	}
	p.summary = m.Summary(i)
	for l := range p.summary.Lines {
		if p.summary.Owner < 0 {
			break
		}
		switch p.summary.Lines[l].Permission {
		case cache.ReadWrite:
			p.readers |= 1 << l
			p.writers |= 1 << l
		case cache.ReadOnly:
			p.readers |= 1 << l
		}
	}
	m.parts.controllers.bytes.Add(int64(len(text) + 16*len(p.sums) + 256 + 64*len(p.summary.Lines)))
}

// waiting has a bit for each core and line with an access under way at a
// controller, as far as 64 bits go.
func (m *Machine) waiting(i int) uint64 {
	var set uint64
	for core := range m.config.System.Cores {
		if home, _ := m.Home(core); home != i {
			continue
		}
		for line := range m.config.Lines {
			if m.Waits(core, line) {
				set |= 1 << ((core*m.config.Lines + line) % 64)
			}
		}
	}
	for device := range m.config.System.Devices {
		if _, active := m.Transferring(device); active && m.DeviceHome(device) == i {
			set |= 1 << ((m.config.System.Cores*m.config.Lines + device) % 64)
		}
	}
	return set
}

func (m *Machine) message(sent *ruby.Sent) uint32 {
	m.scratch = m.AppendSent(m.scratch[:0], sent, m.Identity())
	text := m.scratch
	return m.parts.messages.number(hash(text),
		func(p *messagePart) bool { return bytes.Equal(p.text, text) },
		func(p *messagePart) {
			channel := ruby.Channel(text)
			*p = messagePart{
				text: slices.Clone(text), to: int(channel[0]), buffer: int(channel[1]), from: int(channel[2]),
				channel: uint32(channel[0])<<16 | uint32(channel[1])<<8 | uint32(channel[2]),
			}
			for n := range m.permutations {
				m.renamed = m.AppendSent(m.renamed[:0], sent, &m.permutations[n])
				p.sums = append(p.sums, hash(m.renamed))
			}
			m.parts.messages.bytes.Add(int64(len(text) + 16*len(p.sums) + 112))
		})
}

// inbox is the number of the messages of a list.
func (m *Machine) inbox(list []uint32) uint32 {
	m.scratch = m.scratch[:0]
	for _, n := range list {
		m.scratch = binary.LittleEndian.AppendUint32(m.scratch, n)
	}
	return m.parts.inboxes.number(hash(m.scratch),
		func(p *inboxPart) bool { return slices.Equal(p.messages, list) },
		func(p *inboxPart) { m.fillInbox(p, list) })
}

func (m *Machine) fillInbox(p *inboxPart, list []uint32) {
	p.messages = slices.Clone(list)
	p.sums = make([]machine.Fingerprint, len(m.permutations))
	rank := 0
	var quickest *messagePart // of the channel so far
	unordered := func(n uint32) bool { return ruby.Unordered(m.parts.messages.at(n).text) }
	for at, n := range list {
		msg := m.parts.messages.at(n)
		rank++
		if at == 0 || msg.channel != m.parts.messages.at(list[at-1]).channel {
			rank, quickest = 0, nil
		}
		if unordered(n) {
			rank = 0
		}
		again := at > 0 && list[at-1] == n // of an unordered channel
		if quickest == nil || !again && ruby.Overtakes(msg.text, quickest.text) {
			quickest = msg
			p.heads = append(p.heads, n)
		}
		for s := range p.sums {
			p.sums[s] = plus(p.sums[s], ranked(msg.sums[s], rank))
		}
	}
	m.parts.inboxes.bytes.Add(int64(8*len(list) + 16*len(p.sums) + 96))
}

// Keys of the memo of inboxes.
const (
	takeOut uint64 = 0
	putIn   uint64 = 1
)

func mailKey(inbox, msg uint32, operation uint64) uint64 {
	return uint64(inbox)<<32 | uint64(msg)<<1 | operation
}

// taken is an inbox without the first of a message.
func (m *Machine) taken(inbox, msg uint32) uint32 {
	key := mailKey(inbox, msg, takeOut)
	if n, ok := m.mail.get(key); ok {
		return n
	}
	list := m.parts.inboxes.at(inbox).messages
	at := slices.Index(list, msg)
	m.list = append(append(m.list[:0], list[:at]...), list[at+1:]...)
	n := m.inbox(m.list)
	m.parts.mail.put(key, n)
	return n
}

// with is an inbox with one more message, the last of its channel.
func (m *Machine) with(inbox, msg uint32) uint32 {
	key := mailKey(inbox, msg, putIn)
	if n, ok := m.mail.get(key); ok {
		return n
	}
	list := m.parts.inboxes.at(inbox).messages
	channel := m.parts.messages.at(msg).channel
	at := 0
	unordered := ruby.Unordered(m.parts.messages.at(msg).text)
	for at < len(list) && m.parts.messages.at(list[at]).channel <= channel {
		if unordered && m.parts.messages.at(list[at]).channel == channel && list[at] > msg {
			break
		}
		at++
	}
	m.list = slices.Insert(append(m.list[:0], list...), at, msg)
	n := m.inbox(m.list)
	m.parts.mail.put(key, n)
	return n
}

// older is a component after n stores to a word, which were made elsewhere.
func (m *Machine) older(id uint32, isInbox bool, i int, st stored) uint32 {
	kind := uint64(0)
	if isInbox {
		kind = 1
	}
	key := uint64(id)<<20 | kind<<19 | uint64(st.line)<<14 | uint64(st.word)<<11 | uint64(st.count)
	if n, ok := m.aged.get(key); ok {
		return n
	}
	var n uint32
	m.Start()
	m.Age(st.line, st.word, st.count)
	if isInbox {
		var list []uint32
		for _, msg := range m.parts.inboxes.at(id).messages {
			sent, err := m.LoadSent(m.parts.messages.at(msg).text)
			if err != nil {
				panic(fmt.Sprintf("explore: message %d: %v", msg, err))
			}
			list = append(list, m.message(&sent))
		}
		n = m.inbox(list)
	} else {
		m.mustLoad(i, id)
		n = m.controller(i)
	}
	m.Start()
	m.parts.aged.put(key, n)
	return n
}

// mustLoad loads controller i from a component that this machine made.
func (m *Machine) mustLoad(i int, id uint32) {
	if err := m.load(i, m.parts.controllers.at(id).text); err != nil {
		panic(fmt.Sprintf("explore: component %d: %v: %x", id, err, m.parts.controllers.at(id).text))
	}
}
