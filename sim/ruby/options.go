package ruby

import (
	"cmp"
	"errors"
	"fmt"

	"ordeal/gen/option"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/network"
)

// Hardware surrounds the controllers of a protocol, whatever runs on it. The zero value of
// a field has the default that its comment says.
type Hardware struct {
	// Occupancy is for how many ticks a message with data occupies a link; see
	// network.Network. 0: not at all, and with a topology network.DefaultOccupancy.
	Occupancy event.Tick
	// Topology says which links the network has. With one, messages take the time of its links in place of
	// Options.Network.
	Topology network.Topology
	// CoreClock is how many cycles the caches of cores have in a tick, and if it is negative how many
	// ticks a cycle of theirs has: what a lock puts off in a buffer that the network fills is put off by
	// such a cycle. 0: one, and such buffers are not checked.
	CoreClock int
	// Memory is the latency of memory; zero means DefaultMemory.
	Memory event.Latency
	// Private and Shared are the sizes of the caches of cores and of all
	// others; zero means DefaultPrivate and DefaultShared, which are tiny so
	// that replacements race with everything else. IndexBit 0 means 6.
	Private, Shared cache.Geometry
	// Directories is the number of homes, among which lines are interleaved;
	// 0 means 1. Banks is the number of banks of a shared cache, a power of
	// two; 0 means 1. See Protocol.Check for which protocols have several.
	Directories, Banks int
	// Sharing is the number of cores that share a second level which is private
	// otherwise; 0 means 1. See Protocol.SecondLevels.
	Sharing int
	// Transfers is the number of devices that share a controller, which has a
	// transfer of each under way, as gem5's DMASequencer has up to
	// max_outstanding_requests. 0 means 1.
	Transfers int
	// Reorder says which virtual networks do not keep the order of messages from
	// one controller to another.
	Reorder Reorder
	// MemoryReorder has memory acknowledge writes at once and answer reads in any
	// order, each with the data of the instant of its answer, as gem5's memory
	// controllers do (mem_ctrl.cc, accessAndRespond).
	MemoryReorder bool
	// MemoryChannels is the number of channels of the memory behind a controller,
	// among which lines are interleaved: each keeps its own order. 0 means 1.
	MemoryChannels int
	// TBEs is the number of transactions that a controller has room for; 0
	// means DefaultTBEs.
	TBEs int
}

// Options describe the system around a protocol. The zero value of a field
// has the default that its comment says.
type Options struct {
	Hardware
	Cores int // 1 to MaxCores
	// Devices is the number of devices, at most MaxCores; see Protocol.Devices.
	Devices int
	// Network is the latency of a message; zero means
	// DefaultNetwork.
	Network event.Latency
	// Bounds bound the room of message buffers, which has no bound without them;
	// later ones count.
	Bounds []Bound
	// Prefetch says that the caches of cores, and second levels that are theirs, have
	// prefetchers; see Protocol.Prefetches.
	Prefetch bool
	// Streams is after how many misses in sequence they prefetch what follows; 0 means never.
	Streams int
	// Parameters set those of the protocol's machines; later ones count.
	Parameters []Parameter
	// Layout says what is not as the other options do; see Protocol.Layout.
	Layout *Layout
	// Trace is called at every transition, if it is not nil.
	Trace func(Step)
	// Messages is called at every message that is sent through the network or
	// taken out of a buffer, if it is not nil.
	Messages func(Message)
	// Notices is called when a core is notified that it loses a line, if it is
	// not nil.
	Notices func(Notice)
	Seed    uint64
	_       struct{}
}

// Reorder is a set of virtual networks.
type Reorder uint8

// The sets: none, as in gem5's simple network; those that gem5's configuration
// of the protocol leaves unordered, as in Garnet, of a protocol that it has one
// of; all.
const (
	ReorderNone Reorder = iota
	ReorderUnordered
	ReorderAll
)

var reorderNames = option.Names[Reorder]{"none", "unordered", "all"}

// Reorders lists the sets.
func Reorders() []string { return reorderNames[:] }

// String is the name on the command line.
func (r Reorder) String() string { return reorderNames.Of(r) }

