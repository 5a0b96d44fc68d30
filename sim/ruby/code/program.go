// Package code compiles the machines of a coherence protocol, as they were checked, to
// instructions over the words and pointers of their controllers. Whoever executes them brings
// the native functions that they call; the compiler knows these by their names.
package code

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/ruby/cache"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// Program is a compiled protocol.
type Program struct {
	Protocol    *types.Protocol
	MachineType *types.Type
	Layouts     map[*types.Type]*Layout
	pures       map[*types.Func]bool // see pureCall
	Codes       []*Machine           // of the machines that are instantiated
	Dense       []int                // index in codes by ordinal of MachineType, -1
	SetWords    int                  // words of a NetDest for each of the codes, of 64 machines each
	Permissions []cache.Permission   // by ordinal of AccessPermission
	DataSizes   []bool               // by ordinal of MessageSizeType: that of messages with data
	// permissionType is AccessPermission.
	PermissionType *types.Type
	Request        RequestFields
	Memory         MemoryFields
	Device         deviceFields
	Flushes        bool // cores may flush lines
	Configured     bool // as gem5 configures the protocol of this name
	Shared         []sharedBuffer
	Networks       int           // virtual networks
	faults         syntax.Faults // of structures
	natives        func(name string) (args int, ok bool)
}

// Machine is the code of a machine of the protocol.
type Machine struct {
	Decl  *types.Machine
	Index int // in program.codes
	Roles []*Role
	// blocks says that a port leaves messages for locked lines, atomics that
	// cores ask for atomic read-modify-writes by name.
	Blocks, Atomics bool
	// cores and home say whether any role has cores, or memory.
	Cores int
	Home  bool

	States, Events int
	Rows           []TransitionRow // by state and event
	Ports          []Port
	Ranks          int

	GetState, GetNextState *StateFunc

	Functional functional
	Prefetch   *Function // nil if there is none

	// compared are the numbers that the text compares parameters with.
	Compared map[*types.Var][]int64

	// text are the instructions of all routines, which nest less deeply than depth; at
	// says where in the protocol they come from. lengths has the length of the routine that begins
	// at an instruction.
	Text    []Instruction
	At      []syntax.Pos
	Lengths []int32
	Depth   int
	// What instructions refer to by index: calls of natives, and what a port triggers.
	Calls    []Call
	Triggers []Trigger

	// words is what a controller's words start with.
	Words    []uint64
	Pointers int
	// The variables that hold parts of the machine, by index in the
	// controller.
	Caches, Tables, Directories, sequencers, Timers, Persistents, Storages, Lists, DeviceSequencers []*types.Var
	// buffers are the parameters and objects of type MessageBuffer.
	Buffers []*types.Var
	// ordered says which of the buffers gem5 makes ordered.
	Ordered []bool
	// computed are the objects that start with the value of an expression.
	Computed []*types.Var
	Place    map[*types.Var]int // of words, pointers or parts
	Globals  map[string]int     // words of version, machineID and the like
}

// TransitionRow is what a machine does in a state with an event.
type TransitionRow struct {
	Actions     int32  // the entry of the routine of its actions
	Next        uint16 // the state that an unconditional one leads to
	Kind        rowKind
	Idle        bool              // it leaves the state as it is, and its actions do nothing
	Waits       bool              // likewise, or they put messages back to be looked at again
	Transition  *types.Transition // nil if there is none
	*conditions                   // nil if there is none
}

// rowKind is the kind of a row.
type rowKind uint8

const (
	NoRow         rowKind = iota // there is no transition
	Unconditional                // it leads to a state that is known, and needs nothing but room in buffers
	conditional                  // stalls, has demands or checks, or getNextState says where it leads
)

// conditions are what a transition needs.
type conditions struct {
	Demands []Demand
	Checks  []ResourceCheck
	// sends are the messages that it puts into buffers, by out_port, which may be bounded.
	Sends []Demand
}

// Demand is the capacity that a transition needs in a table, in a storage or in the
// buffer of an out_port.
type Demand struct {
	Table, N int
	Storage  bool
}

// ResourceCheck is a call of checkResourceAvailable with a type of request.
type ResourceCheck struct {
	Function *Function
	Kind     uint64
}

// Port is the code of an in_port.
type Port struct {
	*routine
	Rank    int
	Guarded bool // the body is that of a test whether the port is ready
	Start   int  // the entry of the routine, once it is linked
}

// StateFunc is one of the functions that every machine defines, which take
// some of the TBE, the entry, the address and a state: the places of those, or of
// nothing in particular where it takes none.
type StateFunc struct {
	*routine
	TBE, Cached int // pointers
	Line, State int // words
	Result      int // word
}

