// Package ideal is a memory system without a protocol: every access takes effect
// after some time, at one instant for all cores. It is sequentially consistent,
// so that violations are those of the cores.
package ideal

import (
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"slices"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Latencies other than that of memory.
const (
	hitLatency  event.Tick = 1 // of an access to a held line
	lockLatency event.Tick = 1 // between two tries at a locked line
)

// stream is the second word of the PCG that draws latencies and victims.
const stream = 0x696465616c // "ideal"

// Options describe a memory.
type Options struct {
	Cores int // 1 to 64: the holders of a line are one word
	// Latency is that of an access to a line that the core does not hold.
	Latency event.Latency
	// Lines is the number of lines that a core holds; 0 means that every access
	// goes to memory. A held line is the right to read or to write memory
	// quickly, not a copy. A write takes the right from all other cores, and a
	// core with too many lines gives one up; both notify the core.
	Lines int
	Seed  uint64
	_     struct{}
}

// Memory is an ideal memory. It is a memory.System.
type Memory struct {
	queue   *event.Queue
	options Options
	random  *rand.PCG
	lines   map[memory.Addr]*line
	cores   []*controller
}

var _ memory.System = (*Memory)(nil)

type line struct {
	block   memory.Block
	addr    memory.Addr
	holders uint64 // a bit for each core that may read
	owned   bool   // the only holder may write
	locked  uint64 // the bit of the core that holds the lock
	// reserved has the bits of the cores whose linked load has reserved the line.
	// The sequencer ends a reservation with the notification of a loss.
	reserved uint64
}

// controller is one core's side of the memory.
type controller struct {
	memory *Memory
	self   event.Actor
	bit    uint64
	port   *memory.Sequencer
	held   []*line // at most options.Lines
}

// New makes a memory that holds zeros.
func New(q *event.Queue, o Options) *Memory {
	m := &Memory{queue: q, options: o, random: rand.NewPCG(o.Seed, stream), lines: make(map[memory.Addr]*line)}
	for i := range o.Cores {
		c := &controller{memory: m, bit: 1 << i, held: make([]*line, 0, o.Lines+1)}
		c.self = q.Add(c)
		c.port = memory.NewSequencer(q, i, c)
		m.cores = append(m.cores, c)
	}
	return m
}

// Port is the port of a core.
func (m *Memory) Port(core int) memory.Port { return m.cores[core].port }

// Load sets a line.
func (m *Memory) Load(addr memory.Addr, b *memory.Block) { m.line(addr).block = *b }

// Dump writes the accesses under way and the held lines.
func (m *Memory) Dump(w io.Writer) {
	for i, c := range m.cores {
		c.port.Dump(w)
		for _, l := range c.held {
			right := "read"
			if l.owned {
				right = "write"
			}
			fmt.Fprintf(w, "core %d: holds line %#x to %s\n", i, int64(l.addr), right)
		}
	}
}

func (m *Memory) line(addr memory.Addr) *line {
	l := m.lines[addr]
	if l == nil {
		l = &line{addr: addr}
		m.lines[addr] = l
	}
	return l
}

// The argument of a controller's event is the address of the line with these
// flags in its low bits.
const (
	writeFlag = 1
	hitFlag   = 2
)

// Issue starts an access.
func (c *controller) Issue(r memory.Request) {
	addr, write := r.Line, r.Write
	arg := uint64(addr)
	if write {
		arg |= writeFlag
	}
	if c.memory.options.Lines > 0 && c.mayAccess(c.memory.line(addr), write) {
		c.memory.queue.At(c.memory.queue.Now()+hitLatency, c.self, arg|hitFlag)
		return
	}
	c.miss(arg)
}

func (c *controller) miss(arg uint64) {
	m := c.memory
	m.queue.At(m.queue.Now()+m.options.Latency.Draw(m.random), c.self, arg)
}

// mayAccess reports whether the core holds a line with the right it needs.
func (c *controller) mayAccess(l *line, write bool) bool {
	return l.holders&c.bit != 0 && (l.owned || !write)
}

// Block gives the core the lock of a line. It may lose the line itself.
func (c *controller) Block(addr memory.Addr) { c.memory.line(addr).locked = c.bit }

// Unblock takes back the lock.
func (c *controller) Unblock(addr memory.Addr) { c.memory.line(addr).locked = 0 }

// Reserve reserves a line for the core.
func (c *controller) Reserve(addr memory.Addr) { c.memory.line(addr).reserved |= c.bit }

// Reserved reports whether the line is reserved for the core.
func (c *controller) Reserved(addr memory.Addr) bool {
	return c.memory.line(addr).reserved&c.bit != 0
}

// Release ends the reservation.
func (c *controller) Release(addr memory.Addr) { c.memory.line(addr).reserved &^= c.bit }

// Handle completes an access. A hit whose line was lost meanwhile misses.
func (c *controller) Handle(arg uint64) {
	l, write := c.memory.line(memory.Addr(arg).Line()), arg&writeFlag != 0
	if l.locked&^c.bit != 0 {
		c.memory.queue.At(c.memory.queue.Now()+lockLatency, c.self, arg)
		return
	}
	if arg&hitFlag != 0 {
		if !c.mayAccess(l, write) {
			c.miss(arg &^ hitFlag)
			return
		}
	} else {
		c.take(l, write)
	}
	if write {
		c.port.WriteCallback(l.addr, &l.block)
	} else {
		c.port.ReadCallback(l.addr, &l.block)
	}
}

// take gives the core the right to a line and takes it from others.
func (c *controller) take(l *line, write bool) {
	if c.memory.options.Lines == 0 {
		if write {
			for _, other := range c.memory.cores { // holders are not known
				if other != c {
					other.port.EvictionCallback(l.addr)
				}
			}
		}
		return
	}
	if write {
		c.memory.invalidate(l, c.bit)
	}
	l.owned = write
	if l.holders&c.bit == 0 {
		l.holders |= c.bit
		c.held = append(c.held, l)
		if len(c.held) > c.memory.options.Lines {
			// Any line but this one.
			i, _ := bits.Mul64(c.memory.random.Uint64(), uint64(len(c.held)-1))
			c.giveUp(int(i))
		}
	}
}

func (m *Memory) invalidate(l *line, but uint64) {
	for others := l.holders &^ but; others != 0; others &= others - 1 {
		other := m.cores[bits.TrailingZeros64(others)]
		other.giveUp(slices.Index(other.held, l))
	}
}

// giveUp ends the core's right to the line at index i of held.
func (c *controller) giveUp(i int) {
	l, last := c.held[i], len(c.held)-1
	c.held[i] = c.held[last]
	c.held = c.held[:last]
	l.holders &^= c.bit
	l.owned = false
	c.port.EvictionCallback(l.addr)
}
