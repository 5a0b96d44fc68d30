package ruby

import (
	"math/rand/v2"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/bytemask"
	"ordeal/sim/slicc/types"
)

// memoryQueue is the memory behind a controller: requests take effect in the
// order of the queue, and answers to those of one channel come in that order.
type memoryQueue struct {
	requests, answers *buffer
	fields            *memoryFields
	latency           event.Latency
	reorder           bool // see Options.MemoryReorder
	random            *rand.PCG
	last              []event.Tick // of the last answer's arrival, by channel
	lines             map[memory.Addr]*memory.Block
}

// memoryFields are the offsets in a MemoryMsg and the values that matter.
type memoryFields struct {
	layout                                   *layout
	addr, kind, sender, requestor, data, len int
	size                                     int // -1 if there is none
	read, write                              uint64
	dataSize, controlSize                    uint64
}

func (q *memoryQueue) serve(c *controller) {
	if !q.requests.ready(c.now) {
		return
	}
	m, f := q.requests.pop().msg, q.fields
	if q.requests.ready(c.now) {
		c.wake(c.now + 1)
	}
	if m.layout != f.layout {
		c.fail("memory got another type of message", "%s", m.layout.typ.Name)
	}
	line := memory.Addr(m.words[f.addr]).Line()
	block := q.block(line)
	pool := &c.system.pools[f.layout.index]
	answer := pool.get()
	answer.words[f.addr] = m.words[f.addr]
	answer.words[f.kind] = m.words[f.kind]
	answer.words[f.requestor] = m.words[f.sender]
	answer.words[f.sender] = c.id
	size := f.controlSize
	switch m.words[f.kind] {
	case f.read:
		*answer.block(f.data) = *block
		size = f.dataSize
	case f.write:
		if n := m.words[f.len]; n == 0 {
			*block = *m.block(f.data)
		} else {
			first := m.words[f.addr] - uint64(line)
			if n > blockWords*8-first {
				c.fail("memory got a write across lines", "%d bytes at %#x", n, m.words[f.addr])
			}
			bytemask.Merge(block[:], m.block(f.data)[:], bytemask.Range(first, n))
		}
	default:
		c.fail("memory got a request of an unknown type", "line %#x", int64(line))
	}
	if f.size >= 0 {
		answer.words[f.size] = size
	}
	write := m.words[f.kind] == f.write
	pool.put(m)
	if q.reorder {
		at := c.now + 1
		if write {
			q.renew(line, block, c.now)
		} else {
			at = c.now + q.latency.Draw(q.random)
		}
		q.answers.entrance().enqueue(answer, at)
		return
	}
	last := &q.last[int(line/types.BlockBytes)/max(c.system.options.Directories, 1)%len(q.last)]
	*last = max(*last, c.now+q.latency.Draw(q.random)) + 1
	q.answers.entrance().enqueue(answer, *last)
}

// block is what memory holds of a line.
func (q *memoryQueue) block(line memory.Addr) *memory.Block {
	block := q.lines[line]
	if block == nil {
		block = new(memory.Block)
		q.lines[line] = block
	}
	return block
}

// renew gives the reads of a line that are not answered yet the new data.
func (q *memoryQueue) renew(line memory.Addr, block *memory.Block, now event.Tick) {
	f := q.fields
	b := q.answers.entrance()
	for i := range b.items[b.head:] {
		a := &b.items[b.head+i]
		if a.at > now && a.msg.words[f.kind] == f.read && memory.Addr(a.msg.words[f.addr]).Line() == line {
			*a.msg.block(f.data) = *block
		}
	}
}
