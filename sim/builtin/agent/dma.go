package agent

import (
	"fmt"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// DMA is a device that loads from and stores to memory without a core, one transfer at a time,
// as a thread of a program says. Consecutive loads, or
// stores, of locations of one line in the order of their addresses are one
// transfer if no location lies between them. One of all locations of a line is
// of the whole line.
type DMA struct {
	queue  *event.Queue
	self   event.Actor
	device memory.Device
	thread *core.Thread
	used   Layout
	done   func()

	// transfer is the operations under way; ahead the one after them.
	transfer []core.Operation
	ahead    core.Operation
	pending  bool // there is one ahead
}

// Layout says which words of memory are locations of the program.
type Layout struct {
	words map[memory.Addr]bool
}

// NewLayout is that of a program.
func NewLayout(p *gen.Program) Layout {
	l := Layout{words: make(map[memory.Addr]bool, len(p.Locations))}
	for i := range p.Locations {
		l.words[memory.Base+memory.Addr(p.Offset(gen.LocID(i)))] = true
	}
	return l
}

// free reports whether no location is in a range of bytes.
func (l Layout) free(from, to memory.Addr) bool {
	for a := from; a < to; a += gen.WordBytes {
		if l.words[a] {
			return false
		}
	}
	return true
}

// NewDMA makes the engine of a device and starts it at the next tick. It calls
// done, from inside an event, when its thread came to its end.
func NewDMA(q *event.Queue, t *core.Thread, device memory.Device, used Layout, done func()) *DMA {
	e := &DMA{queue: q, device: device, thread: t, used: used, done: done}
	e.self = q.Add(e)
	device.Attach(e)
	e.wake(1)
	return e
}

func (e *DMA) wake(ticks event.Tick) { e.queue.At(e.queue.Now()+ticks, e.self, 0) }

// Handle starts the next transfer, or a delay. No transfer is under way.
func (e *DMA) Handle(uint64) {
	if !e.look() {
		e.done()
		return
	}
	if e.ahead.Kind() == gen.Delay {
		e.pending = false
		e.wake(event.Tick(e.ahead.Value()))
		return
	}
	e.gather()
	e.device.Transfer(e.request())
}

// look makes sure of the operation ahead; false at the end of the thread.
func (e *DMA) look() bool {
	if !e.pending {
		e.ahead, e.pending = e.thread.Next()
	}
	return e.pending
}

// gather takes the operations of the next transfer.
func (e *DMA) gather() {
	e.transfer = append(e.transfer[:0], e.ahead)
	e.pending = false
	for e.look() {
		last := e.transfer[len(e.transfer)-1]
		end, next := last.Addr()+gen.WordBytes, e.ahead.Addr()
		if e.ahead.Kind() != last.Kind() || next < end || next.Line() != last.Addr().Line() || !e.used.free(end, next) {
			return
		}
		e.transfer = append(e.transfer, e.ahead)
		e.pending = false
	}
}

// request is the transfer of the operations gathered.
func (e *DMA) request() memory.Transfer {
	first, last := e.transfer[0].Addr(), e.transfer[len(e.transfer)-1].Addr()
	t := memory.Transfer{Addr: first, Bytes: int(last-first) + gen.WordBytes, Write: e.transfer[0].Kind() == gen.Store}
	if line := first.Line(); e.used.free(line, first) && e.used.free(last+gen.WordBytes, line+gen.LineBytes) {
		t.Addr, t.Bytes = line, gen.LineBytes
	}
	if t.Write {
		for i := range e.transfer {
			t.Data[e.transfer[i].Addr().Word()] = e.transfer[i].Value()
		}
	}
	return t
}

// Transferred ends the transfer under way.
func (e *DMA) Transferred(b *memory.Block) {
	for i := range e.transfer {
		e.thread.Performed(&e.transfer[i], b)
	}
	e.transfer = e.transfer[:0]
	e.wake(1)
}

// Describe is the state of the device in words.
func (e *DMA) Describe() string {
	if len(e.transfer) == 0 {
		return "is between two transfers"
	}
	return fmt.Sprintf("waits for a %s of %d words from address %#x on",
		e.transfer[0].Kind(), len(e.transfer), int64(e.transfer[0].Addr()))
}
