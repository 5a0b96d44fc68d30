package ruby

import (
	"fmt"
	"math/bits"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/code"
	"ordeal/sim/ruby/structure"
)

// controller is one instance of a machine. Its variables, and the frames of
// all its routines, lie in words and pointers: no routine calls itself.
type controller struct {
	wakeups
	system *System
	code   *code.Machine
	// natives are the functions that the instructions call.
	natives *nativeFuncs
	// perCycle is the number of transitions that it runs in one cycle.
	perCycle int
	waited   map[retry]bool // see retries; not of a system that is used again
	// idle says that the transition under way is one of a row that does nothing.
	idle bool
	now  event.Tick

	words    []uint64
	pointers []*object
	returns  []int32 // where the routines under way return to, depth of them
	depth    int
	spent    int // of the budget of a transition

	port    int    // being polled
	state   int    // of the transition under way
	event   int    // likewise, -1 if there is none
	next    uint64 // likewise, the state that it leads to
	bounded bool   // a buffer has bounded room
	end     ending // of the last attempt at a transition

	in          []*buffer // by in_port
	always      uint64    // a bit for each in_port that is polled whether its buffer holds messages or not
	out         []*buffer // by out_port
	caches      []*cache.Cache[*object]
	tables      []*table
	directory   []*directory
	timers      []*structure.Timer
	persistents []*structure.Persistent
	storages    []*structure.Storage
	lists       []*structure.List
	underway    [code.TransactionLists][]underway
	tagLatency  uint64 // of its caches
	dataLatency uint64
	sequencers  []*memory.Sequencer
	devices     []*memory.DeviceSequencer
	mandatory   *buffer
	locked      []memory.Addr // lines whose lock a core holds
	prefetching []memory.Addr // lines that its proxy prefetches
	streams     *structure.Streams
	memory      *memoryQueue // nil unless the machine asks memory

	counts  []uint64 // of transitions, by state and event
	stalls  []uint64 // likewise, of those that stalled
	waiting []waiting

	instance
	id      uint64    // its machineID
	initial []uint64  // of words
	buffers []*buffer // by machineCode.buffers
}

// waiting records which buffers, by rank, have messages set aside for a line.
type waiting struct {
	line    memory.Addr
	buffers []*buffer
}

func (c *controller) name() string {
	_, number := code.SplitMachineID(c.id)
	return fmt.Sprintf("%s %d", c.code.Decl.Name, number)
}

// flow says what comes after a statement.
type flow uint8

const (
	next    flow = iota // the following statement
	leave               // out of the function
	restart             // the first port, after a transition
	again               // the first port, after a message was put off
)

// Handle is a wake-up: memory serves one request, then the ports are polled
// from the first one again after every transition.
//
// A stalled message is not polled again each cycle as in gem5: polling changes
// nothing, and until a message arrives or a transition of this controller runs
// it would find the same. Nor is one whose transition does nothing, by which gem5
// uses up the transitions of each cycle: ports of lower priority are not polled.
func (c *controller) Handle(uint64) {
	c.setNow(c.woken())
	if c.memory != nil {
		c.memory.serve(c)
	}
	for n := 0; ; {
		if n == c.perCycle {
			c.wake(c.now + 1)
			return
		}
		switch c.advance() {
		case next:
			return
		case restart:
			if c.idle {
				return
			}
			n++
		}
	}
}

func (c *controller) setNow(now event.Tick) { c.now, c.words[code.ClockWord] = now, uint64(now) }

// advance is one step of the controller: it runs the bodies of the ports up to the first that
// ends in restart, that is after a transition, or in again, and gives that; next if there is none. A wake-up of the event
// queue and a step of a Stepper are made of it alone. It looks at those that may do something:
// their buffers hold messages, or their bodies begin with something else than a test
// for that.
func (c *controller) advance() flow {
	for set := c.holding | c.always; set != 0; {
		i := bits.TrailingZeros64(set)
		if p := &c.code.Ports[i]; !p.Guarded || c.in[i].ready(c.now) {
			c.port, c.depth = i, 0
			if f := c.exec(p.Start); f >= restart {
				return f
			}
			set = c.holding | c.always
		}
		set &= ^uint64(1) << i
	}
	return next
}

