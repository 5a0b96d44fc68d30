package ideal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// trial is a memory under random accesses, and what is known about it from
// the contract of package memory alone.
type trial struct {
	t        *testing.T
	queue    *event.Queue
	random   *rand.Rand
	memory   *Memory
	clients  []*client
	contents map[memory.Addr]uint64
	locks    map[memory.Addr]*client
	performs int
	pairs    int // locked pairs that came to their end
}

// client is one core of a trial.
type client struct {
	*trial
	core     int
	self     event.Actor
	underWay map[uint64]memory.Request
	next     uint64
	// early holds the lines that the core may have read and of whose loss it
	// was not notified.
	early map[memory.Addr]bool
	// pair is the access of a locked pair that is or was last under way.
	pair memory.Request
}

const testLines = 6

func newTrial(t *testing.T, seed uint64, o Options) *trial {
	tr := &trial{
		t: t, queue: event.New(event.Shuffled, seed),
		random: rand.New(rand.NewPCG(seed, 0)), contents: map[memory.Addr]uint64{}, locks: map[memory.Addr]*client{},
	}
	o.Seed = seed
	tr.memory = New(tr.queue, o)
	for i := range o.Cores {
		c := &client{trial: tr, core: i, underWay: map[uint64]memory.Request{}, early: map[memory.Addr]bool{}}
		c.self = tr.queue.Add(c)
		tr.memory.Port(i).Attach(c)
		tr.queue.At(0, c.self, 0)
		tr.clients = append(tr.clients, c)
	}
	return tr
}

// Handle starts an access and comes back later. A locked pair is alone.
func (c *client) Handle(uint64) {
	c.queue.At(c.queue.Now()+event.Tick(1+c.random.IntN(10)), c.self, 0)
	alone := len(c.underWay) == 0
	r := memory.Request{
		Line:  memory.Base + memory.Addr(c.random.IntN(testLines))*64,
		Write: c.random.IntN(3) == 0,
		Tag:   c.next,
	}
	switch {
	case c.pair.Lock != memory.NoLock && !alone:
		return
	case c.pair.Lock == memory.TakeLock:
		r.Line, r.Write, r.Lock = c.pair.Line, true, memory.ReleaseLock
	case alone && c.random.IntN(2) == 0:
		r.Write, r.Lock = true, memory.TakeLock
	}
	if c.memory.Port(c.core).Access(r) {
		c.underWay[r.Tag], c.pair = r, r
		c.next++
	}
}

func (c *client) Perform(tag uint64, b *memory.Block) {
	r, ok := c.underWay[tag]
	if !ok {
		c.t.Fatalf("core %d: access %d performs, which is not under way", c.core, tag)
	}
	delete(c.underWay, tag)
	c.performs++
	if holder := c.locks[r.Line]; holder != nil && holder != c {
		c.t.Fatalf("core %d accesses line %#x, which core %d has locked", c.core, r.Line, holder.core)
	}
	switch r.Lock {
	case memory.TakeLock:
		c.locks[r.Line] = c
	case memory.ReleaseLock:
		c.locks[r.Line] = nil
		c.pairs++
	}
	if b[0] != c.contents[r.Line] {
		c.t.Fatalf("core %d reads %d from line %#x, want %d", c.core, b[0], r.Line, c.contents[r.Line])
	}
	c.early[r.Line] = true
	if lines := c.memory.options.Lines; lines > 0 && len(c.early) > lines {
		c.t.Fatalf("core %d holds %d lines, want at most %d", c.core, len(c.early), lines)
	}
	if !r.Write {
		return
	}
	for _, other := range c.clients {
		if other != c && other.early[r.Line] {
			c.t.Fatalf("core %d writes line %#x, without a notification to core %d", c.core, r.Line, other.core)
		}
	}
	b[0]++
	c.contents[r.Line] = b[0]
}

func (c *client) Evict(line memory.Addr) { delete(c.early, line) }

func TestContract(t *testing.T) {
	for _, lines := range []int{0, 1, 2, 4, testLines} {
		for _, cores := range []int{1, 2, 4, 64} {
			t.Run(fmt.Sprintf("lines=%d/cores=%d", lines, cores), func(t *testing.T) {
				o := Options{Cores: cores, Lines: lines, Latency: event.Latency{Base: 2, Jitter: 10}}
				tr := newTrial(t, uint64(lines+cores), o)
				if err := tr.queue.Run(100_000); err != nil {
					t.Fatal(err)
				}
				if tr.performs < 2_000 {
					t.Errorf("only %d accesses have performed", tr.performs)
				}
				if tr.pairs < 50 {
					t.Errorf("only %d locked pairs have performed", tr.pairs)
				}
				for _, c := range tr.clients {
					if _, since, ok := tr.memory.Port(c.core).Oldest(); ok != (len(c.underWay) > 0) {
						t.Errorf("core %d: oldest access %d, %v; %d are under way", c.core, since, ok, len(c.underWay))
					} else if age := tr.queue.Now() - since; ok && age > 10_000 {
						t.Errorf("core %d: an access is under way for %d ticks", c.core, age)
					}
				}
			})
		}
	}
}

// timer measures accesses.
type timer struct {
	queue *event.Queue
	at    event.Tick
}

func (c *timer) Perform(uint64, *memory.Block) { c.at = c.queue.Now(); c.queue.Halt() }
func (c *timer) Evict(memory.Addr)             {}

func TestLatency(t *testing.T) {
	for _, c := range []struct {
		lines                  int
		read, again, upgrade   event.Tick
		writeAgain, afterOther event.Tick
	}{
		{lines: 0, read: 9, again: 9, upgrade: 9, writeAgain: 9, afterOther: 9},
		{lines: 2, read: 9, again: 1, upgrade: 9, writeAgain: 1, afterOther: 9},
	} {
		q := event.New(event.FIFO, 0)
		m := New(q, Options{Cores: 2, Lines: c.lines, Latency: event.Latency{Base: 9}})
		access := func(core int, write bool) event.Tick {
			client, start := &timer{queue: q}, q.Now()
			m.Port(core).Attach(client)
			m.Port(core).Access(memory.Request{Line: 64, Write: write})
			if err := q.Run(10); err != nil {
				t.Fatal(err)
			}
			return client.at - start
		}
		m.Port(1).Attach(&timer{queue: q})
		got := []event.Tick{access(0, false), access(0, false), access(0, true), access(0, true), access(1, true)}
		got = append(got, access(0, false))
		want := []event.Tick{c.read, c.again, c.upgrade, c.writeAgain, c.afterOther, c.afterOther}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("with %d lines, accesses take %v, want %v", c.lines, got, want)
		}
	}
}

func TestDump(t *testing.T) {
	q := event.New(event.FIFO, 0)
	m := New(q, Options{Cores: 1, Lines: 2, Latency: event.Latency{Base: 9}})
	m.Port(0).Attach(&timer{queue: q})
	m.Port(0).Access(memory.Request{Line: 64, Write: true})
	if err := q.Run(1); err != nil {
		t.Fatal(err)
	}
	m.Port(0).Access(memory.Request{Line: 128})
	var sb strings.Builder
	m.Dump(&sb)
	want := "core 0: read of line 0x80 under way since tick 9\ncore 0: holds line 0x40 to write\n"
	if sb.String() != want {
		t.Errorf("dump is %q, want %q", sb.String(), want)
	}
}