// Compile compiles a checked protocol, for natives of which a function gives the number of arguments
// that they take by name, with sets of machines of so many words for each type. The error lists
// what of the protocol has no implementation.
func Compile(protocol *types.Protocol, natives func(name string) (args int, ok bool), setWords int) (*Program, error) {
	p := &Program{Protocol: protocol, SetWords: setWords, Layouts: map[*types.Type]*Layout{}, pures: map[*types.Func]bool{}, natives: natives}
	if err := p.names(); err != nil {
		return nil, err
	}
	if err := p.wellFormed(); err != nil {
		return nil, err
	}
	var faults syntax.Faults
	for _, code := range p.Codes {
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
func (p *Program) setNetworks() {
	for _, code := range p.Codes {
		for _, v := range code.Buffers {
			if v.Network != nil {
				p.Networks = max(p.Networks, v.Network.VNet+1)
			}
		}
	}
}

// wellFormed refuses machines that the system has no place for: the error is at the
// second one of a role, or where none is, at the first machine.
func (p *Program) wellFormed() error {
	var cores, homes []syntax.Pos
	for _, code := range p.Codes {
		if code.Cores > 0 {
			cores = append(cores, code.Decl.Pos)
		}
		if code.Home {
			homes = append(homes, code.Decl.Pos)
		}
	}
	if len(cores) > 0 && len(homes) == 1 {
		return nil
	}
	var at syntax.Pos
	switch {
	case len(homes) > 1:
		at = homes[1]
	case len(p.Protocol.Machines) > 0:
		at = p.Protocol.Machines[0].Pos
	}
	var faults syntax.Faults
	faults.Add(at, "%d machines with a Sequencer and %d with a DirectoryMemory or memory, want some and 1", len(cores), len(homes))
	return fmt.Errorf("compile protocol %s: %w", p.Protocol.Name, faults)
}

// names resolves the types, values and fields that the runtime itself uses.
func (p *Program) names() error {
	var errs []error
	missing := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("compile protocol %s: no "+format, append([]any{p.Protocol.Name}, args...)...))
	}
	typ := func(name string) *types.Type {
		t := p.Protocol.Type(name)
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
	p.MachineType = typ("MachineType")
	p.Dense = slices.Repeat([]int{-1}, len(p.MachineType.Enums)+1)
	for _, m := range p.Protocol.Machines {
		if code := p.assignRoles(m); code != nil {
			p.Dense[m.Ordinal] = code.Index
			p.Codes = append(p.Codes, code)
		}
	}
	p.PermissionType = typ("AccessPermission")
	for _, e := range p.PermissionType.Enums {
		p.Permissions = append(p.Permissions, permissionNames[e.Name])
	}
	p.Permissions = append(p.Permissions, cache.Busy) // the unset value
	r, m := &p.Request, &p.Memory
	kind, memoryKind, size := typ("RubyRequestType"), typ("MemoryRequestType"), typ("MessageSizeType")
	r.Load, r.Store, r.Fetch = value(kind, "LD"), value(kind, "ST"), value(kind, "IFETCH")
	if bit := p.Protocol.Type("PrefetchBit"); bit != nil && bit.Enum("Yes") != nil {
		r.IsPrefetch = uint64(bit.Enum("Yes").Ordinal)
	}
	r.lockedKinds(kind, p.Protocol.Options)
	if flush := kind.Enum("FLUSH"); flush != nil {
		r.Flush, p.Flushes = uint64(flush.Ordinal), p.Protocol.Options.Flushes
	}
	m.Read, m.Write = value(memoryKind, "MEMORY_READ"), value(memoryKind, "MEMORY_WB")
	for _, e := range size.Enums {
		p.DataSizes = append(p.DataSizes, strings.HasSuffix(e.Name, "Data")) // Network.cc, MessageSizeType_to_int
	}
	m.DataSize, m.ControlSize = value(size, "Response_Data"), value(size, "Writeback_Control")
	r.Layout, m.Layout = p.Layout(typ("RubyRequest")), p.Layout(typ("MemoryMsg"))
	m.Size, r.Mask = m.Layout.Find("MessageSize"), r.Layout.Find("writeMask")
	r.Prefetch = r.Layout.Find("Prefetch")
	if e := kind.Enum("ATOMIC_RETURN"); e != nil {
		r.Atomic = uint64(e.Ordinal)
	}
	p.Device.resolve(p, missing)
	for _, f := range []struct {
		layout *Layout
		name   string
		offset *int
	}{
		{r.Layout, "LineAddress", &r.Line}, {r.Layout, "PhysicalAddress", &r.Physical}, {r.Layout, "Type", &r.Kind},
		{r.Layout, "contextId", &r.Context}, {r.Layout, "Size", &r.Size},
		{m.Layout, "addr", &m.Addr}, {m.Layout, "Type", &m.Kind}, {m.Layout, "Sender", &m.Sender},
		{m.Layout, "OriginalRequestorMachId", &m.Requestor}, {m.Layout, "DataBlk", &m.Data}, {m.Layout, lengthField(m.Layout), &m.Len},
	} {
		if *f.offset = f.layout.Find(f.name); *f.offset < 0 {
			missing("field %s of %s", f.name, f.layout.Type)
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