// sendable reports whether the buffers have room for what a transition sends. What
// several out_ports send to one buffer is asked for apart, as in gem5.
func (c *controller) sendable(sends []code.Demand) bool {
	for _, d := range sends {
		if !c.out[d.Table].fits(d.N, c.now, &c.wakeups) {
			return false
		}
	}
	return true
}

// sequencer is the port of a core, which machines without a core do not have.
func (c *controller) sequencer(at int) *memory.Sequencer {
	if at >= len(c.sequencers) {
		c.fail("call of a core in "+c.role.Name+", which has none", "%s", c.name())
	}
	return c.sequencers[at]
}

// stallPort sets the head of a port aside for a line.
func (c *controller) stallPort(port int, line memory.Addr) {
	b := c.in[port]
	if !b.ready(c.now) {
		c.fail("stall_and_wait on an empty port", "port %s", c.code.Decl.InPorts[port].Var.Name)
	}
	b.stall(line)
	rank := c.code.Ports[c.port].Rank
	i := c.waitingFor(line)
	if i < 0 {
		i = len(c.waiting)
		if i < cap(c.waiting) {
			c.waiting = c.waiting[:i+1]
			clear(c.waiting[i].buffers)
		} else {
			c.waiting = append(c.waiting, waiting{})
		}
		if c.waiting[i].buffers == nil {
			c.waiting[i].buffers = make([]*buffer, c.code.Ranks)
		}
		c.waiting[i].line = line
	}
	c.waiting[i].buffers[rank] = b
}

// waitingFor is the index of a line's record, -1 if there is none.
func (c *controller) waitingFor(line memory.Addr) int {
	for i := range c.waiting {
		if c.waiting[i].line == line {
			return i
		}
	}
	return -1
}

// wakeUpBuffers puts back what waits for a line in buffers of a rank below
// limit, and drops the record of what waits in the others as gem5 does.
func (c *controller) wakeUpBuffers(line memory.Addr, limit int) {
	i := c.waitingFor(line)
	if i < 0 {
		return
	}
	w := c.waiting[i]
	last := len(c.waiting) - 1
	c.waiting[i], c.waiting[last] = c.waiting[last], w
	c.waiting = c.waiting[:last]
	for rank := limit - 1; rank >= 0; rank-- {
		if b := w.buffers[rank]; b != nil && !b.reanalyze(line, c.now) {
			c.fail("wakeUpBuffers: the buffer has no stalled message", "buffer %s, line %#x", b.name(), int64(line))
		}
	}
}

// wakeUpBuffer puts back what waits for a line in one buffer, and drops the
// record of the line when nothing waits in others.
func (c *controller) wakeUpBuffer(b *buffer, line memory.Addr) {
	i := c.waitingFor(line)
	if i < 0 {
		return
	}
	w, others := c.waiting[i], false
	for rank, other := range w.buffers {
		switch {
		case other == nil:
		case other != b:
			others = true
		case !b.reanalyze(line, c.now):
			c.fail("wakeup_port: the buffer has no stalled message", "buffer %s, line %#x", b.name(), int64(line))
		default:
			w.buffers[rank] = nil
		}
	}
	if !others {
		last := len(c.waiting) - 1
		c.waiting[i], c.waiting[last] = c.waiting[last], w
		c.waiting = c.waiting[:last]
	}
}

// wakeUpAllBuffers puts back all that waits in any buffer.
func (c *controller) wakeUpAllBuffers() {
	for _, w := range c.waiting {
		for _, b := range w.buffers {
			if b != nil {
				b.reanalyzeAll(c.now)
			}
		}
	}
	c.waiting = c.waiting[:0]
}

// dequeue takes the head out of a port.
func (c *controller) dequeue(b *buffer) {
	if !b.ready(c.now) {
		c.fail("dequeue of an empty port", "buffer %s", b.name())
	}
	c.system.delivered(c, b, b.pop().msg)
}

// head is the message at the head of a port, of the layout of an index.
func (c *controller) head(port, layout int) *object {
	b := c.in[port]
	if !b.ready(c.now) {
		c.fail("peek of an empty port", "port %s", c.code.Decl.InPorts[port].Var.Name)
	}
	m := b.items[b.head].msg
	if m.layout.Index != layout {
		c.fail("peek of another type of message", "port %s has a %s, not a %s",
			c.code.Decl.InPorts[port].Var.Name, m.layout.Type.Name, c.system.pools[layout].layout.Type.Name)
	}
	return m
}
