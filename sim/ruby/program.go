package ruby

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ordeal/sim"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

type program struct {
	protocol    *types.Protocol
	machineType *types.Type
	layouts     map[*types.Type]*layout
	codes       []*machineCode     // of the machines that are instantiated
	dense       []int              // index in codes by ordinal of MachineType, -1
	permissions []cache.Permission // by ordinal of AccessPermission
	dataSizes   []bool             // by ordinal of MessageSizeType: that of messages with data
	// permissionType is AccessPermission.
	permissionType *types.Type
	request        requestFields
	memory         memoryFields
	device         deviceFields
	flushes        bool // cores may flush lines
	configured     bool // as gem5 configures the protocol of this name
	shared         []sharedBuffer
	networks       int           // virtual networks
	faults         syntax.Faults // of structures
	spares         sync.Pool     // of *spare
}

type machineCode struct {
	machine *types.Machine
	index   int // in program.codes
	roles   []*role
	// blocks says that a port leaves messages for locked lines, atomics that
	// cores ask for atomic read-modify-writes by name.
	blocks, atomics bool
	// cores and home say whether any role has cores, or memory.
	cores int
	home  bool

	states, events int
	rows           []row    // by state and event
	ways           []way    // likewise
	listed         []listed // the rows with a transition, in order
	ports          []portCode
	ranks          int

	getState, getNextState *stateFunc

	functional functional
	prefetch   *funcCode // nil if there is none

	// compared are the numbers that the text compares parameters with.
	compared map[*types.Var][]int64

	// text are the instructions of all routines, which nest less deeply than depth; at
	// says where in the protocol they come from.
	text  []instruction
	at    []syntax.Pos
	depth int
	// What instructions refer to by index: calls of natives; the jumps of an opSwitch by value,
	// the last for all others; the permissions of a cache by state; what messages begin with.
	calls    []call
	jumps    [][]int32
	triggers []trigger
	permits  [][]cache.Permission
	messages [][]uint64
	natives  nativeFuncs // of calls

	// words is what a controller's words start with.
	words    []uint64
	pointers int
	// The variables that hold parts of the machine, by index in the
	// controller.
	caches, tables, directories, sequencers, timers, persistents, storages, lists, deviceSequencers []*types.Var
	// buffers are the parameters and objects of type MessageBuffer.
	buffers []*types.Var
	// ordered says which of the buffers gem5 makes ordered.
	ordered []bool
	// computed are the objects that start with the value of an expression.
	computed []*types.Var
	place    map[*types.Var]int // of words, pointers or parts
	globals  map[string]int     // words of version, machineID and the like
}

// row is a compiled transition; transition is nil if there is none.
type row struct {
	transition *types.Transition
	actions    *routine // nil if it stalls
	demands    []demand
	// sends are the messages that it puts into buffers, by out_port.
	sends []demand
	// asks are the calls of checkResourceAvailable that may say no.
	asks []ask
}

// way is what exec needs of most rows.
type way struct {
	actions int32 // the entry of their routine
	next    uint16
	kind    wayKind
}

// wayKind is the kind of a row.
type wayKind uint8

const (
	noWay       wayKind = iota // there is no transition
	straight                   // to the next state of the way
	conditional                // stalls, has demands or asks, or getNextState says where it leads
)

// listed is row at of a machine, as it is listed without counts.
type listed struct {
	at  int
	row sim.Transition
}

// demand is the room that a transition needs in a table, in a storage or in the
// buffer of an out_port.
type demand struct {
	table, n int
	storage  bool
}

// ask is a call of checkResourceAvailable with a type of request.
type ask struct {
	function *funcCode
	kind     uint64
}

type portCode struct {
	*routine
	rank    int
	guarded bool // the body is that of a test whether the port is ready
	start   int  // the entry of the routine, once it is linked
}

// stateFunc is one of the functions that every machine defines, which take
// some of the TBE, the entry, the address and a state: the places of those, or of
// nothing in particular where it takes none.
type stateFunc struct {
	*routine
	tbe, cached int // pointers
	line, state int // words
	result      int // word
}

// pass passes the arguments.
func (f *stateFunc) pass(c *controller, tbe, entry *object, line, state uint64) {
	c.pointers[f.tbe], c.pointers[f.cached] = tbe, entry
	c.words[f.line], c.words[f.state] = line, state
}

func (f *stateFunc) call(c *controller, tbe, entry *object, line, state uint64) uint64 {
	f.pass(c, tbe, entry, line, state)
	c.exec(f.entry)
	return c.words[f.result]
}

func generate(protocol *types.Protocol) (*program, error) {
	p := &program{protocol: protocol, layouts: map[*types.Type]*layout{}}
	if err := p.names(); err != nil {
		return nil, err
	}
	if err := p.wellFormed(); err != nil {
		return nil, err
	}
	var faults syntax.Faults
	for _, code := range p.codes {
		g := newGenerator(p, code)
		g.compileMachine()
		g.compileFunctional()
		g.compilePrefetch()
		if len(g.faults) == 0 {
			g.link()
		}
		faults = append(faults, g.faults...)
	}
	faults = append(faults, p.faults...)
	if len(faults) > 0 {
		return nil, fmt.Errorf("compile protocol %s: %w", protocol.Name, faults)
	}
	p.setNetworks()
	p.setOrdered()
	p.setShared()
	return p, nil
}

