package compiler

import (
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// buffer resolves the buffer of a port; attr is the attribute that its type
// must have.
func (c *checker) buffer(id syntax.Ident, attr string) *types.Var {
	v := c.variable(id)
	if v == nil || v.Type.Kind == types.Invalid {
		return nil
	}
	if (v.Kind != types.ParamVar && v.Kind != types.ObjectVar) || !v.Type.Attrs.Has(attr) {
		c.fault(id.Pos, "%s of type %s cannot be the buffer of an %s", id.Name, v.Type,
			map[string]string{"inport": "in_port", "outport": "out_port"}[attr])
		return nil
	}
	return v
}

func (c *checker) inPortDecl(d *syntax.InPort) {
	c.typeNamed(d.Type)
	p := &types.InPort{Buffer: c.buffer(d.Buffer, "inport")}
	p.Var = &types.Var{
		Name: d.Name.Name, Kind: types.InPortVar, Index: len(c.machine.InPorts),
		Type: c.basic(d.Pos, "InPort"), Pos: d.Name.Pos, Attrs: d.Pairs,
	}
	if rank := d.Pairs.Find("rank"); rank != nil {
		p.Rank = c.number(rank)
	}
	if pair := d.Pairs.Find("block_on"); pair != nil {
		c.warn(pair.Pos, "block_on has no effect on an in_port, only on a peek")
	}
	c.declareVar(p.Var)
	c.machine.vars[p.Var] = p
	c.machine.InPorts = append(c.machine.InPorts, p)
	if c.machine.Event == nil {
		c.fault(d.Pos, "an in_port needs the enumeration Event declared before it")
	}

	p.Body = c.body(&routine{place: inPort, owner: p}, d.Body, func() {})
}

// stallHandlers finds the functions that the ports ask when they are stalled.
// They may be declared after the ports.
func (c *checker) stallHandlers() {
	for _, p := range c.machine.InPorts {
		if pair := p.Var.Attrs.Find("rsc_stall_handler"); pair != nil {
			p.OnResourceStall = c.stallHandler(pair)
		}
		if pair := p.Var.Attrs.Find("prot_stall_handler"); pair != nil {
			p.OnProtocolStall = c.stallHandler(pair)
		}
	}
}

func (c *checker) stallHandler(pair *syntax.Pair) *types.Func {
	for s := c.scope; s != nil; s = s.outer {
		for _, f := range s.funcs[pair.Value] {
			if len(f.Params) == 0 && f.Result.Kind == types.Bool {
				return f
			}
		}
	}
	c.fault(pair.Pos, "%s names no function bool %s()", pair.Key, pair.Value)
	return nil
}

func (c *checker) outPortDecl(d *syntax.OutPort) {
	c.typeNamed(d.Type)
	p := &types.OutPort{Buffer: c.buffer(d.Buffer, "outport")}
	p.Var = &types.Var{
		Name: d.Name.Name, Kind: types.OutPortVar, Index: len(c.machine.OutPorts),
		Type: c.basic(d.Pos, "OutPort"), Pos: d.Name.Pos, Attrs: d.Pairs,
	}
	c.declareVar(p.Var)
	c.machine.vars[p.Var] = p
	c.machine.OutPorts = append(c.machine.OutPorts, p)
}

// port resolves the name of an in_port or an out_port; nil after reporting a
// fault.
func port[P any](c *checker, id syntax.Ident, kind string) *P {
	v := c.variable(id)
	if v == nil {
		return nil
	}
	if c.machine == nil {
		c.fault(id.Pos, "port %s used outside of a machine", id.Name)
		return nil
	}
	p, ok := c.machine.vars[v].(*P)
	if !ok {
		c.fault(id.Pos, "%s is no %s", id.Name, kind)
	}
	return p
}

func (c *checker) inPort(id syntax.Ident) *types.InPort { return port[types.InPort](c, id, "in_port") }

func (c *checker) outPort(id syntax.Ident) *types.OutPort {
	return port[types.OutPort](c, id, "out_port")
}

func (c *checker) actionDecl(d *syntax.Action) {
	m := c.machine
	a := &types.Action{Name: d.Name.Name, Index: len(m.Actions), Pos: d.Name.Pos}
	a.Short = a.Name
	if short, ok := d.Pairs.Get(syntax.ShortKey); ok {
		a.Short = short
	}
	r := &routine{place: inAction, owner: a}
	a.Body = c.body(r, d.Body, func() {
		c.declareVar(&types.Var{Name: "address", Kind: types.AddressVar, Type: c.basic(d.Pos, "Addr")})
		if m.TBE != nil {
			c.declareVar(&types.Var{Name: "tbe", Kind: types.TBEVar, Type: m.TBE})
		}
		if m.Entry != nil {
			c.declareVar(&types.Var{Name: "cache_entry", Kind: types.EntryVar, Type: m.Entry})
		}
	})
	if old := m.byName[a.Name]; old != nil {
		c.fault(a.Pos, "action %s is already declared at %s", a.Name, old.Pos)
		return
	}
	if old := m.shorts[a.Short]; old != nil {
		c.fault(a.Pos, "action %s has the shorthand %q of action %s", a.Name, a.Short, old.Name)
	}
	a.Demands = r.demands
	m.byName[a.Name], m.shorts[a.Short] = a, a
	m.Actions = append(m.Actions, a)
}
