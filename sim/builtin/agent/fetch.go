package agent

import (
	"fmt"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Fetcher is the instruction fetch of a core: a stream of loads of one location that goes
// through the core's own port as fetches of instructions, one at a time. It is a thread of its own, since nothing orders it
// with the core's loads and stores.
type Fetcher struct {
	queue  *event.Queue
	self   event.Actor
	port   memory.Port
	client uint8 // of the port
	thread *core.Thread
	code   Code
	done   func()

	state   fetchState
	current core.Operation
}

type fetchState uint8

const (
	idle     fetchState = iota // between two operations
	starting                   // the port has refused the fetch
	waiting                    // the fetch is under way
)

// NewFetcher makes a fetcher and starts it at the next tick. What it fetches must be the code
// that was loaded. It calls done, from inside an event, when its thread came to its end.
func NewFetcher(q *event.Queue, t *core.Thread, port memory.Port, code Code, done func()) *Fetcher {
	f := &Fetcher{queue: q, port: port, thread: t, code: code, done: done}
	f.self, f.client = q.Add(f), port.Join(f)
	f.wake(1)
	return f
}

func (f *Fetcher) wake(ticks event.Tick) { f.queue.At(f.queue.Now()+ticks, f.self, 0) }

// Handle goes on with the next operation. A fetch that the port refuses is tried
// again at the next tick.
func (f *Fetcher) Handle(uint64) {
	if f.state == idle {
		var more bool
		if f.current, more = f.thread.Next(); !more {
			f.done()
			return
		}
		if f.current.Kind() == gen.Delay {
			f.wake(event.Tick(f.current.Value()))
			return
		}
	}
	f.state = starting
	if f.port.Access(memory.Request{Line: f.current.Addr().Line(), Kind: memory.Fetch, Client: f.client}) {
		f.state = waiting
		return
	}
	f.wake(1)
}

// Perform is the instant at which the instruction is read.
func (f *Fetcher) Perform(_ uint64, b *memory.Block) {
	if err := f.code.check(f.current.Addr().Line(), b); err != nil {
		f.queue.Fail(err)
	}
	f.thread.Performed(&f.current, b)
	f.state = idle
	f.wake(1)
}

// Evict is never called: what was fetched is not fetched again.
func (f *Fetcher) Evict(memory.Addr) {}

// Describe is the state of the fetcher in words.
func (f *Fetcher) Describe() string {
	if f.state == idle {
		return "is between two fetches"
	}
	text := "is refused a fetch of"
	if f.state == waiting {
		text = "waits for a fetch of"
	}
	return fmt.Sprintf("%s line %#x", text, int64(f.current.Addr().Line()))
}
