package builtin

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/sim/builtin/agent"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/description"
)

// The memory systems by name.
const (
	// Ideal has no caches: every access goes to memory and takes effect
	// there at one instant.
	Ideal = "ideal"
	// IdealCached is Ideal with cached lines whose loss is notified to cores;
	// see package ideal.
	IdealCached = "ideal-cached"
)

// Protocols lists the memory systems by name: the two without a protocol, and
// the coherence protocols of package protocols.
func Protocols() []string { return append([]string{Ideal, IdealCached}, protocols.Names()...) }

// Options describe the simulated machine. A zero field has the default that its
// comment gives.
type Options struct {
	// Protocol (--protocol) is the memory system, one of Protocols; empty
	// means Ideal.
	Protocol string
	// SLICC (--slicc) is the root file of a coherence protocol to run instead
	// of Protocol, as MI_example.slicc in gem5's src/mem/ruby/protocol.
	SLICC string
	// Builtins (--builtins) and SLICCPath (--slicc-path) belong to SLICC: see
	// protocols.Source.
	Builtins  string
	SLICCPath []string
	// Compiled is a coherence protocol to run instead, which any number of
	// runners may share. Protocol is then a name for it, which Runner.Version
	// reports; SLICC and Mutant are empty.
	Compiled *ruby.Protocol
	// Repair (--repair) edits known defects of gem5's own protocols out of
	// SLICC; see mutate.Corrected.
	Repair bool
	// Mutant (--mutant) is the name of a mutant of the coherence protocol to
	// run; see package mutate.
	Mutant string
	// Trace, if not nil, receives every transition of a coherence protocol, in
	// order. A runner with a trace runs one job at a time.
	Trace func(ruby.Step)
	// Messages, if not nil, receives every message of a coherence protocol that
	// is sent or received; as Trace.
	Messages func(ruby.Message)
	// Notices, if not nil, receives every notification of a core that its
	// controller loses a line; as Trace.
	Notices func(ruby.Notice)
	// Accesses, if not nil, receives every access of a core as it is performed,
	// after the transition of a coherence protocol that it is part of; as Trace.
	Accesses func(core.Access)
	// Cores (--cores) is the number of cores, at most MaxCores; 0 means one
	// for each thread. Spare cores only have caches.
	Cores int
	// Core (--core) is the kind of all cores; required.
	Core core.Kind
	// Buffer (--store-buffer) is the number of stores a store buffer holds;
	// 0 means core.DefaultBuffer.
	Buffer int
	// Window (--window) is the number of operations that an out-of-order
	// core looks at; 0 means core.DefaultWindow.
	Window int
	// Latency (--latency, --jitter) is that of memory or, with a coherence
	// protocol, of messages; zero means DefaultLatency.
	Latency event.Latency
	// Hardware is what surrounds a coherence protocol.
	ruby.Hardware
	// Bounds (--buffer-size) bound the room of message buffers, as
	// "L1Cache.requestFromL1Cache=4"; see ruby.ParseBound.
	Bounds []string
	// Parameters (--set-parameter) set parameters of the machines of a coherence
	// protocol, as "L1Cache.issue_latency=3"; later ones count. See
	// ruby.ParseParameter.
	Parameters []string
	// Machine (--machine) describes the machine around a coherence protocol, layout what that means
	// for the protocol; nil means as the other options say.
	Machine *description.System
	layout  *ruby.Layout
	// Lines is the number of lines that a core caches with IdealCached; 0
	// means DefaultLines.
	Lines int
	// Order (--event-order) is the order of events in a tick; OrderUnknown
	// means event.Shuffled.
	Order event.Order
	// Watchdog (--watchdog) is the age in ticks at which an access is deadlocked;
	// 0 means DefaultWatchdog, gem5's bound.
	Watchdog event.Tick
	// Budget (--step-budget) bounds the number of events; 0 means
	// EventsPerRun plus EventsPerOp for each operation.
	Budget uint64
	// RMW (--rmw) is how cores perform read-modify-writes; core.RMWDefault means
	// core.Locked with a coherence protocol and cores that can, as on gem5's x86,
	// and of Arm without a protocol; and else
	// core.OneAccess.
	RMW core.RMW
	// LockHold (--lock-hold) is how many ticks longer than needed cores hold the
	// lock of a locked pair.
	LockHold event.Tick
	// WrongPath (--wrong-path) is how many operations come with one load of a
	// wrong path; see core.Config.
	WrongPath int
	// Barriers (--barriers) is where the threads of cores have barriers in memory.
	Barriers agent.Barriers
	// Crossing (--crossing) is how many loads and stores of out-of-order cores come with
	// one across two lines, on average; 0 means none.
	Crossing int
	// LateStores (--late-stores) and LoadQueue (--load-queue) are of out-of-order
	// cores; see core.Config.
	LateStores, LoadQueue int
	// EagerRepeats (--eager-repeats) has loads that lose their line start again at once; see
	// core.Config.
	EagerRepeats bool
	// Flush (--flush) is the number of ticks between two flushes by a core of a
	// line that the program accesses, on average; 0 means no flushes.
	Flush event.Tick
	// Functional (--functional) is the number of ticks between two functional reads
	// of a line that the program accesses, on average; 0 means none.
	Functional event.Tick
	// Prefetch (--prefetch) is the number of ticks between two prefetches of a line
	// that the program accesses by a core, on average; 0 means none.
	Prefetch event.Tick
	// PrefetchStreams (--prefetch-streams) is after how many misses in sequence the caches
	// of cores prefetch the lines that follow, as gem5's RubyPrefetcher; 0 means never.
	PrefetchStreams int
	// LatencySeeds (--latency-seeds) is how often a failed run of SLICC is repeated at
	// gem5's latencies, with other seeds; 0 means DefaultLatencySeeds, a negative number never.
	LatencySeeds int
	// Execution (--execution) has the log list every step of the cores, the
	// commits of stores among them: frames of kind wire.Steps. The cores have FIFO store
	// buffers then, or none: InOrder, TSO or OOO.
	Execution bool
	// Bugs (--core-bugs) are injected bugs of the cores.
	Bugs []core.Bug
	// staggered has the cores start at different times, drawn from the seed.
	staggered bool
	_         struct{}
}

