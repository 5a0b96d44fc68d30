package ruby

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/gen"
	processor "ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/types"
)

// memoryOf is the memory of a controller that has nothing else.
func memoryOf(reorder bool) (*controller, *memoryQueue) {
	f := &code.MemoryFields{
		Layout: &code.Layout{Init: make([]uint64, 5+code.BlockWords)},
		Addr:   0, Kind: 1, Sender: 2, Requestor: 3, Len: 4, Data: 5, Size: -1, Read: 7, Write: 8,
	}
	c := &controller{wakeups: wakeups{queue: event.New(event.FIFO, 0)}, event: -1, code: &code.Machine{Decl: &types.Machine{Name: "Directory"}}}
	c.self = c.queue.Add(c)
	c.system = &System{spare: spare{pools: []pool{{layout: f.Layout}}}}
	q := &memoryQueue{
		requests: &buffer{poller: &c.wakeups}, answers: &buffer{poller: &c.wakeups}, last: make([]event.Tick, 1), fields: f, latency: event.Latency{Base: 50},
		lines: map[memory.Addr]*memory.Block{}, reorder: reorder,
	}
	return c, q
}

// request puts a request into memory at a tick: a write of one byte range whose words
// hold the value, or a read.
func request(c *controller, q *memoryQueue, at event.Tick, kind, addr, bytes, value uint64) {
	m := c.system.pools[0].get()
	m.words[0], m.words[1], m.words[4] = addr, kind, bytes
	for i := range code.BlockWords {
		m.words[5+i] = value + uint64(i)
	}
	q.requests.enqueue(m, at)
	c.now = at
	q.serve(c)
}

// answers lists the arrivals and the second words of the answers.
func (q *memoryQueue) list() (list [][2]uint64) {
	for _, a := range q.answers.items[q.answers.head:] {
		list = append(list, [2]uint64{uint64(a.at), a.msg.words[6]})
	}
	return list
}

// TestMemoryReorder has a read, a write of the same line and a read of another
// one: memory that keeps their order answers in it, with the data of the order;
// memory that does not acknowledges the write first, and the read has its data.
func TestMemoryReorder(t *testing.T) {
	for reorder, want := range map[bool][][2]uint64{
		false: {{61, 0}, {71, 0}, {81, 0}},
		true:  {{21, 0}, {60, 101}, {80, 0}},
	} {
		c, q := memoryOf(reorder)
		request(c, q, 10, 7, 64, 0, 0)
		request(c, q, 20, 8, 64, 0, 100)
		request(c, q, 30, 7, 128, 0, 0)
		got := q.list()
		if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
			t.Errorf("reorder %v: answers %v, want %v", reorder, got, want)
		}
	}
}

// TestPartialWrite writes words 1 and 2 of a line, and then beyond its end.
func TestPartialWrite(t *testing.T) {
	c, q := memoryOf(false)
	request(c, q, 10, 8, 64+8, 16, 100)
	if got, want := *q.lines[64], (memory.Block{0, 101, 102}); got != want {
		t.Errorf("memory has %v, want %v", got, want)
	}
	defer func() {
		if _, ok := recover().(*memory.Fault); !ok {
			t.Error("a write beyond a line is accepted")
		}
	}()
	request(c, q, 20, 8, 64+56, 16, 100)
}

// TestOrderedBuffers makes the buffer ordered that the directory of the project's
// MI fills with forwards, of long latency, and refusals, of short latency: a
// refusal soon arrives before a forward. The protocol is not as gem5 configures
// its own, whose list of buffers has other names.
func TestOrderedBuffers(t *testing.T) {
	tree, err := protocols.Load("mi")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(tree)
	if err != nil {
		t.Fatal(err)
	}
	if p.program.Configured {
		t.Error("the project's MI is taken for gem5's")
	}
	for _, ordered := range p.program.orderedNetworks(5) {
		if !ordered {
			t.Error("a network of the project's MI is not ordered")
		}
	}
	o := gen.Defaults()
	o.Layout = gen.Conflict
	program, err := gen.Random(rand.New(rand.NewPCG(1, 0)), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, ordered := range []bool{false, true} {
		q := event.New(event.Shuffled, 1)
		s := New(q, p, Options{Cores: 4}.WithDefaults())
		if b := s.controllers[s.program.Dense[s.program.MachineType.Enum("Directory").Ordinal]][0].out[0]; ordered {
			b.ordered = true
		}
		for i := range program.Threads {
			thread := processor.NewThread(program, gen.ThreadID(i), 5, processor.NewWriteOrder(program, 5))
			processor.New(q, processor.Config{Kind: processor.InOrder}, thread, s.Port(i), func() {})
		}
		err := q.Run(1_000_000)
		if violated := err != nil && strings.HasPrefix(err.Error(), "FIFO ordering violated in Directory."); violated != ordered {
			t.Errorf("ordered %v: %v", ordered, err)
		}
	}
}

// TestMemoryChannels has a slow read and then a fast one of another line, in one
// channel and in two.
func TestMemoryChannels(t *testing.T) {
	for channels, want := range map[int][2]uint64{1: {61, 0}, 2: {26, 0}} {
		c, q := memoryOf(false)
		q.last = make([]event.Tick, channels)
		request(c, q, 10, 7, 64, 0, 0)
		q.latency.Base = 5
		request(c, q, 20, 7, 128, 0, 0)
		if got := q.list()[0]; got != want {
			t.Errorf("%d channels: the first answer is %v, want %v", channels, got, want)
		}
	}
}
