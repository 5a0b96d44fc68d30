package config

import (
	"fmt"
	"slices"

	"ordeal/campaigns/internal/messages"
	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/agent"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/network"
)

// Machine describes what the embedded simulator simulates, and what it has in
// common with gem5. The zero value of an option stands for the simulator's own
// default.
type Machine struct {
	Core           string   `yaml:"core" json:"core,omitempty" sim:"builtin" schema:"values=cores,empty=tso" help:"kind of the cores; inorder promises SC, tso and ooo TSO, pso and rmo what they say, arm Armv8, riscv RVWMO"`
	Protocol       string   `yaml:"protocol" json:"protocol,omitempty" sim:"builtin,gem5" schema:"suggest=protocols,empty=ideal" help:"memory system: a coherence protocol or memory without one; with gem5, the protocol that the binary is expected to have"`
	SLICC          string   `yaml:"slicc" json:"slicc,omitempty" sim:"builtin" schema:"env" help:"root file of a coherence protocol in gem5's language, as MI_example.slicc, in place of protocol; in a campaign file relative to it"`
	Builtins       string   `yaml:"builtins" json:"builtins,omitempty" sim:"builtin" schema:"env" help:"file that says what functions do which the protocol of slicc declares and gem5 has not, each with a body, as NAME, returns VALUE or does nothing"`
	SLICCPath      []string `yaml:"slicc-path" json:"slicc-path,omitempty" sim:"builtin" help:"further folders to look in for files that the protocol of slicc includes"`
	MachineFile    string   `yaml:"machine-file" json:"machine-file,omitempty" sim:"builtin" help:"description of the machine in YAML, or the config.json that a run of gem5 wrote; what it does not say is as without it"`
	Repair         bool     `yaml:"repair" json:"repair,omitempty" sim:"builtin,gem5" help:"correct the known defects of gem5's files in the protocol of slicc; with gem5, in its tree, of which rebuild makes the binary"`
	Mutant         string   `yaml:"mutant" json:"mutant,omitempty" sim:"builtin,gem5" help:"bug to inject into the protocol, as mutate list names it; several are joined by ' + '"`
	Cores          int      `yaml:"cores" json:"cores,omitempty" sim:"builtin,gem5" schema:"min=0,max=64,zero=one for each thread" help:"number of cores, at least one for each thread"`
	L2Banks        int      `yaml:"l2-banks" json:"l2-banks,omitempty" sim:"builtin,gem5" schema:"min=0,max=64,zero=1" help:"number of banks of a shared cache, a power of two"`
	L2Cores        int      `yaml:"l2-cores" json:"l2-cores,omitempty" sim:"builtin" schema:"min=0,max=64,zero=1" help:"number of cores that share a second level, where each core has its own otherwise (CHI)"`
	Dirs           int      `yaml:"dirs" json:"dirs,omitempty" sim:"builtin,gem5" schema:"min=0,max=64,zero=1" help:"number of directories; with gem5, a power of two"`
	DeviceThreads  int      `yaml:"device-threads" json:"device-threads,omitempty" sim:"builtin" schema:"min=0,max=64,zero=1" help:"number of threads of devices that share a machine for devices, which has a transfer of each under way"`
	PrivateCache   string   `yaml:"private-cache" json:"private-cache,omitempty" sim:"builtin" schema:"form=cache,empty=2x2" help:"size of the caches of a core, as SETSxWAYS in lines, both powers of two"`
	SharedCache    string   `yaml:"shared-cache" json:"shared-cache,omitempty" sim:"builtin" schema:"form=cache,empty=2x4" help:"size of a cache of the second or a further level, likewise"`
	TBEs           int      `yaml:"tbes" json:"tbes,omitempty" sim:"builtin" schema:"min=0,zero=256" help:"number of transactions that a controller has room for"`
	SetParameter   []string `yaml:"set-parameter" json:"set-parameter,omitempty" sim:"builtin" help:"parameters of the machines of a coherence protocol, as MACHINE.parameter=3"`
	StoreBuffer    int      `yaml:"store-buffer" json:"store-buffer,omitempty" sim:"builtin,gem5" schema:"min=0,unit=stores,zero=8" help:"capacity of a store buffer"`
	Window         int      `yaml:"window" json:"window,omitempty" sim:"builtin,gem5" schema:"min=0,unit=operations,zero=16" help:"size of the instruction window of an out-of-order core"`
	Latency        int64    `yaml:"latency" json:"latency,omitempty" sim:"builtin" schema:"min=0,unit=ticks,zero=4" help:"least latency of messages or, without a coherence protocol, of memory"`
	Jitter         int64    `yaml:"jitter" json:"jitter,omitempty" sim:"builtin" schema:"min=-1,unit=ticks" help:"spread of that latency, with a heavy tail; needs latency"`
	MemoryLatency  int64    `yaml:"memory-latency" json:"memory-latency,omitempty" sim:"builtin" schema:"min=0,unit=ticks,zero=10" help:"least latency of the memory behind a coherence protocol"`
	LinkOccupancy  int64    `yaml:"link-occupancy" json:"link-occupancy,omitempty" sim:"builtin" schema:"min=0,max=1048576,unit=ticks,zero=none" help:"time for which a message with data occupies a link, so that those behind it wait (4 in gem5's simple network)"`
	Topology       string   `yaml:"topology" json:"topology,omitempty" sim:"builtin" schema:"values=topologies,empty=none" help:"links between the controllers of a coherence protocol as gem5's simple network has them, in place of latency: crossbar, mesh, point-to-point, or randomized as by gem5's testers"`
	CoreClock      int      `yaml:"core-clock" json:"core-clock,omitempty" sim:"builtin" schema:"min=-1000,max=1000,unit=cycles,zero=the network's clock" help:"cycles of a core's caches in a tick, or with a negative number ticks in a cycle, at least 3: what the lock of a line puts off in an ordered buffer of the network is checked as by gem5"`
	MemoryJitter   int64    `yaml:"memory-jitter" json:"memory-jitter,omitempty" sim:"builtin" schema:"min=-1,unit=ticks" help:"spread of that latency; needs memory-latency"`
	RMW            string   `yaml:"rmw" json:"rmw,omitempty" sim:"builtin,gem5" schema:"values=rmws,empty=locked where the protocol and the cores can" help:"how cores perform read-modify-writes: in one access, as locked pairs like x86, or as linked loads and conditional stores"`
	LockHold       int64    `yaml:"lock-hold" json:"lock-hold,omitempty" sim:"builtin" schema:"min=0,unit=ticks" help:"how much longer than needed such a lock is held; needs locked pairs"`
	WrongPath      int      `yaml:"wrong-path" json:"wrong-path,omitempty" sim:"builtin" schema:"min=0,unit=operations,zero=no such loads" help:"how many operations of an ooo core come with one load of a wrong path, whose value is dropped"`
	LateStores     int      `yaml:"late-stores" json:"late-stores,omitempty" sim:"builtin" schema:"min=0,unit=stores,zero=none" help:"how many stores of an ooo core come with one whose address is known late, so that loads go ahead of it and may have to be replayed"`
	Crossing       int      `yaml:"crossing" json:"crossing,omitempty" sim:"builtin" schema:"min=0,unit=operations,zero=none" help:"how many loads and stores of an ooo core come with one that crosses into a second line"`
	Barriers       string   `yaml:"barriers" json:"barriers,omitempty" sim:"builtin" schema:"values=barriers,empty=none" help:"barriers in memory of the threads of cores, as executables have: none, at both ends of the program, or also before each round"`
	EagerRepeats   bool     `yaml:"eager-repeats" json:"eager-repeats,omitempty" sim:"builtin" help:"loads of ooo cores that lose their line start again at once, and not when they are the oldest operation as in gem5"`
	LoadQueue      int      `yaml:"load-queue" json:"load-queue,omitempty" sim:"builtin" schema:"min=0,unit=loads,zero=any" help:"most loads in the window of an ooo core"`
	Flush          int64    `yaml:"flush" json:"flush,omitempty" sim:"builtin,gem5" schema:"min=0,max=1048576,unit=ticks,zero=no flushes" help:"time between two flushes of a line by a core, on average; MOESI_hammer has them, gem5's and the project's own"`
	Prefetch       int64    `yaml:"prefetch" json:"prefetch,omitempty" sim:"builtin,gem5" schema:"min=0,max=1048576,unit=ticks,zero=none" help:"time between two prefetches of a line by a core, on average; mesi-two-level takes them, and MESI_Two_Level, MESI_Three_Level and CHI of gem5"`
	Streams        int      `yaml:"prefetch-streams" json:"prefetch-streams,omitempty" sim:"builtin" schema:"min=0,max=64,unit=misses,zero=none" help:"misses in sequence after which a core's cache prefetches the lines that follow (4 in gem5); mesi-two-level does so, and MESI_Two_Level and MESI_Three_Level of gem5"`
	Functional     int64    `yaml:"functional" json:"functional,omitempty" sim:"builtin,gem5" schema:"min=0,max=1048576,unit=ticks,zero=none" help:"time between two functional reads of a line, on average, which must find what was written last"`
	Reorder        string   `yaml:"reorder" json:"reorder,omitempty" sim:"builtin" schema:"values=reorders,empty=none" help:"virtual networks that do not keep the order of messages: none of them, those that gem5 leaves unordered, all"`
	MemoryReorder  bool     `yaml:"memory-reorder" json:"memory-reorder,omitempty" sim:"builtin" help:"memory behind a coherence protocol acknowledges writes at once and answers reads in any order"`
	BufferSize     []string `yaml:"buffer-size" json:"buffer-size,omitempty" sim:"builtin" help:"room of message buffers, in messages: 4 for those between machines, network=2 for those of the network, or MACHINE.buffer=3"`
	MemoryChannels int      `yaml:"memory-channels" json:"memory-channels,omitempty" sim:"builtin" schema:"min=0,max=64,zero=1" help:"channels of the memory behind a directory, each of which keeps its own order"`
	LatencySeeds   int      `yaml:"latency-seeds" json:"latency-seeds,omitempty" sim:"builtin" schema:"min=-1,max=1000,unit=seeds,zero=10" help:"how often a failed run of slicc is repeated at gem5's latencies, in at most as many events; 0 or -1: never"`
	Execution      bool     `yaml:"execution" json:"execution,omitempty" sim:"builtin" help:"log when every store is committed, for check --serializability"`
	EventOrder     string   `yaml:"event-order" json:"event-order,omitempty" sim:"builtin" schema:"values=orders,empty=shuffled" help:"order of the events in a tick"`
	Watchdog       int64    `yaml:"watchdog" json:"watchdog,omitempty" sim:"builtin" schema:"min=0,unit=ticks,zero=500000" help:"age at which an access starves while others end"`
	StepBudget     uint64   `yaml:"step-budget" json:"step-budget,omitempty" sim:"builtin" schema:"unit=events,zero=2000 for each operation and a million" help:"most events of a run"`
	CoreBugs       []string `yaml:"core-bugs" json:"core-bugs,omitempty" sim:"builtin" schema:"values=bugs" help:"bugs to inject into the cores"`
}

