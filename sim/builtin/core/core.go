// Package core holds the cores of the embedded simulator, from sequentially
// consistent to RMO: each runs a Thread of a gen.Program on a memory.Port.
package core

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"ordeal/gen/option"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Bounds and defaults of Config.
const (
	DefaultBuffer = 8
	MaxBuffer     = 256
	DefaultWindow = 16
	MaxWindow     = 256
)

// Config describes a core.
type Config struct {
	Kind Kind
	// Buffer is the number of stores that the store buffer of TSO, OOO and
	// PSO holds; 0 means DefaultBuffer.
	Buffer int
	// Window is the number of operations that OOO, RMO, Arm and RISCV look at; 0
	// means DefaultWindow. The last two look at no more than 32.
	Window int
	// RMW is how InOrder, TSO and OOO perform read-modify-writes.
	RMW RMW
	// LockHold is how many ticks longer than needed the lock of a Locked pair is
	// held.
	LockHold event.Tick
	// WrongPath is how many operations of OOO come with one load of a wrong path
	// on average; 0 means no such loads.
	WrongPath int
	// LateStores is how many stores of OOO come with one whose address is known late,
	// on average: later loads go ahead of it, and start again if they should have
	// read from it. 0 means that addresses of stores are known at once.
	LateStores int
	// Crossing is how many loads and stores of OOO come with one that takes a second
	// line, on average. 0 means none.
	Crossing int
	// LoadQueue is the number of loads that the window of OOO holds; 0 means any.
	LoadQueue int
	// EagerRepeats has loads of OOO that lose their line start again at once, and not when they are
	// at the head of the window as in gem5.
	EagerRepeats bool
	// Start is the tick, from the next one on, at which the core starts.
	Start event.Tick
	Bugs  []Bug
	// Seed is that of the core's random choices: which store of an unordered
	// buffer leaves first, which address of a window is known late.
	Seed uint64
	_    struct{}
}

// stream is the second word of the PCG of a core.
const stream = 0x636f7265 // "core"

// Validate reports everything that is wrong with a configuration.
func (c *Config) Validate() error {
	var errs []error
	if !slices.Contains(Kinds(), c.Kind) {
		errs = append(errs, fmt.Errorf("core of unknown kind %d", c.Kind))
	}
	if c.Buffer < 0 || c.Buffer > MaxBuffer {
		errs = append(errs, fmt.Errorf("store buffer of %d stores: want 1 to %d", c.Buffer, MaxBuffer))
	}
	most := MaxWindow
	if c.Kind.weak() {
		most = maxWeakWindow
	}
	if c.Window < 0 || c.Window > most {
		errs = append(errs, fmt.Errorf("window of %d operations: want 1 to %d", c.Window, most))
	}
	for _, b := range c.Bugs {
		if !slices.Contains(Bugs(c.Kind), b) {
			errs = append(errs, fmt.Errorf("core %s cannot have bug %s", c.Kind, b))
		}
	}
	if c.WrongPath < 0 || c.WrongPath > 0 && c.Kind != OOO {
		errs = append(errs, fmt.Errorf("a wrong path for each %d operations of a core %s: want 0, or more with core %s", c.WrongPath, c.Kind, OOO))
	}
	if c.LateStores < 0 || c.LateStores > 0 && c.Kind != OOO {
		errs = append(errs, option.Faultf("late-stores", "one of %d of a core %s: want 0, or more with core %s", c.LateStores, c.Kind, OOO))
	}
	if c.Crossing < 0 || c.Crossing > 0 && c.Kind != OOO {
		errs = append(errs, option.Faultf("crossing", "one access of %d across two lines, of a core %s: want 0, or more with core %s", c.Crossing, c.Kind, OOO))
	}
	if c.LoadQueue < 0 || c.LoadQueue > 0 && c.Kind != OOO {
		errs = append(errs, option.Faultf("load-queue", "%d loads of a core %s: want 0, or more with core %s", c.LoadQueue, c.Kind, OOO))
	}
	if c.EagerRepeats && c.Kind != OOO {
		errs = append(errs, option.Faultf("eager-repeats", "with core %s: want core %s", c.Kind, OOO))
	}
	if c.LockHold < 0 || c.LockHold > event.MaxLatency || c.LockHold > 0 && c.RMW != RMWDefault && c.RMW != Locked {
		errs = append(errs, fmt.Errorf("locks held for %d ticks: want 0 to %d, of locked read-modify-writes", c.LockHold, event.MaxLatency))
	}
	if !c.Kind.Allows(c.RMW) {
		errs = append(errs, option.Faultf("rmw", "%s of core %s: other accesses to the line may be under way, so that it performs read-modify-writes in one", c.RMW, c.Kind))
	}
	if c.RMW > OneAccess && slices.Contains(c.Bugs, SplitRMW) {
		errs = append(errs, option.Faultf("rmw", "%s with bug %s", c.RMW, SplitRMW))
	}
	return errors.Join(errs...)
}

