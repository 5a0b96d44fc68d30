package code

import (
	"slices"
	"strings"

	"ordeal/sim/ruby/preset"
	"ordeal/sim/slicc/types"
)

// Role is what some of the instances of a machine are in the system. Most
// machines have one role, which has the machine's name. A machine that is a
// cache of a core, a second level or a home node depending on its parameters,
// as Cache of gem5's CHI, has a role for each.
type Role struct {
	Name string // of the parameters
	Code *Machine
	// cores is the number of cores of each instance, 0 for one that serves
	// others.
	Cores int
	Home  bool // memory is behind it
	// device says that each instance is that of a device.
	Device bool
	// private says that each core, or each instance that has cores, has one
	// of its own.
	Private bool
	Set     preset.Values
}

// second reports whether instances are second levels, private to a core but for
// Options.Sharing.
func (r *Role) Second() bool { return r.Private && r.Cores == 0 && len(r.Code.Roles) > 1 }

// Parameters that say something about a machine.
const (
	// homeNode is the parameter of a machine that is a cache of a core, a second
	// level or, with this set, a home node.
	HomeNode = "is_HN"
	// bankBits is that of a machine that chooses a bank of the shared cache by
	// this number of bits of an address.
	BankBits = "l2_select_num_bits"
)

// isSequencer reports whether a parameter is the port of a core.
func isSequencer(v *types.Var) bool {
	return v.Type.Name == "Sequencer" || v.Type.Interface == "Sequencer"
}

func param(m *types.Machine, is func(*types.Var) bool) bool { return slices.ContainsFunc(m.Params, is) }

// Named reports whether a variable has a name.
func Named(name string) func(*types.Var) bool {
	return func(v *types.Var) bool { return v.Name == name }
}

// rolesOf says what a machine is in the simulated system: with cores, with the
// directory or memory, a device, or a shared or private cache; none for others.
func (p *Program) rolesOf(m *types.Machine) []*Role {
	cores := 0
	for _, v := range m.Params {
		if isSequencer(v) {
			cores++
		}
	}
	hasDirectory := func(m *types.Machine) bool {
		return param(m, func(v *types.Var) bool { return v.Type.Name == "DirectoryMemory" })
	}
	one := Role{Name: m.Name, Cores: cores, Private: cores > 0}
	switch {
	case param(m, func(v *types.Var) bool { return v.Type.Name == "DMASequencer" }):
		one.Device = true
	case cores > 0 && param(m, Named(HomeNode)):
		return []*Role{{Name: "L1", Cores: cores, Private: true}, {Name: "L2", Private: true}, {Name: "HNF"}, {Name: "RNI", Device: true}}
	case hasDirectory(m):
		one.Home = true
	case cores > 0, m.Name == "L2Cache":
	case !slices.ContainsFunc(p.Protocol.Machines, hasDirectory) && param(m, Named(MemoryRequests)) && param(m, Named(MemoryAnswers)):
		one.Home = true
	case slices.ContainsFunc(p.Protocol.Machines, func(n *types.Machine) bool { return len(joins(m, n)) > 0 && param(n, isSequencer) }):
		one.Private = true
	case param(m, func(v *types.Var) bool { return v.Type.Name == "CacheMemory" }) && !OfGPU(m):
		// a further level, by any name
	default:
		return nil
	}
	return []*Role{&one}
}

// assignRoles makes the code of a machine that the system has, with its roles;
// nil for another machine.
func (p *Program) assignRoles(m *types.Machine) *Machine {
	roles := p.rolesOf(m)
	if len(roles) == 0 {
		return nil
	}
	code := &Machine{
		Decl: m, Index: len(p.Codes), Roles: roles, Place: map[*types.Var]int{}, Globals: map[string]int{},
		Compared: map[*types.Var][]int64{},
	}
	for _, r := range roles {
		r.Code, r.Set = code, preset.Of(p.Protocol.Name, r.Name)
		code.Cores = max(code.Cores, r.Cores)
		code.Home = code.Home || r.Home
	}
	return code
}

// OfGPU reports whether a machine is one of those that MOESI_AMD_Base has for GPUs.
func OfGPU(m *types.Machine) bool {
	return param(m, func(v *types.Var) bool { return v.Type.Name == "WireBuffer" })
}

// checkMachine refuses a type of machine that is declared and that the system has none of: what is sent
// there reaches nothing. CHI's MiscNode is for requests that no core makes.
func (g *generator) checkMachine(x *types.Const) {
	for _, m := range g.Protocol.Machines {
		if uint64(m.Ordinal) == numberOfConst(x) && g.Dense[m.Ordinal] < 0 && m.Name != "MiscNode" && !OfGPU(m) {
			g.unsupported(x.At, "machine %s, of which the simulated machine has none: it has machines with a Sequencer, a DMASequencer, a CacheMemory or a DirectoryMemory", m.Name)
		}
	}
}

// below is the role that one asks for lines; nil for memory. A device asks the
// home node, the last that is none.
func (r *Role) Below() *Role {
	roles := r.Code.Roles
	i := slices.Index(roles, r) + 1
	if r.Device {
		i = slices.IndexFunc(roles, func(r *Role) bool { return r.Device }) - 1
	}
	if i < 0 || i == len(roles) || roles[i].Device {
		return nil
	}
	return roles[i]
}

// A joint is a buffer that one machine puts messages into and another polls,
// without the network.
type joint struct{ to, from *types.Var }