// MaxCores bounds the number of cores.
const MaxCores = ruby.MaxCores

// Defaults of Options.
const (
	DefaultLines                   = 4
	DefaultLatencySeeds            = 10
	DefaultWatchdog     event.Tick = 500_000
	EventsPerOp                    = 2_000
	EventsPerRun                   = 1_000_000
)

// DefaultLatency has a jitter of about the time that a core needs for a few
// operations, with a tail that spans dozens.
var DefaultLatency = event.Latency{Base: 4, Jitter: 12}

func (o Options) withDefaults() Options {
	if o.SLICC == "" && o.Compiled == nil {
		o.Protocol = cmp.Or(o.Protocol, Ideal)
	}
	o.Latency = cmp.Or(o.Latency, DefaultLatency)
	o.Lines = cmp.Or(o.Lines, DefaultLines)
	o.Order = cmp.Or(o.Order, event.Shuffled)
	o.Watchdog = cmp.Or(o.Watchdog, DefaultWatchdog)
	o.LatencySeeds = cmp.Or(o.LatencySeeds, DefaultLatencySeeds)
	return o
}

// Validate reports everything that is wrong with the options: an option.Fault
// for each that belongs to one, joined.
func (o Options) Validate() error {
	o = o.withDefaults()
	c := o.core(0, 0)
	errs := []error{o.validateProtocol(), c.Validate(), o.Latency.Validate(), o.validateSizes()}
	if o.Execution && !o.Core.Ordered() {
		errs = append(errs, option.Faultf("execution", "steps of %s cores: want cores whose stores perform in program order", o.Core))
	}
	if o.Lines < 1 {
		errs = append(errs, fmt.Errorf("cache of %d lines: want at least 1", o.Lines))
	}
	for i, every := range []event.Tick{o.Flush, o.Functional, o.Prefetch} {
		name := []string{"flush", "functional", "prefetch"}[i]
		if every < 0 || every > event.MaxLatency || every > 0 && (o.Protocol == Ideal || o.Protocol == IdealCached) {
			errs = append(errs, option.Faultf(name, "%d ticks: want 0 to %d, with a coherence protocol", every, event.MaxLatency))
		}
	}
	if o.PrefetchStreams < 0 || o.PrefetchStreams > 0 && (o.Protocol == Ideal || o.Protocol == IdealCached) {
		errs = append(errs, option.Faultf("prefetch-streams", "%d misses: want at least 0, with a coherence protocol", o.PrefetchStreams))
	}
	if o.Watchdog < 1 {
		errs = append(errs, option.Faultf("watchdog", "%d ticks: want at least 1", o.Watchdog))
	}
	return errors.Join(errs...)
}