// setNetworks counts the virtual networks.
func (p *program) setNetworks() {
	for _, code := range p.codes {
		for _, v := range code.buffers {
			if v.Network != nil {
				p.networks = max(p.networks, v.Network.VNet+1)
			}
		}
	}
}

// wellFormed refuses machines that the system has no place for: the error is at the
// second one of a role, or where none is, at the first machine.
func (p *program) wellFormed() error {
	var cores, homes []syntax.Pos
	for _, code := range p.codes {
		if code.cores > 0 {
			cores = append(cores, code.machine.Pos)
		}
		if code.home {
			homes = append(homes, code.machine.Pos)
		}
	}
	if len(cores) == 1 && len(homes) == 1 {
		return nil
	}
	var at syntax.Pos
	switch {
	case len(cores) > 1:
		at = cores[1]
	case len(homes) > 1:
		at = homes[1]
	case len(p.protocol.Machines) > 0:
		at = p.protocol.Machines[0].Pos
	}
	var faults syntax.Faults
	faults.Add(at, "%d machines with a Sequencer and %d with a DirectoryMemory or memory, want 1 and 1", len(cores), len(homes))
	return fmt.Errorf("compile protocol %s: %w", p.protocol.Name, faults)
}

// names resolves the types, values and fields that the runtime itself uses.
func (p *program) names() error {
	var errs []error
	missing := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("compile protocol %s: no "+format, append([]any{p.protocol.Name}, args...)...))
	}
	typ := func(name string) *types.Type {
		t := p.protocol.Type(name)
		if t == nil {
			missing("type %s", name)
			t = &types.Type{Name: name}
		}
		return t
	}
	value := func(t *types.Type, name string) uint64 {
		e := t.Enum(name)
		if e == nil {
			missing("%s:%s", t, name)
			return 0
		}
		return uint64(e.Ordinal)
	}
	p.machineType = typ("MachineType")
	p.dense = slices.Repeat([]int{-1}, len(p.machineType.Enums)+1)
	for _, m := range p.protocol.Machines {
		if code := p.assignRoles(m); code != nil {
			p.dense[m.Ordinal] = code.index
			p.codes = append(p.codes, code)
		}
	}
	p.permissionType = typ("AccessPermission")
	for _, e := range p.permissionType.Enums {
		p.permissions = append(p.permissions, permissionNames[e.Name])
	}
	p.permissions = append(p.permissions, cache.Busy) // the unset value
	r, m := &p.request, &p.memory
	kind, memoryKind, size := typ("RubyRequestType"), typ("MemoryRequestType"), typ("MessageSizeType")
	r.load, r.store, r.fetch = value(kind, "LD"), value(kind, "ST"), value(kind, "IFETCH")
	if bit := p.protocol.Type("PrefetchBit"); bit != nil && bit.Enum("Yes") != nil {
		r.isPrefetch = uint64(bit.Enum("Yes").Ordinal)
	}
	r.conditional = p.conditional(kind, r.store)
	if flush := kind.Enum("FLUSH"); flush != nil {
		r.flush, p.flushes = uint64(flush.Ordinal), p.protocol.Name == "MOESI_hammer"
	}
	m.read, m.write = value(memoryKind, "MEMORY_READ"), value(memoryKind, "MEMORY_WB")
	for _, e := range size.Enums {
		p.dataSizes = append(p.dataSizes, strings.HasSuffix(e.Name, "Data")) // Network.cc, MessageSizeType_to_int
	}
	m.dataSize, m.controlSize = value(size, "Response_Data"), value(size, "Writeback_Control")
	r.layout, m.layout = p.layout(typ("RubyRequest")), p.layout(typ("MemoryMsg"))
	m.size, r.mask = m.layout.find("MessageSize"), r.layout.find("writeMask")
	r.prefetch = r.layout.find("Prefetch")
	if e := kind.Enum("ATOMIC_RETURN"); e != nil {
		r.atomic = uint64(e.Ordinal)
	}
	p.device.resolve(p, missing)
	for _, f := range []struct {
		layout *layout
		name   string
		offset *int
	}{
		{r.layout, "LineAddress", &r.line}, {r.layout, "PhysicalAddress", &r.physical}, {r.layout, "Type", &r.kind},
		{r.layout, "contextId", &r.context}, {r.layout, "Size", &r.size},
		{m.layout, "addr", &m.addr}, {m.layout, "Type", &m.kind}, {m.layout, "Sender", &m.sender},
		{m.layout, "OriginalRequestorMachId", &m.requestor}, {m.layout, "DataBlk", &m.data}, {m.layout, lengthField(m.layout), &m.len},
	} {
		if *f.offset = f.layout.find(f.name); *f.offset < 0 {
			missing("field %s of %s", f.name, f.layout.typ)
		}
	}
	return errors.Join(errs...)
}

// permissionNames says what the values of AccessPermission mean to a cache.
// The others mean something to gem5's functional accesses only.
var permissionNames = map[string]cache.Permission{
	"Invalid": cache.Invalid, "NotPresent": cache.NotPresent, "Read_Only": cache.ReadOnly,
	"Read_Write": cache.ReadWrite, "Busy": cache.Busy,
}
