package ruby

import (
	"math/bits"
	"slices"
	"strings"

	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/preset"
	"ordeal/sim/slicc/types"
)

// role is what some of the instances of a machine are in the system. Most
// machines have one role, which has the machine's name. A machine that is a
// cache of a core, a second level or a home node depending on its parameters,
// as Cache of gem5's CHI, has a role for each.
type role struct {
	name string // of the parameters
	code *machineCode
	// cores is the number of cores of each instance, 0 for one that serves
	// others.
	cores int
	home  bool // memory is behind it
	// device says that each instance is that of a device.
	device bool
	// private says that each core, or each instance that has cores, has one
	// of its own.
	private bool
	set     preset.Values
}

// second reports whether instances are second levels, private to a core but for
// Options.Sharing.
func (r *role) second() bool { return r.private && r.cores == 0 && len(r.code.roles) > 1 }

// Parameters that say something about a machine.
const (
	// homeNode is the parameter of a machine that is a cache of a core, a second
	// level or, with this set, a home node.
	homeNode = "is_HN"
	// bankBits is that of a machine that chooses a bank of the shared cache by
	// this number of bits of an address.
	bankBits = "l2_select_num_bits"
)

// isSequencer reports whether a parameter is the port of a core.
func isSequencer(v *types.Var) bool {
	return v.Type.Name == "Sequencer" || v.Type.Interface == "Sequencer"
}

func param(m *types.Machine, is func(*types.Var) bool) bool { return slices.ContainsFunc(m.Params, is) }

func named(name string) func(*types.Var) bool {
	return func(v *types.Var) bool { return v.Name == name }
}

// rolesOf says what a machine is in the simulated system: with cores, with the
// directory or memory, a device, or a shared or private cache; none for others.
func (p *program) rolesOf(m *types.Machine) []*role {
	cores := 0
	for _, v := range m.Params {
		if isSequencer(v) {
			cores++
		}
	}
	hasDirectory := func(m *types.Machine) bool {
		return param(m, func(v *types.Var) bool { return v.Type.Name == "DirectoryMemory" })
	}
	one := role{name: m.Name, cores: cores, private: cores > 0}
	switch {
	case param(m, func(v *types.Var) bool { return v.Type.Name == "DMASequencer" }):
		one.device = true
	case cores > 0 && param(m, named(homeNode)):
		return []*role{{name: "L1", cores: cores, private: true}, {name: "L2", private: true}, {name: "HNF"}, {name: "RNI", device: true}}
	case hasDirectory(m):
		one.home = true
	case cores > 0, m.Name == "L2Cache":
	case !slices.ContainsFunc(p.protocol.Machines, hasDirectory) && param(m, named(memoryRequests)) && param(m, named(memoryAnswers)):
		one.home = true
	case slices.ContainsFunc(p.protocol.Machines, func(n *types.Machine) bool { return len(joins(m, n)) > 0 && param(n, isSequencer) }):
		one.private = true
	default:
		return nil
	}
	return []*role{&one}
}

// assignRoles makes the code of a machine that the system has, with its roles;
// nil for another machine.
func (p *program) assignRoles(m *types.Machine) *machineCode {
	roles := p.rolesOf(m)
	if len(roles) == 0 {
		return nil
	}
	code := &machineCode{
		machine: m, index: len(p.codes), roles: roles, place: map[*types.Var]int{}, globals: map[string]int{},
		compared: map[*types.Var][]int64{},
	}
	for _, r := range roles {
		r.code, r.set = code, preset.Of(p.protocol.Name, r.name)
		code.cores = max(code.cores, r.cores)
		code.home = code.home || r.home
	}
	return code
}

// below is the role that one asks for lines; nil for memory. A device asks the
// home node, the last that is none.
func (r *role) below() *role {
	roles := r.code.roles
	i := slices.Index(roles, r) + 1
	if r.device {
		i = slices.IndexFunc(roles, func(r *role) bool { return r.device }) - 1
	}
	if i < 0 || i == len(roles) || roles[i].device {
		return nil
	}
	return roles[i]
}

// number is the number of instances of a role.
func (o *Options) number(r *role) int {
	switch {
	case r.private:
		each := max(r.cores, 1)
		if r.second() {
			each = max(o.Sharing, 1)
		}
		return (o.Cores + each - 1) / each
	case r.home:
		return o.Directories
	case r.device:
		each := max(o.Transfers, 1)
		return (o.Devices + each - 1) / each
	}
	return o.Banks
}

// instances lists the roles of the instances of a machine.
func (o *Options) instances(code *machineCode) []*role {
	var list []*role
	for _, r := range code.roles {
		list = append(list, slices.Repeat([]*role{r}, o.number(r))...)
	}
	return list
}

// geometry is the size of a cache. A second level is larger than a first. The
// bits that choose a bank or a directory do not choose the set as well.
func (o *Options) geometry(r *role, name string) cache.Geometry {
	switch {
	case r.cores > 0 && !strings.HasPrefix(name, "L2"):
		return o.Private
	case r.private:
		return o.Shared
	}
	g := o.Shared
	if n := o.number(r); n&(n-1) == 0 {
		g.IndexBit += bits.TrailingZeros(uint(n))
	}
	return g
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
	to, from           *machineCode
	toPlace, fromPlace int
}

// setShared finds the buffers that two machines share, once for all systems.
func (p *program) setShared() {
	for _, a := range p.codes {
		for _, b := range p.codes {
			for _, j := range joins(a.machine, b.machine) {
				if slices.Contains(a.machine.Params, j.to) {
					p.shared = append(p.shared, sharedBuffer{a, b, a.place[j.to], b.place[j.from]})
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