// Core is a core that runs one thread.
type Core interface {
	memory.Client
	event.Handler
	// Describe is the state of the core in words, for reports.
	Describe() string
	// Resume has a core whose thread had ended, and may go on, do so at the next tick. It
	// reports the next end as it did this one.
	Resume()
	Statistics() Statistics
}

// Statistics counts events of a core.
type Statistics struct {
	Forwarded uint64 // loads that read from the core's own waiting stores
	Squashed  uint64 // performed or issued loads that had to start again
	Failed    uint64 // conditional stores that failed
}

// New makes a core with a valid configuration, attaches it to its port and
// starts it at the next tick. The core calls done, from inside an event, when
// its thread came to its end and no store is buffered; once, unless it is resumed.
func New(q *event.Queue, c Config, t *Thread, port memory.Port, done func()) Core {
	b := base{
		queue: q, port: port, thread: t, done: done,
		random: rand.NewPCG(c.Seed, stream), fenceDrains: !slices.Contains(c.Bugs, FenceNoDrain),
		forwardOldest: slices.Contains(c.Bugs, ForwardOldest), reservations: !slices.Contains(c.Bugs, ReservationIgnored), lockHold: c.LockHold, startAt: q.Now() + 1 + c.Start,
	}
	switch {
	case c.RMW == Locked:
		b.rmw = lockedPair
	case c.RMW == LinkedLoad:
		b.rmw = linkedPair
	case slices.Contains(c.Bugs, SplitRMW):
		b.rmw = splitPair
	}
	if c.Buffer == 0 {
		c.Buffer = DefaultBuffer
	}
	if c.Window == 0 {
		c.Window = DefaultWindow
	}
	var core interface {
		Core
		start(Core)
	}
	switch c.Kind {
	case InOrder, TSO, PSO:
		core = newBlocking(b, c)
	case OOO:
		core = newSpeculative(b, c)
	case RMO:
		core = newRelaxed(b, c)
	case Arm, RISCV:
		core = newWeak(b, c)
	default:
		panic(fmt.Sprintf("core of kind %d: the configuration was not validated", c.Kind))
	}
	core.start(core)
	return core
}

// base is what all cores have.
type base struct {
	queue  *event.Queue
	self   event.Actor
	port   memory.Port
	thread *Thread
	random *rand.PCG
	done   func()
	ended  bool // done was called
	// wakeAt is the earliest wake-up that is scheduled, if it is in the future.
	// Later ones may be scheduled as well: spurious wake-ups are harmless.
	wakeAt event.Tick
	stats  Statistics

	rmw                        rmwMode
	lockHold, startAt          event.Tick
	fenceDrains, forwardOldest bool
	reservations               bool // conditional stores may fail
}

func (b *base) start(c Core) {
	b.self = b.queue.Add(c)
	b.port.Attach(c)
	b.wake(b.startAt)
}

// wake schedules a wake-up at a tick in the future.
func (b *base) wake(at event.Tick) {
	if b.wakeAt > b.queue.Now() && b.wakeAt <= at {
		return
	}
	b.wakeAt = at
	b.queue.At(at, b.self, 0)
}

func (b *base) wakeNext() { b.wake(b.queue.Now() + 1) }

// One operation in lateOf is late: its address is known, or it may leave the
// store buffer, up to lateTicks ticks later than possible. This reorders
// accesses of equal latency, and accesses to one line, which memory performs in
// the order of issue.
const (
	lateOf    = 4
	lateTicks = 16
)

// late is the tick at which an operation fetched or buffered now may be issued.
func (b *base) late() event.Tick {
	now := b.queue.Now()
	if u := b.random.Uint64(); u%lateOf == 0 {
		return now + 1 + event.Tick(u/lateOf%lateTicks)
	}
	return now
}

// end reports, once, that the thread came to its end.
func (b *base) end() {
	if !b.ended {
		b.ended = true
		b.done()
	}
}

// Resume goes on after an end.
func (b *base) Resume() {
	b.ended = false
	b.wakeNext()
}

// Statistics returns the counts so far.
func (b *base) Statistics() Statistics { return b.stats }

// Evict ignores the notification: only speculative loads need it.
func (*base) Evict(memory.Addr) {}

// Retry has the core try again what its port has refused.
func (b *base) Retry() { b.wakeNext() }
