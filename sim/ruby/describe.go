package ruby

import (
	"errors"
	"slices"
	"strings"

	"ordeal/gen/option"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/ruby/code"
	"ordeal/sim/ruby/description"
	"ordeal/sim/slicc/types"
)

// programMemory is the size of the memory in which programs lie, which has to have an owner; maxLines
// bounds a described cache: what a file asks for is allocated.
const (
	programMemory = 1 << 20
	maxLines      = 1 << 20
)

// Layout is a description of the machine around a protocol; what it does not say is as Options say.
type Layout struct {
	Cores    int                    // that it has sequencers for; 0 if Options say that
	roles    map[string]*layoutRole // by name
	networks []description.Network
}

// layoutRole is what a role is described as.
type layoutRole struct {
	preset bool                  // there are as many as Options say, all as the first
	list   []*given              // the controllers
	ranges [][]description.Range // by controller; nil: lines take turns
}

// given is what is described of a controller.
type given struct {
	at         string
	parameters []Parameter
	caches     map[string]cache.Geometry
	cluster    int
	cores      []int // at its sequencers; nil: the next ones
}

// Layout reads a description. The error joins all that contradicts itself, the protocol, or a number of
// cores that is not 0.
func (p *Protocol) Layout(d *description.System, cores int) (*Layout, error) {
	x := describer{program: p.program, system: d, Layout: &Layout{roles: map[string]*layoutRole{}, networks: d.Networks}}
	for i := range d.Machines {
		x.machine(d.Machines[i])
	}
	for _, m := range p.Types().Machines {
		x.require(m)
	}
	x.place()
	for i, n := range d.Networks {
		if n.Number >= p.program.Networks || slices.ContainsFunc(d.Networks[:i], func(o description.Network) bool { return o.Number == n.Number }) {
			x.fault(n.At, "virtual network %d: protocol %s has 0 to %d, want each once", n.Number, p.Name(), p.program.Networks-1)
		}
		if n.Jitter > 0 && n.Latency == 0 {
			x.fault(n.At, "virtual network %d has a jitter and no latency", n.Number)
		}
	}
	if cores > x.Cores && x.Cores > 0 && len(x.errs) == 0 {
		x.fault(d.File, "%d cores: the machine has sequencers for %d", cores, x.Cores)
	}
	return x.Layout, errors.Join(x.errs...)
}

// describer makes a Layout of a description.
type describer struct {
	*Layout
	program *program
	system  *description.System
	errs    []error
}

func (x *describer) fault(at, format string, args ...any) {
	if err := option.Faultf("machine", "%s: "+format, append([]any{at}, args...)...); !slices.Contains(x.errs, error(err)) {
		x.errs = append(x.errs, err)
	}
}

func (x *describer) machine(m description.Machine) {
	if x.system.Gem5 { // the classes of v25 begin with the name of the protocol
		m.Name = strings.TrimPrefix(m.Name, x.program.Protocol.Name+"_")
	}
	i := slices.IndexFunc(x.program.roles(), func(r *code.Role) bool { return r.Name == m.Name })
	switch {
	case i < 0:
		x.fault(m.At, "protocol %s has no machine %s: want one of %s", x.program.Protocol.Name, m.Name, strings.Join(x.program.roleNames(), ", "))
		return
	case x.roles[m.Name] != nil:
		x.fault(m.At, "machine %s is described twice", m.Name)
		return
	case m.Count != nil && (*m.Count < 0 || *m.Count > MaxCores):
		x.fault(m.At, "count %d of machine %s: want 0 to %d", *m.Count, m.Name, MaxCores)
		return
	case m.Count != nil && m.Instances != nil && *m.Count != len(m.Instances) || len(m.Instances) > MaxCores:
		x.fault(m.At, "%d instances of machine %s: want as many as its count, at most %d", len(m.Instances), m.Name, MaxCores)
		return
	}
	r, l := x.program.roles()[i], &layoutRole{preset: m.Count == nil && m.Instances == nil}
	x.roles[m.Name] = l
	list := m.Instances
	if l.preset || list == nil {
		n := 1
		if !l.preset {
			n = *m.Count
		}
		list = slices.Repeat([]description.Instance{{At: m.At}}, n)
	}
	owners := 0
	for _, n := range list {
		n.Parameters, n.Caches = slices.Concat(m.Parameters, n.Parameters), slices.Concat(m.Caches, n.Caches)
		x.instance(r, l, &n)
		if len(n.Ranges) > 0 {
			owners++
		}
	}
	if owners == 0 {
		l.ranges = nil
	} else if err := description.Owned(l.ranges, uint64(memory.Base), uint64(memory.Base)+programMemory); err != nil {
		x.fault(m.At, "machine %s: %v", m.Name, err)
	} else if owners < len(list) {
		x.fault(m.At, "some of machine %s have ranges, others have none", m.Name)
	}
}

