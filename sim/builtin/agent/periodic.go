// Package agent is what accesses memory beside the loads and stores of cores: the fetch of
// instructions, flushes, prefetches, functional reads, devices, and the barriers of threads.
package agent

import (
	"math/bits"
	"math/rand/v2"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Streams of the PCGs that draw moments and lines: their second words.
const (
	flushStream      = 0x666c757368 // "flush"
	prefetchStream   = 0x70726566   // "pref"
	functionalStream = 0x66756e63   // "func"
)

// periodic is an actor that does something with one of some lines at random moments. What it
// does to memory changes no value, and so it is in no history.
type periodic struct {
	queue    *event.Queue
	self     event.Actor
	lines    []memory.Addr
	interval event.Tick // between two moments, on average
	random   *rand.PCG
	stopped  bool
	// act does it to a line, and reports whether the next moment is to come.
	act func(line memory.Addr) bool
}

// start adds the actor to a queue and schedules the first moment.
func (p *periodic) start(q *event.Queue, lines []memory.Addr, interval event.Tick, seed, stream uint64, act func(line memory.Addr) bool) {
	*p = periodic{queue: q, lines: lines, interval: interval, random: rand.NewPCG(seed, stream), act: act}
	p.self = q.Add(p)
	p.next()
}

func (p *periodic) next() {
	ticks, _ := bits.Mul64(p.random.Uint64(), uint64(2*p.interval))
	p.queue.At(p.queue.Now()+1+event.Tick(ticks), p.self, 0)
}

// Stop has nothing further start.
func (p *periodic) Stop() { p.stopped = true }

// Handle is a moment.
func (p *periodic) Handle(uint64) {
	if p.stopped {
		return
	}
	at, _ := bits.Mul64(p.random.Uint64(), uint64(len(p.lines)))
	if p.act(p.lines[at]) {
		p.next()
	}
}