// joins lists the buffers between two machines: those attached to the network
// without a virtual network, named bufferToL1 in L0Cache and bufferFromL0 in
// L1Cache, as gem5's configurations join them.
func joins(m, n *types.Machine) []joint {
	var list []joint
	pair := func(a, b *types.Machine) {
		for _, to := range a.Params {
			for _, from := range b.Params {
				what, toB := between(to, "To", b)
				same, fromA := between(from, "From", a)
				if toB && fromA && what == same {
					list = append(list, joint{to, from})
				}
			}
		}
	}
	if m != n {
		pair(m, n)
		pair(n, m)
	}
	return list
}

// A sharedBuffer is a joint of two machines that the system has.
type sharedBuffer struct {
	To, From           *Machine
	ToPlace, FromPlace int
}

// setShared finds the buffers that two machines share, once for all systems.
func (p *Program) setShared() {
	for _, a := range p.Codes {
		for _, b := range p.Codes {
			for _, j := range joins(a.Decl, b.Decl) {
				if slices.Contains(a.Decl.Params, j.to) {
					p.Shared = append(p.Shared, sharedBuffer{a, b, a.Place[j.to], b.Place[j.from]})
				}
			}
		}
	}
}

// between reports whether a buffer goes in a direction to a machine without a
// virtual network, and what its name says that it carries: the name is that,
// the direction and what the machine's name starts with.
func between(v *types.Var, direction string, m *types.Machine) (what string, ok bool) {
	if way, _ := v.Attrs.Get("network"); way != direction || v.Network != nil {
		return "", false
	}
	what, rest, found := strings.Cut(v.Name, direction)
	return what, found && rest != "" && strings.HasPrefix(m.Name, rest)
}

// orderedBuffers lists, by protocol, the buffers that gem5's configuration makes
// ordered (MessageBuffer(ordered=True) in configs/ruby of v24.0): a message that
// would arrive in one before an earlier message is a panic there
// (MessageBuffer.cc:260). A buffer that the network fills is checked only where cores
// have another clock (Hardware.CoreClock): its messages are in it from their departure on,
// and the network keeps their order. It makes its virtual network an ordered one. One that two machines share
// has both names.
var orderedBuffers = map[string][]string{
	"MI_example": {
		"L1Cache.requestFromCache", "L1Cache.responseFromCache", "L1Cache.forwardToCache", "L1Cache.responseToCache",
		"Directory.requestToDir", "Directory.dmaRequestToDir", "Directory.dmaResponseFromDir", "DMA.responseFromDir",
	},
	"MESI_Two_Level":       {"DMA.responseFromDir"},
	"MESI_Three_Level":     {"L0Cache.bufferToL1", "L1Cache.bufferFromL0", "L0Cache.bufferFromL1", "DMA.responseFromDir"},
	"MESI_Three_Level_HTM": {"L0Cache.bufferToL1", "L1Cache.bufferFromL0", "L0Cache.bufferFromL1", "DMA.responseFromDir"},
	"MOESI_AMD_Base":       {"Directory.requestFromCores", "Directory.triggerQueue", "Directory.L3triggerQueue", "CorePair.triggerQueue"},
	"MOESI_CMP_directory":  {"L1Cache.triggerQueue", "L2Cache.triggerQueue", "Directory.triggerQueue", "DMA.triggerQueue"},
	"MOESI_CMP_token": {
		"L1Cache.persistentFromL1Cache", "L1Cache.persistentToL1Cache", "L2Cache.persistentToL2Cache", "Directory.persistentToDir",
		"Directory.dmaRequestToDir", "Directory.persistentFromDir", "Directory.dmaResponseFromDir", "DMA.responseFromDir",
	},
	"MOESI_hammer": {
		"Directory.dmaResponseFromDir", "Directory.triggerQueue", "Directory.dmaRequestToDir", "DMA.responseFromDir",
	},
}

// hasOrderedBuffers reports whether the protocol has all the buffers that are
// ordered in gem5's one of its name. The project's own ones have others.
func (p *Program) hasOrderedBuffers() bool {
	names := orderedBuffers[p.Protocol.Name]
	for _, code := range p.Codes {
		for _, v := range code.Buffers {
			names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == code.Decl.Name+"."+v.Name })
		}
	}
	return len(orderedBuffers[p.Protocol.Name]) > 0 && len(names) == 0
}

// setOrdered finds the buffers that gem5 makes ordered, once for all systems.
func (p *Program) setOrdered() {
	p.Configured = p.hasOrderedBuffers()
	for _, code := range p.Codes {
		for _, v := range code.Buffers {
			code.Ordered = append(code.Ordered,
				p.Configured && slices.Contains(orderedBuffers[p.Protocol.Name], code.Decl.Name+"."+v.Name))
		}
	}
}

// recycleLatency is that of all controllers.
const recycleLatency = 10

// DefaultParameters are the values of the parameters that every controller has besides
// those of the protocol's text.
var DefaultParameters = preset.Values{
	preset.TagLatency: 1, preset.DataLatency: 1, preset.Transitions: 4, "recycle_latency": recycleLatency,
}

// noteChoice keeps the numbers that parameters of a machine are compared with.
func (g *generator) noteChoice(v *types.Var, k int64) {
	if v.Kind == types.ParamVar && v.Type.Name == "int" && !slices.Contains(g.code.Compared[v], k) {
		g.code.Compared[v] = append(g.code.Compared[v], k)
	}
}