// Source is the protocol of slicc.
func (m *Machine) Source() protocols.Source {
	return protocols.Source{Root: m.SLICC, Builtins: m.Builtins, Path: m.SLICCPath}
}

// OfProtocol is a machine of which only the protocol is given, and the description if there is one.
func (m *Machine) OfProtocol() Machine {
	return Machine{Protocol: m.Protocol, SLICC: m.SLICC, Builtins: m.Builtins, SLICCPath: m.SLICCPath, Mutant: m.Mutant, MachineFile: m.MachineFile}
}

// Builtin returns the options of the embedded simulator. The error joins an
// option.Fault for each one that is unusable.
func (m *Machine) Builtin() (builtin.Options, error) {
	o := builtin.Options{
		Protocol: m.Protocol, SLICC: m.SLICC, Builtins: m.Builtins, SLICCPath: m.SLICCPath, Repair: m.Repair, Mutant: m.Mutant, Core: core.TSO, Buffer: m.StoreBuffer, Window: m.Window,
		Latency:  event.Latency{Base: event.Tick(m.Latency), Jitter: event.Tick(max(m.Jitter, 0))},
		Hardware: ruby.Hardware{CoreClock: m.CoreClock, Occupancy: event.Tick(m.LinkOccupancy), Memory: event.Latency{Base: event.Tick(m.MemoryLatency), Jitter: event.Tick(max(m.MemoryJitter, 0))}, Directories: m.Dirs, Banks: m.L2Banks, Sharing: m.L2Cores, Transfers: m.DeviceThreads, TBEs: m.TBEs, MemoryReorder: m.MemoryReorder, MemoryChannels: m.MemoryChannels},
		Cores:    m.Cores, Parameters: m.SetParameter,
		LockHold: event.Tick(m.LockHold), WrongPath: m.WrongPath, LateStores: m.LateStores, Crossing: m.Crossing, LoadQueue: m.LoadQueue, EagerRepeats: m.EagerRepeats, Flush: event.Tick(m.Flush), Functional: event.Tick(m.Functional), Prefetch: event.Tick(m.Prefetch), PrefetchStreams: m.Streams, Bounds: m.BufferSize, LatencySeeds: m.LatencySeeds, Execution: m.Execution, Watchdog: event.Tick(m.Watchdog), Budget: m.StepBudget,
	}
	var faults []option.Fault
	var err error
	note := func(name string, err error) { faults = append(faults, option.Faults(err, name)...) }
	if names := builtin.Protocols(); m.SLICC == "" && m.Protocol != "" && !slices.Contains(names, m.Protocol) {
		note("protocol", fmt.Errorf("unknown protocol %q%s", m.Protocol, messages.Hint(m.Protocol, names)))
	}
	o.Machine, err = m.Describe()
	note("machine", err)
	readText(&faults, "core", m.Core, &o.Core, core.ParseKind)
	if m.Latency == 0 && m.Jitter != 0 {
		faults = append(faults, option.Faultf("jitter", "%d without a latency", max(m.Jitter, 0)))
	}
	if m.MemoryLatency == 0 && m.MemoryJitter != 0 {
		faults = append(faults, option.Faultf("memory-jitter", "%d without a memory-latency", max(m.MemoryJitter, 0)))
	}
	readText(&faults, "private-cache", m.PrivateCache, &o.Private, cache.ParseGeometry)
	readText(&faults, "shared-cache", m.SharedCache, &o.Shared, cache.ParseGeometry)
	readText(&faults, "event-order", m.EventOrder, &o.Order, event.ParseOrder)
	readText(&faults, "rmw", m.RMW, &o.RMW, core.ParseRMW)
	readText(&faults, "barriers", m.Barriers, &o.Barriers, agent.ParseBarriers)
	readText(&faults, "reorder", m.Reorder, &o.Reorder, ruby.ParseReorder)
	readText(&faults, "topology", m.Topology, &o.Topology, network.ParseTopology)
	if o.Topology != network.Direct && m.Latency != 0 {
		faults = append(faults, option.Faultf("latency", "%d with topology %s, whose links decide it", m.Latency, o.Topology))
	}
	for _, name := range m.CoreBugs {
		bug, err := core.ParseBug(name)
		note("core-bugs", err)
		o.Bugs = append(o.Bugs, bug)
	}
	if len(faults) == 0 {
		note("core", o.Validate())
	}
	return o, option.Join(faults)
}

