package agent

import (
	"slices"
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// fetchPort refuses every other access, and performs one after three ticks on a line
// whose first word counts the accesses.
type fetchPort struct {
	memory.Port
	queue   *event.Queue
	self    event.Actor
	client  memory.Client
	asked   int
	got     []event.Tick
	request memory.Request
}

func (p *fetchPort) Join(c memory.Client) uint8 {
	p.client = c
	return 5
}

func (p *fetchPort) Access(r memory.Request) bool {
	if p.asked++; p.asked%2 == 1 {
		return false
	}
	p.request = r
	p.got = append(p.got, p.queue.Now())
	p.queue.At(p.queue.Now()+3, p.self, 0)
	return true
}

func (p *fetchPort) Handle(uint64) { p.client.Perform(0, &memory.Block{uint64(len(p.got))}) }

// TestFetcher fetches one instruction after the other, and again what the port
// refuses.
func TestFetcher(t *testing.T) {
	program, err := gen.Parse("test", []byte("ordeal-program 1\nlayout spread\nlocations x y\nthread 0\nthread 1 fetch 0\nload y\ndelay 9\nload y\n"))
	if err != nil {
		t.Fatal(err)
	}
	q := event.New(event.FIFO, 0)
	p := &fetchPort{queue: q}
	p.self = q.Add(p)
	thread := core.NewThread(program, 1, 2, core.NewWriteOrder(program, 2))
	ended := 0
	NewFetcher(q, thread, p, nil, func() { ended++ })
	if err := q.Run(1000); err != nil {
		t.Fatal(err)
	}
	// Each is refused once: 1+1, then after 3 ticks, one more and 9 of delay.
	if want := []event.Tick{2, 16, 21, 35}; !slices.Equal(p.got, want) {
		t.Errorf("fetches at ticks %v, want %v", p.got, want)
	}
	if want := (memory.Request{Line: memory.Base + 64, Kind: memory.Fetch, Client: 5}); p.request != want {
		t.Errorf("request %+v, want %+v", p.request, want)
	}
	if reads := thread.Reads(); !slices.Equal(reads, []gen.Value{1, 2, 3, 4}) || ended != 1 {
		t.Errorf("reads %v, %d ends", reads, ended)
	}
}

// TestCode compares what is fetched with what was loaded: not the words of locations, and
// nothing of lines without code.
func TestCode(t *testing.T) {
	p, err := gen.Parse("test", []byte("ordeal-program 1\nlayout pairs\nlocations x y z\nthread 0\nthread 1 fetch 0\nload y\n"))
	if err != nil {
		t.Fatal(err)
	}
	code := Assemble(p, []memory.Addr{memory.Base})
	b := code[memory.Base].Block
	for i, v := range b {
		if (v == 0) != (i < 2) { // x and y
			t.Errorf("word %d is %#x", i, v)
		}
	}
	b[0], b[1] = 5, 6
	if err := code.check(memory.Base, &b); err != nil {
		t.Error(err)
	}
	if err := code.check(memory.Base+gen.LineBytes, &memory.Block{}); err != nil {
		t.Error(err)
	}
	for i := 2; i < memory.WordsPerLine; i++ {
		lost := b
		lost[i] = 0
		if code.check(memory.Base, &lost) == nil {
			t.Errorf("word %d is lost: no error", i)
		}
	}
}