// ParseReorder reads the name of a set.
func ParseReorder(name string) (Reorder, error) {
	if name == reorderNames[0] {
		return ReorderNone, nil
	}
	return reorderNames.Parse("reorder", name)
}

// MaxCores bounds the number of cores, as of directories and banks: sets of
// controllers are words of bits.
const MaxCores = 64

// DefaultTBEs is gem5's default number_of_TBEs.
const DefaultTBEs = 256

// Defaults of Options.
var (
	DefaultNetwork = event.Latency{Base: 5, Jitter: 10}
	DefaultMemory  = event.Latency{Base: 10, Jitter: 10}
	DefaultPrivate = cache.Geometry{Sets: 2, Ways: 2, IndexBit: 6}
	DefaultShared  = cache.Geometry{Sets: 2, Ways: 4, IndexBit: 6}
)

// WithDefaults fills in the defaults.
func (o Options) WithDefaults() Options {
	o.Network, o.Memory = cmp.Or(o.Network, DefaultNetwork), cmp.Or(o.Memory, DefaultMemory)
	o.Private, o.Shared = cmp.Or(o.Private, DefaultPrivate), cmp.Or(o.Shared, DefaultShared)
	o.Private.IndexBit = cmp.Or(o.Private.IndexBit, DefaultPrivate.IndexBit)
	o.Shared.IndexBit = cmp.Or(o.Shared.IndexBit, DefaultShared.IndexBit)
	o.Directories, o.Banks = max(o.Directories, 1), max(o.Banks, 1)
	o.Transfers = max(o.Transfers, 1)
	o.MemoryChannels = cmp.Or(o.MemoryChannels, 1)
	o.TBEs = cmp.Or(o.TBEs, DefaultTBEs)
	if o.Topology != network.Direct {
		o.Occupancy = cmp.Or(o.Occupancy, network.DefaultOccupancy)
	}
	return o
}

// Validate reports everything that is wrong with the options, which are those
// that WithDefaults returned.
func (o Options) Validate() error {
	var errs []error
	if o.Cores < 1 || o.Cores > MaxCores {
		errs = append(errs, option.Faultf("cores", "%d cores: want 1 to %d", o.Cores, MaxCores))
	}
	if o.Devices < 0 || o.Devices > MaxCores {
		errs = append(errs, fmt.Errorf("%d devices: want at most %d", o.Devices, MaxCores))
	}
	if o.Transfers > MaxCores {
		errs = append(errs, option.Faultf("device-threads", "%d threads: want at most %d", o.Transfers, MaxCores))
	}
	if o.Directories > MaxCores {
		errs = append(errs, option.Faultf("dirs", "%d directories: want 1 to %d", o.Directories, MaxCores))
	}
	if o.Banks > MaxCores || o.Banks&(o.Banks-1) != 0 {
		errs = append(errs, option.Faultf("l2-banks", "%d banks: want a power of two, at most %d", o.Banks, MaxCores))
	}
	if o.Sharing < 0 || o.Sharing > MaxCores {
		errs = append(errs, option.Faultf("l2-cores", "%d cores: want at most %d", o.Sharing, MaxCores))
	}
	if o.MemoryChannels < 1 || o.MemoryChannels > MaxCores {
		errs = append(errs, option.Faultf("memory-channels", "%d channels of memory: want 1 to %d", o.MemoryChannels, MaxCores))
	}
	if o.TBEs < 1 {
		errs = append(errs, option.Faultf("tbes", "room for %d transactions: want at least 1", o.TBEs))
	}
	if o.CoreClock != 0 && max(o.CoreClock, -o.CoreClock) < 3 || max(o.CoreClock, -o.CoreClock) > 1000 {
		errs = append(errs, option.Faultf("core-clock", "%d: want 3 to 1000 cycles in a tick, or as many ticks as a negative number", o.CoreClock))
	}
	if o.Occupancy < 0 {
		errs = append(errs, option.Faultf("link-occupancy", "%d ticks: want at least 0", o.Occupancy))
	}
	return errors.Join(append(errs, o.Network.Validate(), o.Memory.Validate(), o.Private.Validate(), o.Shared.Validate())...)
}