// instance adds a controller.
func (x *describer) instance(r *code.Role, l *layoutRole, n *description.Instance) {
	g := &given{at: n.At, cluster: n.Cluster, cores: n.Cores, caches: map[string]cache.Geometry{}}
	var caches []string
	for _, v := range r.Code.Caches {
		caches = append(caches, v.Name)
	}
	for _, text := range n.Parameters {
		p, err := ParseParameter(r.Name + "." + text)
		if x.system.Gem5 && err == nil && !hasParameter(r, p.Name) {
			continue
		}
		if err == nil {
			err = x.program.checkParameter(p)
		}
		if err != nil {
			x.fault(n.At, "%s", option.Faults(err, "")[0].Message)
		}
		g.parameters = append(g.parameters, p)
	}
	for _, text := range n.Caches {
		name, size, _ := strings.Cut(text, "=")
		c, err := cache.ParseGeometry(size)
		c.IndexBit = cache.LineBits
		switch {
		case !slices.Contains(caches, name) && x.system.Gem5:
		case !slices.Contains(caches, name):
			x.fault(n.At, "%s has no cache %q: want one of %s", r.Name, name, strings.Join(caches, ", "))
		case err != nil || c.Sets > maxLines/c.Ways:
			x.fault(n.At, "cache %s of %s: %q: want SETSxWAYS, both powers of two, with at most %d ways and %d lines", name, r.Name, size, cache.MaxWays, maxLines)
		}
		g.caches[name] = c
	}
	var ranges []description.Range
	for _, text := range n.Ranges {
		one, err := description.ParseRange(text)
		if err != nil {
			x.fault(n.At, "%v", err)
		}
		ranges = append(ranges, one)
	}
	if len(n.Cores) > r.Cores {
		x.fault(n.At, "%d cores at a controller of %s, which has %d sequencers", len(n.Cores), r.Name, r.Cores)
	}
	l.list, l.ranges = append(l.list, g), append(l.ranges, ranges)
}

// require reports a machine of which there has to be one.
func (x *describer) require(m *types.Machine) {
	name, i := x.program.Protocol.Name, slices.IndexFunc(x.program.Codes, func(mc *code.Machine) bool { return mc.Decl == m })
	if i < 0 {
		if m.Name != "MiscNode" && !code.OfGPU(m) {
			x.fault(x.system.File, "protocol %s declares machine %s at %s, of which the simulated system has none", name, m.Name, m.Pos)
		}
		return
	}
	for _, r := range x.program.Codes[i].Roles {
		l := x.roles[r.Name]
		switch {
		case r.Cores > 0 && x.program.coreTypes() > 1 && (l == nil || l.preset):
			x.fault(x.system.File, "cores are at several machines of protocol %s: say how many there are of %s, which is declared at %s", name, r.Name, m.Pos)
		case r.Device:
		case l == nil && x.system.Gem5, l != nil && len(l.list) == 0:
			x.fault(x.system.File, "there is no controller of machine %s, which protocol %s declares at %s", r.Name, name, m.Pos)
		}
	}
}

// place gives each sequencer a core.
func (x *describer) place() {
	used := map[int]string{}
	x.eachSequencer(func(r *code.Role, g *given) {
		x.Cores += len(g.cores)
		if g.cores == nil {
			x.Cores += r.Cores
		}
	})
	x.eachSequencer(func(_ *code.Role, g *given) {
		for _, core := range g.cores {
			switch {
			case used[core] != "":
				x.fault(g.at, "core %d is at two controllers, also at that of %s", core, used[core])
			case core < 0 || core >= x.Cores:
				x.fault(g.at, "core %d: the machine has sequencers for cores 0 to %d, so another one has no controller", core, x.Cores-1)
			}
			used[core] = g.at
		}
	})
	next := 0
	x.eachSequencer(func(r *code.Role, g *given) {
		if g.cores != nil {
			return
		}
		for range r.Cores {
			for used[next] != "" {
				next++
			}
			g.cores = append(g.cores, next)
			next++
		}
	})
	if x.Cores > MaxCores {
		x.fault(x.system.File, "sequencers for %d cores: want at most %d", x.Cores, MaxCores)
	}
}

// eachSequencer calls f with the controllers that have sequencers and are described one by one.
func (x *describer) eachSequencer(f func(r *code.Role, g *given)) {
	for _, r := range x.program.roles() {
		if l := x.roles[r.Name]; l != nil && r.Cores > 0 && !l.preset {
			for _, g := range l.list {
				f(r, g)
			}
		}
	}
}

// coreTypes is the number of machines with sequencers.
func (p *program) coreTypes() int {
	n := 0
	for _, mc := range p.Codes {
		n += min(mc.Cores, 1)
	}
	return n
}

// described is what a role is described as, nil for nothing.
func (o *Options) described(r *code.Role) *layoutRole {
	if o.Layout == nil {
		return nil
	}
	return o.Layout.roles[r.Name]
}

// changeNetworks makes virtual networks as they are described. Those that keep their order are all if
// ordered is nil.
func (l *Layout) changeNetworks(latencies []event.Latency, ordered []bool) []bool {
	if l == nil {
		return ordered
	}
	for _, n := range l.networks {
		if n.Latency > 0 {
			latencies[n.Number] = event.Latency{Base: event.Tick(n.Latency), Jitter: event.Tick(n.Jitter)}
		}
		if n.Ordered == nil {
			continue
		}
		if ordered == nil {
			ordered = slices.Repeat([]bool{true}, len(latencies))
		}
		ordered[n.Number] = *n.Ordered
	}
	return ordered
}
