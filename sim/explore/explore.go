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
	"errors"
	"fmt"
	"strings"

	"ordeal/gen/option"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/builtin/ruby"
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
	_           struct{}
}

// The most of each that an encoded state has room for.
const (
	maxLines       = 16
	maxValues      = 64
	maxOutstanding = 16
)

func (c Config) withDefaults() Config {
	c.System = c.System.WithDefaults()
	c.Lines, c.Words, c.Outstanding = max(c.Lines, 1), max(c.Words, 1), max(c.Outstanding, 1)
	if c.Values == 0 {
		c.Values = 2
	}
	return c
}

// Validate reports everything that is wrong with the configuration.
func (c Config) Validate() error {
	c = c.withDefaults()
	errs := []error{c.System.Validate(), c.Protocol.Check(c.System)}
	bound := func(name string, n, limit int) {
		if n < 1 || n > limit {
			errs = append(errs, option.Faultf(name, "%d: want 1 to %d", n, limit))
		}
	}
	bound("lines", c.Lines, maxLines)
	bound("words", c.Words, memory.WordsPerLine)
	bound("values", c.Values, maxValues)
	bound("outstanding", c.Outstanding, maxOutstanding)
	return errors.Join(errs...)
}

// spread is the number of neighbouring lines that belong to different
// directories or banks.
func (c *Config) spread() int { return max(c.System.Directories, c.System.Banks) }

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

func (c *Config) stepper() (*ruby.Stepper, error) {
	return ruby.NewStepper(c.Protocol, c.System, c.addresses(), ruby.Data{Words: c.Words, Ages: c.Values})
}

// Property is something that holds in every state of a correct machine.
type Property uint8

// The properties.
const (
	Unknown   Property = iota
	Unhandled          // an event comes in a state that has no transition for it
	Assertion          // an assertion of the protocol fails, or it calls error
	Pointer            // an invalid pointer, or one to what was deallocated, is used
	Order              // messages of an ordered buffer would arrive out of order
	Routing            // a message cannot be delivered
	Callback           // a core gets an answer that it has not asked for
	Resource           // a cache, table, timer or buffer is used as it cannot be
	SWMR               // a core may write while another may read or write
	Deadlock           // accesses are under way and nothing can happen
	Values             // at rest, a valid copy is not the last write, or no copy is
	Leftovers          // at rest, something is still under way
	numProperties
)

var propertyNames = option.Names[Property]{
	"unknown", "unhandled", "assertion", "pointer", "order", "routing", "callback", "resource",
	"swmr", "deadlock", "values", "leftovers",
}

// String is the name of the property on the command line.
func (p Property) String() string { return propertyNames.Of(p) }

// ParseProperty reads the name of a property.
func ParseProperty(name string) (Property, error) { return propertyNames.Parse("property", name) }

// Properties lists all properties.
func Properties() []Property {
	var list []Property
	for p := Unknown + 1; p < numProperties; p++ {
		list = append(list, p)
	}
	return list
}

// Fault is a violation of a property. The title has nothing that varies
// between violations of one kind.
type Fault struct {
	Property Property
	Title    string
	Detail   string
}

// Error is the property, the title and the detail.
func (f *Fault) Error() string { return fmt.Sprintf("%s: %s: %s", f.Property, f.Title, f.Detail) }

// faultOf is the violation that a step ended in: a fault of the machine, which
// knows no properties but words its titles by what failed.
func faultOf(err error) *Fault {
	m, ok := errors.AsType[*memory.Fault](err)
	if !ok {
		return &Fault{Property: Resource, Title: err.Error()}
	}
	f := &Fault{Property: Resource, Title: m.Title, Detail: m.Detail}
	for _, kind := range []struct {
		prefix   string
		property Property
	}{
		{"invalid transition", Unhandled},
		{"failed assertion", Assertion}, {"error(", Assertion},
		{"use of a stale pointer", Pointer}, {"use of an invalid pointer", Pointer},
		{"network: ", Routing}, {"mapAddressToMachine", Routing},
		{"sequencer: ", Callback},
		{"FIFO", Order},
	} {
		if strings.HasPrefix(m.Title, kind.prefix) {
			f.Property = kind.property
			break
		}
	}
	return f
}