// readText reads the text of an option, unless it is empty.
func readText[T any](faults *[]option.Fault, name, text string, to *T, parse func(string) (T, error)) {
	if text == "" {
		return
	}
	v, err := parse(text)
	*to, *faults = v, append(*faults, option.Faults(err, name)...)
}

// PromiseTo is Promise to programs of an instruction set, on every simulator.
func (m *Machine) PromiseTo(isa gen.ISA) string {
	if kind := core.For(isa); kind != core.KindUnknown {
		return (&Machine{Core: kind.String()}).Promise()
	}
	return m.Promise()
}

// Suit has the embedded simulator run programs of an instruction set on cores of it,
// unless a kind of core is named.
func (m *Machine) Suit(simulator string, isa gen.ISA) {
	if kind := core.For(isa); simulator == SimBuiltin && m.Core == "" && kind != core.KindUnknown {
		m.Core = kind.String()
	}
}

// Promise is the name of the strongest model that the cores keep on a memory
// system without faults, to programs of x86-64.
func (m *Machine) Promise() string {
	switch m.Core {
	case "inorder":
		return "sc"
	case "pso", "rmo":
		return m.Core
	case "arm":
		return "armv8"
	case "riscv":
		return "rvwmo"
	}
	return "tso"
}

// Traced reports whether what a coherence protocol does in a run on a simulator
// can be recorded.
func (c *Config) Traced(simulator string) bool {
	return simulator == SimGem5 || simulator == SimBuiltin && c.Coherent()
}

// Coherent reports whether the machine runs a coherence protocol, on the
// embedded simulator.
func (m *Machine) Coherent() bool {
	return m.SLICC != "" || m.Protocol != "" && m.Protocol != builtin.Ideal && m.Protocol != builtin.IdealCached
}
