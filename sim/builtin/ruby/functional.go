package ruby

import (
	"cmp"
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// functional is what a machine has for functional reads.
type functional struct {
	permission, read *funcCode
	refused          syntax.Faults // why there are none
}

// compileFunctional compiles the functions of functional reads. A machine may go
// without, as long as no option asks for them.
func (g *generator) compileFunctional() {
	permission, read := g.defined("getAccessPermission", "Addr"), g.defined("functionalRead", "Addr", "Packet")
	f := &g.code.functional
	if permission == nil || read == nil {
		f.refused.Add(g.code.machine.Pos, "machine %s has no functionalRead(Addr, Packet)", g.code.machine.Name)
		return
	}
	outer := g.faults
	g.faults = nil
	f.permission, f.read = g.function(permission), g.function(read)
	f.refused, g.faults = g.faults, outer
}

// defined is the function of the machine with a body, a name and parameters of
// such types; nil if there is none.
func (g *generator) defined(name string, params ...string) *types.Func {
	for _, f := range g.code.machine.Funcs {
		if f.Name == name && f.Defined && slices.EqualFunc(f.ParamTypes(), params, func(t *types.Type, name string) bool { return t.Name == name }) {
			return f
		}
	}
	return nil
}

// testAndRead is the end of a functional read: the block has the data.
func testAndRead(g *generator, x *types.Call) wordExpr {
	block := g.vector(x.Args[1])
	return func(c *controller) uint64 {
		c.system.functional = (*memory.Block)(block(c))
		return 1
	}
}

func functionalMemoryRead(g *generator, x *types.Call) wordExpr {
	pos := x.At
	return func(c *controller) uint64 {
		if c.memory == nil {
			c.failAt(pos, "functional read of memory", "%s has none", c.name)
		}
		c.system.functional = c.memory.block(memory.Addr(c.words[addressWord]))
		return 0
	}
}

// CheckFunctional reports why the protocol has no functional reads; nil if it has.
func (p *Protocol) CheckFunctional() error {
	var faults syntax.Faults
	for _, code := range p.program.codes {
		if slices.ContainsFunc(code.roles, func(r *role) bool { return !r.device }) {
			faults = append(faults, code.functional.refused...)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return faults
}

// FunctionalRead is gem5's RubySystem::functionalRead: the copy of a line in the
// controller that may write it, or else in the first that may read it, or else in
// memory that backs caches which broadcast, if none of them has anything to do with
// the line. Found is false where the line is on its way, as gem5 looks for it in
// messages then; where names the controller and its state. A fault of the
// protocol ends the run.
func (s *System) FunctionalRead(line memory.Addr) (b memory.Block, where string, found bool) {
	var write, read, backing *controller
	others := 0
	for _, list := range s.controllers {
		for _, c := range list {
			if c.role.device || c.role.home && !s.isHome(c, line) {
				continue // another directory has the line
			}
			switch s.program.permissionOf(c.accessOf(line)) {
			case "Read_Write":
				write = cmp.Or(write, c)
			case "Read_Only":
				read = cmp.Or(read, c)
			case "Backing_Store":
				backing = cmp.Or(backing, c)
			case "Invalid", "NotPresent":
			default:
				others++
			}
		}
	}
	from := cmp.Or(write, read)
	if from == nil && others == 0 {
		from = backing
	}
	if from == nil || s.queue.Err() != nil {
		return b, "", false
	}
	s.functional = nil
	if !from.functionalRead(line) || s.functional == nil {
		return b, "", false
	}
	return *s.functional, from.stateText(line), true
}

func (p *program) permissionOf(ordinal uint64) string {
	if ordinal >= uint64(len(p.permissionType.Enums)) {
		return ""
	}
	return p.permissionType.Enums[ordinal].Name
}

// accessOf is what the controller may do with a line.
func (c *controller) accessOf(line memory.Addr) uint64 {
	defer c.catch()
	f := c.code.functional.permission
	c.begin(line)
	c.words[f.params[0]] = uint64(line)
	f.body(c)
	return c.words[f.result]
}

// functionalRead looks for the data of a line; false if that is a fault.
func (c *controller) functionalRead(line memory.Addr) bool {
	defer c.catch()
	f := c.code.functional.read
	c.begin(line)
	c.words[f.params[0]] = uint64(line)
	f.body(c)
	return true
}

// begin has what is not a transition be about a line.
func (c *controller) begin(line memory.Addr) {
	c.now, c.words[addressWord] = c.system.queue.Now(), uint64(line)
}

// stateText is the machine of a controller and the state of a line in it.
func (c *controller) stateText(line memory.Addr) string {
	var tbe, entry *object
	for _, t := range c.tables {
		tbe = cmp.Or(tbe, t.lookup(line))
	}
	for _, cached := range c.caches {
		entry = cmp.Or(entry, cached.Lookup(line))
	}
	for _, d := range c.directory {
		entry = cmp.Or(entry, d.entries[line])
	}
	if state := c.peekState(tbe, entry, line); state != nil {
		return c.code.machine.Name + " in state " + state.Name
	}
	return c.code.machine.Name
}
