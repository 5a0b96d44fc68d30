// Package ruby runs coherence protocols written in SLICC, as gem5's Ruby does:
// controllers with the transitions of the protocol, message buffers, a
// network, caches, directories and memory.
//
// The protocol is compiled to instructions over the variables of one controller.
// Where the runtime differs from gem5 it says so; the differences change when
// things happen but not in which order they may happen.
package ruby

import (
	"fmt"
	"slices"
	"sync"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/code"
	"ordeal/sim/ruby/description"
	"ordeal/sim/ruby/network"
	"ordeal/sim/ruby/preset"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// Protocol is a protocol ready to run. It may run in several systems at the
// same time.
type Protocol struct {
	program *program
	mu      sync.Mutex
	wide    map[int]*program // by SetWords, for systems with more than 64 of a machine
}

// Compile checks and compiles a protocol. The error lists everything that is
// wrong with the protocol, or else every place where it needs what the runtime
// does not have.
func Compile(tree *syntax.File) (*Protocol, error) {
	checked, err := compiler.Check(tree)
	if err != nil {
		return nil, fmt.Errorf("check protocol %s: %w", tree.Name, err)
	}
	p, err := compile(checked, 1)
	if err != nil {
		return nil, err
	}
	return &Protocol{program: p, wide: map[int]*program{}}, nil
}

func compile(checked *types.Protocol, setWords int) (*program, error) {
	c, err := code.Compile(checked, natives, setWords)
	if err != nil {
		return nil, err
	}
	p := &program{Program: c}
	for _, mc := range p.Codes {
		p.functions = append(p.functions, bind(mc.Calls))
	}
	return p, nil
}

// sized is the program for systems with options: of few machines, or with sets that have room
// for more than 64 of one type.
func (p *Protocol) sized(o *Options) *program {
	most := 1
	for _, mc := range p.program.Codes {
		n := 0
		for _, r := range mc.Roles {
			n += o.number(r)
		}
		most = max(most, n)
	}
	words := (most + 63) / 64
	if words == 1 {
		return p.program
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wide[words] == nil {
		wide, err := compile(p.program.Protocol, words)
		if err != nil {
			panic(err) // it was compiled before
		}
		p.wide[words] = wide
	}
	return p.wide[words]
}

// program is a compiled protocol with what its systems share.
type program struct {
	*code.Program
	functions []nativeFuncs // by machine
	spares    sync.Pool     // of *spare
}

// Name is the name that the protocol gives itself.
func (p *Protocol) Name() string { return p.program.Protocol.Name }

// Types is the protocol as it was checked, with the places of its source.
func (p *Protocol) Types() *types.Protocol { return p.program.Protocol }

// Absent lists the machines that the protocol declares and the simulated system has not.
func (p *Protocol) Absent() []*types.Machine {
	return slices.DeleteFunc(slices.Clone(p.Types().Machines), func(m *types.Machine) bool {
		return slices.ContainsFunc(p.program.Codes, func(mc *code.Machine) bool { return mc.Decl == m })
	})
}

// Flushes reports whether cores may flush lines: in gem5, of the protocols for
// processors, in MOESI_hammer alone.
func (p *Protocol) Flushes() bool { return p.program.Flushes }

// Locks reports whether cores may lock lines between two accesses. They may
// not where cores share a controller, whose lock is not one core's own, and not
// where the controller takes messages for a locked line: without block_on.
func (p *Protocol) Locks() bool {
	return slices.ContainsFunc(p.program.Codes, func(mc *code.Machine) bool { return mc.Cores == 1 && mc.Blocks })
}

// memoryStream is the second word of the PCGs that draw latencies of memory.
const memoryStream = 0x6d656d // "mem"

// System is a machine that runs a protocol. It is a memory.System.
type System struct {
	program     *program
	options     Options
	queue       *event.Queue
	network     *network.Network
	controllers [][]*controller // by machine and number
	first       []int           // index of a machine's first controller among all
	ports       []*memory.Sequencer
	owners      []*controller // of the ports
	devices     []*memory.DeviceSequencer
	actors      []actor // in the order in which they were added to the queue
	reading     reading // the functional read under way
	oldest      int     // in recent
	starting    bool    // a Stepper starts an access, which is in the mandatory queue at once
	trace       func(c *controller, state, event, to int, line memory.Addr)
	spare
}

var _ memory.Devices = (*System)(nil)

// New builds a system; the options are valid.
func New(q *event.Queue, p *Protocol, o Options) *System {
	program := p.sized(&o)
	s, unused := program.released(&o)
	if s != nil {
		s.restart(q, o.Seed)
		return s
	}
	s = &System{program: program, options: o, queue: q, spare: *unused}
	total := 0
	var described [][]instance
	for _, mc := range s.program.Codes {
		s.first = append(s.first, total)
		var list []instance
		for _, r := range mc.Roles {
			list = append(list, o.instances(r)...)
		}
		described = append(described, list)
		s.controllers = append(s.controllers, make([]*controller, len(list)))
		total += len(list)
	}
	if n := min(max(recentMessages*total, leastRecent), mostRecent); cap(s.recent) != n {
		s.recent = make([]delivery, 0, n)
	}
	for k, list := range described {
		values := make(map[instance]preset.Values)
		for i, n := range list {
			if values[n] == nil {
				var err error
				if values[n], err = s.program.settings(&o, n); err != nil {
					panic(err) // Check reports it
				}
			}
			s.controllers[k][i] = s.newController(n, i, values[n])
		}
	}
	s.join()
	s.connect(total)
	if o.Trace != nil {
		s.trace = func(c *controller, state, ev, to int, line memory.Addr) { o.Trace(c.step(state, ev, to, line)) }
	}
	return s
}

// Port is the port of a core.
func (s *System) Port(core int) memory.Port { return s.ports[core] }

// Load sets what the memory behind the line's directory holds.
func (s *System) Load(line memory.Addr, b *memory.Block) {
	for _, list := range s.controllers {
		for _, c := range list {
			if c.memory != nil && s.isHome(c, line) {
				*c.memory.block(line) = *b
			}
		}
	}
}

func (s *System) count(typ uint64) int {
	if k := s.dense(typ); k >= 0 {
		return len(s.controllers[k])
	}
	return 0
}

// dense is the index of a type of machine, -1 if there is none of it.
func (s *System) dense(typ uint64) int {
	if typ >= uint64(len(s.program.Dense)) {
		return -1
	}
	return s.program.Dense[typ]
}

func (s *System) isHome(c *controller, line memory.Addr) bool {
	_, number := code.SplitMachineID(c.id)
	return s.home(c.code.Index, line) == number
}

// home is the number of the controller, of those of the machine with an index, that a line belongs
// to; -1 if it is in no range of them.
func (s *System) home(index int, line memory.Addr) int {
	list := s.controllers[index]
	if l := s.options.described(list[0].role); l != nil && l.ranges != nil {
		return description.Owner(l.ranges, uint64(line))
	}
	return interleaved(line, len(list))
}

// newController makes a controller with the settings of its role, without its
// connections.
func (s *System) newController(n instance, number int, values preset.Values) *controller {
	mc := n.role.Code
	c := &controller{
		system: s, code: mc, natives: &s.program.functions[mc.Index], instance: n, event: -1,
		id:       code.MachineID(mc.Decl.Ordinal, number),
		words:    append([]uint64(nil), mc.Words...),
		pointers: make([]*object, mc.Pointers),
		returns:  make([]int32, mc.Depth),
		counts:   s.coverage[mc.Index], stalls: s.stalls[mc.Index],
	}
	s.act(c)
	c.bounded = len(s.options.Bounds) > 0
	c.perCycle = int(values[preset.Transitions])
	c.tagLatency, c.dataLatency = uint64(values[preset.TagLatency]), uint64(values[preset.DataLatency])
	s.configure(c, number, values)
	c.initial = slices.Clone(c.words)
	for _, v := range mc.Caches {
		c.caches = append(c.caches, cache.New[*object](s.options.geometry(n, v.Name)))
	}
	for _, v := range mc.Tables {
		c.tables = append(c.tables, &table{layout: s.program.Layout(mc.Decl.TBE), limit: c.capacity(v, values)})
	}
	for range mc.Directories {
		c.directory = append(c.directory, &directory{entries: map[memory.Addr]*object{}})
	}
	c.addStreams(s.options.Streams)
	for range mc.Timers {
		c.timers = append(c.timers, new(structure.Timer))
	}
	for _, v := range mc.Storages {
		c.storages = append(c.storages, structure.NewStorage(c.capacity(v, values)))
	}
	for _, v := range mc.Lists {
		c.lists = append(c.lists, &structure.List{Width: s.program.Size(s.program.ElementOf(mc, v))})
	}
	for range mc.Persistents {
		c.persistents = append(c.persistents, structure.NewPersistent(MaxCores*len(s.program.Codes)))
	}
	return c
}

// capacity is the number of transactions that a table has room for: what the
// text of its constructor says, or else as many as a controller has.
func (c *controller) capacity(v *types.Var, values preset.Values) int {
	n, err := code.CapacityOf(v, c.valueOf(values))
	if err != nil {
		panic(err) // the generator evaluated it
	}
	return int(n)
}

// fewMessages is the number of messages that a buffer has memory for from the start.
const fewMessages = 4

// join makes the buffers of all controllers. What two machines share is the
// buffer of the one that polls it.
func (s *System) join() {
	for _, list := range s.controllers {
		for _, c := range list {
			c.buffers = make([]*buffer, len(c.code.Buffers))
			buffers, items := make([]buffer, len(c.buffers)), make([]queued, fewMessages*len(c.buffers))
			for i, v := range c.code.Buffers {
				fed := v.Network != nil && v.Network.Direction == types.FromNetwork
				b := &buffers[i]
				*b = buffer{
					title: v.Name, owner: c, poller: &c.wakeups, ordered: !fed && c.code.Ordered[i],
					capacity: newCapacity(s.options.bound(c.role, v)), items: items[i*fewMessages : i*fewMessages : (i+1)*fewMessages],
				}
				c.buffers[i] = b
				if fed && c.code.Ordered[i] && c.role.Cores > 0 {
					b.clock = s.options.CoreClock
				}
				if capacity := s.options.networkCapacity(); fed && capacity > 0 || b.capacity != nil && (fed || v.Name == code.MemoryAnswers) {
					b.throttle = s.newThrottle(b, capacity)
				}
			}
		}
	}
	for _, b := range s.program.Shared {
		for n, c := range s.controllers[b.To.Index] {
			c.buffers[b.ToPlace] = s.controllers[b.From.Index][n].buffers[b.FromPlace]
		}
	}
}

func (s *System) connect(total int) {
	vnets := s.program.Networks
	arrivals := make([][]*buffer, vnets) // by virtual network, by controller
	for vnet := range arrivals {
		arrivals[vnet] = make([]*buffer, total)
	}
	for k, list := range s.controllers {
		for n, c := range list {
			s.attach(c, s.first[k]+n, arrivals)
			for at := range c.role.Cores {
				switch {
				case c.given == nil || c.cores == nil:
					s.addCore(c, len(s.ports))
				case at < len(c.cores):
					s.addCore(c, c.cores[at])
				}
			}
			if c.role.Device {
				s.addDevices(c)
			}
		}
	}
	latencies := s.program.latencies(s.options.Network, vnets)
	s.network = network.New(total, latencies, s.options.Seed)
	s.network.Occupancy = s.options.Occupancy
	s.network.Connect(s.options.Topology, s.options.Cores)
	switch reorder := s.options.Reorder; {
	case reorder == ReorderUnordered || reorder == ReorderNone && s.options.Topology == network.Randomized:
		s.network.Ordered = s.program.orderedNetworks(vnets)
	case reorder == ReorderAll:
		s.network.Ordered = make([]bool, vnets)
	}
	s.network.Ordered = s.options.Layout.changeNetworks(latencies, s.network.Ordered)
}

// attach puts the network and memory behind the buffers of a controller. Those that
// the network feeds are among the arrivals, by virtual network and controller.
func (s *System) attach(c *controller, index int, arrivals [][]*buffer) {
	var requests, answers *buffer
	for i, v := range c.code.Buffers {
		b := c.buffers[i]
		switch {
		case v.Network == nil:
		case v.Network.Direction == types.FromNetwork:
			arrivals[v.Network.VNet][index] = b
		default:
			b.link = &link{system: s, from: b, source: index, vnet: v.Network.VNet, to: arrivals[v.Network.VNet], bounded: s.options.networkCapacity() > 0}
			b.poller = &b.link.wakeups
			s.act(b.link)
		}
		switch v.Name {
		case code.MandatoryQueue:
			c.mandatory = b
		case code.MemoryRequests:
			requests = b
		case code.MemoryAnswers:
			answers = b
		}
	}
	c.in, c.out = make([]*buffer, 0, len(c.code.Decl.InPorts)), make([]*buffer, 0, len(c.code.Decl.OutPorts))
	for _, p := range c.code.Decl.InPorts {
		var b *buffer // none of a timer
		if !code.IsTimer(p) {
			b = c.buffers[c.code.Place[p.Buffer]]
		}
		if bit := uint64(1) << len(c.in); b != nil && b.poller == &c.wakeups && c.code.Ports[len(c.in)].Guarded {
			b.ports |= bit
		} else {
			c.always |= bit
		}
		c.in = append(c.in, b)
	}
	for _, p := range c.code.Decl.OutPorts {
		c.out = append(c.out, c.buffers[c.code.Place[p.Buffer]])
	}
	if c.role.Home && requests == nil && answers != nil {
		requests = &buffer{title: "requests to memory", owner: c, poller: &c.wakeups}
	}
	if c.role.Home && requests != nil && answers != nil {
		c.memory = &memoryQueue{
			requests: requests, answers: answers, reorder: s.options.MemoryReorder, last: make([]event.Tick, s.options.MemoryChannels), fields: &s.program.Memory, latency: s.options.Memory,
			random: memoryRandom(s.options.Seed, c.id), lines: map[memory.Addr]*memory.Block{},
		}
	}
}

// addCore makes the sequencer of a core.
func (s *System) addCore(c *controller, core int) {
	i := &sequencerPort{
		controller: c, core: uint64(len(c.sequencers)), port: core, fields: &s.program.Request,
		latency: mandatoryLatency(c.code),
	}
	seq := memory.NewSequencer(s.queue, core, i)
	c.sequencers = append(c.sequencers, seq)
	if n := core + 1 - len(s.ports); n > 0 {
		s.ports, s.owners = append(s.ports, make([]*memory.Sequencer, n)...), append(s.owners, make([]*controller, n)...)
	}
	s.ports[core], s.owners[core] = seq, c
}

// portLatency is how long an access takes from a port into the mandatory queue.
func (s *System) portLatency(timed event.Tick) event.Tick {
	if s.starting {
		return 0
	}
	return timed
}