func (o *Options) validateProtocol() error {
	switch {
	case o.Compiled != nil && o.SLICC != "":
		return fmt.Errorf("protocol file %s and a compiled protocol: want one of them", o.SLICC)
	case o.Compiled != nil && o.Mutant != "":
		return option.Faultf("mutant", "%s of a compiled protocol: want its source", o.Mutant)
	case o.SLICC != "" && o.Protocol != "":
		return option.Faultf("slicc", "%s and protocol %q: want one of them", o.SLICC, o.Protocol)
	case o.SLICC != "":
		return nil
	case o.Builtins != "" || len(o.SLICCPath) > 0:
		return option.Faultf("builtins", "of protocol %q: want a file of slicc that they belong to", o.Protocol)
	case o.Repair:
		return option.Faultf("repair", "of protocol %q: want a file to repair", o.Protocol)
	case o.Compiled == nil && !slices.Contains(Protocols(), o.Protocol):
		return option.Faultf("protocol", "unknown protocol %q: want one of %s", o.Protocol, strings.Join(Protocols(), ", "))
	}
	return nil
}

// With returns the options with a protocol in place of the one that they name.
func (o Options) With(compiled *ruby.Protocol) Options {
	o.Compiled, o.Protocol, o.SLICC, o.Builtins, o.SLICCPath, o.Repair, o.Mutant = compiled, compiled.Name(), "", "", nil, false, ""
	return o
}

// source is the protocol in SLICC.
func (o *Options) source() protocols.Source {
	return protocols.Source{Root: o.SLICC, Builtins: o.Builtins, Path: o.SLICCPath}
}

// validateSizes checks the options of caches and directories, which only
// coherence protocols have.
func (o *Options) validateSizes() error {
	if o.Cores < 0 || o.Cores > MaxCores {
		return option.Faultf("cores", "%d cores: want 1 to %d", o.Cores, MaxCores)
	}
	given := o.Hardware != (ruby.Hardware{}) || len(o.Parameters) > 0 || len(o.Bounds) > 0 || o.Machine != nil
	if (o.Protocol == Ideal || o.Protocol == IdealCached) && given {
		return option.Faultf("protocol", "%q has no directories, transactions, parameters or caches with sets: want a coherence protocol", o.Protocol)
	}
	if o.Directories < 0 || o.Banks < 0 {
		return option.Faultf("dirs", "%d directories, %d banks: want at least 1", o.Directories, o.Banks)
	}
	_, wrong := each(o.Parameters, ruby.ParseParameter)
	if _, err := each(o.Bounds, ruby.ParseBound); wrong != nil || err != nil {
		return errors.Join(wrong, err)
	}
	system := o.ruby(size{cores: 1}, 0)
	system.Network = ruby.DefaultNetwork // Latency is checked by itself
	return system.Validate()
}

// size is that of the machine that a program runs on.
func (o *Options) size(p *gen.Program) size {
	return size{max(o.Cores, p.Cores(), 1), p.CountAgents(gen.AgentDMA)}
}

// each reads a list of options. The error joins an option.Fault for each one that is malformed.
func each[T any](texts []string, parse func(text string) (T, error)) ([]T, error) {
	var list []T
	var errs []error
	for _, text := range texts {
		p, err := parse(text)
		list, errs = append(list, p), append(errs, err)
	}
	return list, errors.Join(errs...)
}

func (o *Options) ruby(n size, seed uint64) ruby.Options {
	parameters, _ := each(o.Parameters, ruby.ParseParameter) // Validate reports what is wrong with them
	bounds, _ := each(o.Bounds, ruby.ParseBound)
	return ruby.Options{
		Hardware: o.Hardware, Parameters: parameters, Bounds: bounds, Layout: o.layout, Cores: n.cores, Devices: n.devices,
		Network: o.Latency, Prefetch: o.Prefetch > 0 || o.PrefetchStreams > 0, Streams: o.PrefetchStreams,
		Trace: o.Trace, Messages: o.Messages, Notices: o.Notices, Seed: seed,
	}.WithDefaults()
}

func (o *Options) core(seed uint64, id int) core.Config {
	return core.Config{
		Kind: o.Core, Buffer: o.Buffer, Window: o.Window, RMW: o.RMW, LockHold: o.LockHold, WrongPath: o.WrongPath,
		LateStores: o.LateStores, Crossing: o.Crossing, LoadQueue: o.LoadQueue, EagerRepeats: o.EagerRepeats, Bugs: o.Bugs,
		Start: o.start(seed, id),
		Seed:  agentSeed(seed, id),
	}
}
