package ruby

import (
	"math/rand/v2"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/bytemask"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/types"
)

// memoryQueue is the memory behind a controller: requests take effect in the
// order of the queue, and answers to those of one channel come in that order.
type memoryQueue struct {
	requests, answers *buffer
	fields            *code.MemoryFields
	latency           event.Latency
	reorder           bool // see Options.MemoryReorder
	random            *rand.PCG
	last              []event.Tick // of the last answer's arrival, by channel
	lines             map[memory.Addr]*memory.Block
}

// serve takes a request that has arrived and schedules its answer.
func (q *memoryQueue) serve(c *controller) {
	if !q.requests.ready(c.now) {
		return
	}
	m := q.requests.pop().msg
	if q.requests.ready(c.now) {
		c.wake(c.now + 1)
	}
	f := q.fields
	line := memory.Addr(m.words[f.Addr]).Line()
	answer := q.answer(c, m)
	if q.reorder {
		at := c.now + 1
		if answer.words[f.Kind] != f.Write {
			at = c.now + q.latency.Draw(q.random)
		}
		q.answers.entrance().enqueue(answer, at)
		return
	}
	last := &q.last[int(line/types.BlockBytes)/max(c.system.options.Directories, 1)%len(q.last)]
	*last = max(*last, c.now+q.latency.Draw(q.random)) + 1
	q.answers.entrance().enqueue(answer, *last)
}

// answer performs a request and gives the answer.
func (q *memoryQueue) answer(c *controller, m *object) *object {
	f := q.fields
	if m.layout != f.Layout {
		c.fail("memory got another type of message", "%s", m.layout.Type.Name)
	}
	line := memory.Addr(m.words[f.Addr]).Line()
	block := q.block(line)
	pool := &c.system.pools[f.Layout.Index]
	answer := pool.get()
	answer.words[f.Addr] = m.words[f.Addr]
	answer.words[f.Kind] = m.words[f.Kind]
	answer.words[f.Requestor] = m.words[f.Sender]
	answer.words[f.Sender] = c.id
	size := f.ControlSize
	switch m.words[f.Kind] {
	case f.Read:
		*answer.block(f.Data) = *block
		size = f.DataSize
	case f.Write:
		if n := m.words[f.Len]; n == 0 {
			*block = *m.block(f.Data)
		} else {
			first := m.words[f.Addr] - uint64(line)
			if n > code.BlockWords*8-first {
				c.fail("memory got a write across lines", "%d bytes at %#x", n, m.words[f.Addr])
			}
			bytemask.Merge(block[:], m.block(f.Data)[:], bytemask.Range(first, n))
		}
		if q.reorder {
			q.renew(line, block, c.now)
		}
	default:
		c.fail("memory got a request of an unknown type", "line %#x", int64(line))
	}
	if f.Size >= 0 {
		answer.words[f.Size] = size
	}
	pool.put(m)
	return answer
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
		if a.at > now && a.msg.words[f.Kind] == f.Read && memory.Addr(a.msg.words[f.Addr]).Line() == line {
			*a.msg.block(f.Data) = *block
		}
	}
}
