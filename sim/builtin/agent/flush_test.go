package agent

import (
	"testing"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// flushPort performs an access after five ticks, and refuses every third.
type flushPort struct {
	memory.Port
	queue  *event.Queue
	self   event.Actor
	client memory.Client
	asked  int
	taken  map[memory.Addr]int
}

func (p *flushPort) Join(c memory.Client) uint8 {
	p.client = c
	return 3
}

func (p *flushPort) Access(r memory.Request) bool {
	if p.asked++; p.asked%3 == 0 {
		return false
	}
	if !r.Write || r.Kind != memory.Flush || r.Client != 3 {
		panic(r)
	}
	p.taken[r.Line]++
	p.queue.At(p.queue.Now()+5, p.self, 0)
	return true
}

func (p *flushPort) Handle(uint64) { p.client.Perform(0, new(memory.Block)) }

// TestFlusher flushes both lines, about every ten ticks besides the five that a
// flush takes, goes on after a refusal, and stops.
func TestFlusher(t *testing.T) {
	q := event.New(event.FIFO, 0)
	p := &flushPort{queue: q, taken: map[memory.Addr]int{}}
	p.self = q.Add(p)
	f := NewFlusher(q, p, []memory.Addr{64, 128}, 10, 1)
	for q.Now() < 10_000 {
		if err := q.Run(1); err != nil || q.Waiting() == 0 {
			t.Fatalf("no flush is to come at tick %d: %v", q.Now(), err)
		}
	}
	total := p.taken[64] + p.taken[128]
	if total < 400 || total > 900 || p.taken[64] < total/3 || p.taken[128] < total/3 {
		t.Errorf("flushes %v", p.taken)
	}
	f.Stop()
	if err := q.Run(10); err != nil || q.Waiting() > 0 {
		t.Errorf("%d events wait after the end: %v", q.Waiting(), err)
	}
}
