// Package explore visits the reachable states of a small machine that runs a
// coherence protocol: what sampling finds by chance, or never, is found here if
// it is there at all, by a shortest path.
//
// A state is everything that the future depends on: controllers, messages in
// flight, accesses under way, data. A step is one thing that happens at one
// controller; see ruby.Stepper. Every delay of a message is possible, those of
// a real machine included. In free mode any core may access any line at any time.
package explore

import (
	"cmp"
	"errors"
	"strings"

	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/types"
)

// Config describes the machine that is explored.
type Config struct {
	Protocol *ruby.Protocol
	// System has the numbers of cores, directories and banks, and the sizes of
	// caches. Latencies and the seed do not matter.
	System ruby.Options
	// Lines is the number of lines that cores access; 0 means 1. Several lines
	// compete for the ways of caches that have too few, and only so is anything ever
	// replaced.
	Lines int
	// Words is the number of words of each line that are accessed; 0 means 1.
	Words int
	// Values is the number of values of a word that are distinguished by their age;
	// 0 means 2, the value last stored and all older ones; 1 leaves data out.
	Values int
	// Outstanding is the number of accesses that a core has under way at most;
	// 0 means 1.
	Outstanding int
	// Depth is the number of messages that may be under way in one channel, that is
	// from one controller to one buffer of another; 0 means 4. A step that would
	// send more is not possible until some have arrived, which bounds the states of
	// protocols that send without waiting for answers.
	Depth int
	// Unordered are buffers, as MACHINE.buffer, whose messages from other
	// controllers arrive in any order; those of all others keep the order of each
	// sender.
	Unordered []string
	// Symmetry counts states once that differ only in the names of cores or lines.
	Symmetry bool
	// Program, if not nil, is what the cores run in place of any access at any time. Its
	// locations then say what lines and words there are.
	Program *gen.Program
	// Core is the kind of the cores that run it: InOrder, TSO, OOO or PSO.
	Core core.Kind
	// Placement is the core of each thread, NoCore where the program says that a device
	// runs it; nil means the cores in order. A device without a thread reads any line at
	// any time.
	Placement []int
	// IdleLoads is the number of loads of any line that every core may make at any
	// time, also one without a thread, whose values are ignored: so lines are
	// shared, fetched early and displaced as in longer programs.
	IdleLoads int

	// Sought, if not nil, leaves out the states from which no outcome with one of these reads
	// can be reached. Other properties then hold in the states that are left. It has no influence on the names
	// of steps.
	Sought []Reads

	counters bool // all numbers of the protocol are kept as they are
	_        struct{}
}

// The most of each that an encoded state has room for.
const (
	maxLines       = 16
	maxValues      = 64
	maxOutstanding = 16
	maxIdleLoads   = 100
	maxDepth       = 100
)

// defaultDepth is the default of Config.Depth: the shipped protocols never have
// as many messages in a channel.
const defaultDepth = 4

func (c Config) withDefaults() Config {
	c.System = c.System.WithDefaults()
	c.Depth = cmp.Or(c.Depth, defaultDepth)
	c.Lines, c.Words, c.Outstanding = max(c.Lines, 1), max(c.Words, 1), max(c.Outstanding, 1)
	if c.Program != nil {
		return c.forProgram()
	}
	if c.Values == 0 {
		c.Values = 2
	}
	return c
}

// Validate reports everything that is wrong with the configuration.
func (c Config) Validate() error {
	c = c.withDefaults()
	if err := c.System.Validate(); err != nil {
		return err
	}
	errs := []error{c.Protocol.Check(c.System)}
	bound := func(name string, n, limit int) {
		if n < 1 || n > limit {
			errs = append(errs, option.Faultf(name, "%d: want 1 to %d", n, limit))
		}
	}
	bound("lines", c.Lines, maxLines)
	bound("words", c.Words, memory.WordsPerLine)
	if c.System.Devices > 0 && !c.Protocol.Devices() {
		errs = append(errs, option.Faultf("dma", "protocol %s has no machine for devices", c.Protocol.Name()))
	}
	if c.System.Transfers > 1 {
		errs = append(errs, option.Faultf("device-threads", "%d: explored are devices with one transfer at a time", c.System.Transfers))
	}
	if c.Program != nil {
		errs = append(errs, c.validateProgram()...)
		if c.IdleLoads < 0 || c.IdleLoads > maxIdleLoads {
			errs = append(errs, option.Faultf("idle-loads", "%d: want 0 to %d", c.IdleLoads, maxIdleLoads))
		}
	} else {
		bound("values", c.Values, maxValues)
	}
	if err := c.validateSought(); err != nil {
		errs = append(errs, err)
	}
	bound("depth", c.Depth, maxDepth)
	bound("outstanding", c.Outstanding, maxOutstanding)
	return errors.Join(errs...)
}

// spread is the number of neighbouring lines that belong to different
// directories or banks.
func (c *Config) spread() int { return max(c.System.Directories, c.System.Banks) }

// Addresses are the addresses of the lines, by number.
func (c Config) Addresses() []memory.Addr {
	c = c.withDefaults()
	return c.addresses()
}

// addresses gives each line an address. Line after line belongs to another
// directory and bank, and all those of one of them lie in one set of every cache.
func (c *Config) addresses() []memory.Addr {
	const sets = 1 << 12 // more than any cache has
	list := make([]memory.Addr, c.Lines)
	n := c.spread()
	for i := range list {
		list[i] = memory.Base + memory.Addr(types.BlockBytes*(i%n+i/n*sets*n))
	}
	return list
}

// faultOf is the violation that a step ended in. The title of a fault begins
// with what failed.
func faultOf(err error) machine.Fault {
	m, ok := errors.AsType[*memory.Fault](err)
	if !ok {
		return machine.Fault{Property: machine.Resource, Failure: sim.Failure{Kind: err.Error()}}
	}
	f := machine.Fault{Property: machine.Resource, Failure: m.Failure, Detail: m.Detail}
	for _, kind := range []struct {
		prefix   string
		property machine.Property
	}{
		{sim.KindInvalidTransition, machine.Unhandled},
		{sim.KindAssertion, machine.Assertion}, {sim.KindError, machine.Assertion},
		{"use of a stale pointer", machine.StalePointer}, {"use of an invalid pointer", machine.StalePointer},
		{"network: ", machine.Misrouted}, {"transition of a line that no core", machine.Misrouted}, {"mapAddressToMachine", machine.Misrouted},
		{"sequencer: ", machine.Callback},
		{"FIFO", machine.BufferOrder}, {"message buffer overfull", machine.BufferOrder},
	} {
		if strings.HasPrefix(m.Kind, kind.prefix) {
			f.Property = kind.property
			break
		}
	}
	return f
}
