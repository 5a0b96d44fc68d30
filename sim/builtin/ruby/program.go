package ruby

import (
	"errors"
	"fmt"

	"ordeal/sim/builtin/ruby/cache"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// program is a compiled protocol.
type program struct {
	protocol    *types.Protocol
	machineType *types.Type
	layouts     map[*types.Type]*layout
	codes       []*machineCode     // of the machines that are instantiated
	dense       []int              // index in codes by ordinal of MachineType, -1
	permissions []cache.Permission // by ordinal of AccessPermission
	request     requestFields
	memory      memoryFields
}

// machineCode is a compiled machine.
type machineCode struct {
	machine *types.Machine
	index   int // in program.codes
	// cores is the number of cores of each instance, 0 for a machine that
	// serves all.
	cores int
	home  bool // has the directory

	states, events int
	rows           []row // by state and event
	ports          []portCode
	ranks          int
	perCycle       int

	getState, setState, setAccess, getNextState *stateFunc

	// words is what a controller's words start with.
	words    []uint64
	pointers int
	// The variables that hold parts of the machine, by index in the
	// controller.
	caches, tables, directories, sequencers, timers []*types.Var
	// buffers are the parameters and objects of type MessageBuffer.
	buffers []*types.Var
	place   map[*types.Var]int // of words, pointers or parts
	globals map[string]int     // words of version, machineID and the like
}

// row is a compiled transition; transition is nil if there is none.
type row struct {
	transition *types.Transition
	actions    []action
	demands    []demand
}

// demand is the room that a transition needs in a table.
type demand struct{ table, n int }

type (
	action     func(*controller)
	statement  func(*controller) flow
	wordExpr   func(*controller) uint64
	vectorExpr func(*controller) []uint64
	objectExpr func(*controller) *object
	textExpr   func(*controller) string
)

// portCode is a compiled in_port.
type portCode struct {
	rank    int
	body    statement
	guarded bool // the body does nothing unless the port is ready
}

// stateFunc is one of the functions that every machine defines, which take
// some of the TBE, the entry, the address and a state.
type stateFunc struct {
	body        *statement
	tbe, entry  int // pointers, -1 if it takes none
	line, state int // words, likewise
	result      int // word
}

// call calls the function.
func (f *stateFunc) call(c *controller, tbe, entry *object, line, state uint64) uint64 {
	if f.tbe >= 0 {
		c.pointers[f.tbe] = tbe
	}
	if f.entry >= 0 {
		c.pointers[f.entry] = entry
	}
	if f.line >= 0 {
		c.words[f.line] = line
	}
	if f.state >= 0 {
		c.words[f.state] = state
	}
	(*f.body)(c)
	return c.words[f.result]
}

// generate compiles the machines of a protocol that are instantiated.
func generate(protocol *types.Protocol) (*program, error) {
	p := &program{protocol: protocol, layouts: map[*types.Type]*layout{}}
	if err := p.names(); err != nil {
		return nil, err
	}
	var faults syntax.Faults
	for _, m := range protocol.Machines {
		if code := instantiated(m); code != nil {
			code.index = len(p.codes)
			p.dense[m.Ordinal] = code.index
			p.codes = append(p.codes, code)
		}
	}
	if err := p.wellFormed(); err != nil {
		return nil, err
	}
	p.fields()
	for _, code := range p.codes {
		g := newGenerator(p, code)
		g.compileMachine()
		faults = append(faults, g.faults...)
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("compile protocol %s: %w", protocol.Name, faults)
	}
	return p, nil
}

// instantiated makes the code of a machine that the simulated system has:
// those with cores, with a directory, and the shared cache; nil for others,
// such as those for devices.
func instantiated(m *types.Machine) *machineCode {
	code := &machineCode{machine: m, place: map[*types.Var]int{}, globals: map[string]int{}}
	for _, v := range m.Params {
		switch v.Type.Name {
		case "Sequencer":
			code.cores++
		case "DirectoryMemory":
			code.home = true
		}
	}
	if code.cores > 0 || code.home || m.Name == "L2Cache" {
		return code
	}
	return nil
}

// wellFormed demands the machines without which nothing works.
func (p *program) wellFormed() error {
	cores, homes := 0, 0
	for _, code := range p.codes {
		if code.cores > 0 {
			cores++
		}
		if code.home {
			homes++
		}
	}
	if cores != 1 || homes != 1 {
		return fmt.Errorf("compile protocol %s: %d machines with a Sequencer and %d with a DirectoryMemory, want 1 and 1",
			p.protocol.Name, cores, homes)
	}
	return nil
}

// names resolves the types and values that the runtime itself uses.
func (p *program) names() error {
	var errs []error
	typ := func(name string) *types.Type {
		t := p.protocol.Type(name)
		if t == nil {
			errs = append(errs, fmt.Errorf("compile protocol %s: no type %s", p.protocol.Name, name))
			t = &types.Type{Name: name}
		}
		return t
	}
	value := func(t *types.Type, name string) uint64 {
		e := t.Enum(name)
		if e == nil {
			errs = append(errs, fmt.Errorf("compile protocol %s: no %s:%s", p.protocol.Name, t.Name, name))
			return 0
		}
		return uint64(e.Ordinal)
	}
	p.machineType = typ("MachineType")
	p.dense = make([]int, len(p.machineType.Enums)+1)
	for i := range p.dense {
		p.dense[i] = -1
	}
	for _, e := range typ("AccessPermission").Enums {
		p.permissions = append(p.permissions, permissionNames[e.Name])
	}
	p.permissions = append(p.permissions, cache.Busy) // the unset value
	request := typ("RubyRequestType")
	p.request.load, p.request.store = value(request, "LD"), value(request, "ST")
	kind := typ("MemoryRequestType")
	p.memory.read, p.memory.write = value(kind, "MEMORY_READ"), value(kind, "MEMORY_WB")
	size := typ("MessageSizeType")
	p.memory.dataSize, p.memory.controlSize = value(size, "Response_Data"), value(size, "Writeback_Control")
	need(&errs, p.protocol, typ("RubyRequest"), "LineAddress", "PhysicalAddress", "Type", "contextId", "Size")
	need(&errs, p.protocol, typ("MemoryMsg"), "addr", "Type", "Sender", "OriginalRequestorMachId", "DataBlk", "Len")
	return errors.Join(errs...)
}

// permissionNames says what the values of AccessPermission mean to a cache.
// The others mean something to gem5's functional accesses only.
var permissionNames = map[string]cache.Permission{
	"Invalid": cache.Invalid, "NotPresent": cache.NotPresent, "Read_Only": cache.ReadOnly,
	"Read_Write": cache.ReadWrite, "Busy": cache.Busy,
}

// need demands fields of a type.
func need(errs *[]error, p *types.Protocol, t *types.Type, fields ...string) {
	for _, name := range fields {
		if t.Field(name) == nil {
			*errs = append(*errs, fmt.Errorf("compile protocol %s: %s has no field %s", p.Name, t.Name, name))
		}
	}
}

// fields finds the fields that the runtime itself uses.
func (p *program) fields() {
	l := p.layout(p.protocol.Type("RubyRequest"))
	r := &p.request
	r.layout = l
	r.line, r.physical, r.kind = l.find("LineAddress"), l.find("PhysicalAddress"), l.find("Type")
	r.context, r.size = l.find("contextId"), l.find("Size")
	l = p.layout(p.protocol.Type("MemoryMsg"))
	m := &p.memory
	m.layout = l
	m.addr, m.kind, m.sender, m.requestor = l.find("addr"), l.find("Type"), l.find("Sender"), l.find("OriginalRequestorMachId")
	m.data, m.len, m.size = l.find("DataBlk"), l.find("Len"), l.find("MessageSize")
}
