package compiler

import (
	"strconv"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

func (c *checker) machineDecl(d *syntax.Machine) {
	if c.machine != nil {
		c.fault(d.Pos, "machine inside machine %s", c.machine.Name)
		return
	}
	m := &types.Machine{Name: d.Name.Value.Name, Pos: d.Pos}
	c.machineName(d, m)
	c.machine = &machine{
		Machine: m,
		shorts:  map[string]*types.Action{},
		byName:  map[string]*types.Action{},
		vars:    map[*types.Var]any{},
	}
	c.push()
	c.machine.scope = c.scope
	c.params(d)
	c.decls(d.Body)
	c.finishMachine()
	c.pop()
	c.machine = nil
	c.protocol.Machines = append(c.protocol.Machines, m)
}

// machineName checks that the name is a value of MachineType not used yet.
func (c *checker) machineName(d *syntax.Machine, m *types.Machine) {
	if d.Name.Type.Name != "MachineType" {
		c.fault(d.Name.Type.Pos, "a machine is named MachineType:NAME, not %s:%s",
			d.Name.Type.Name, m.Name)
		return
	}
	for _, other := range c.protocol.Machines {
		if other.Name == m.Name {
			c.fault(d.Name.Value.Pos, "machine %s is already declared at %s", m.Name, other.Pos)
		}
	}
	typ := c.basic(d.Name.Type.Pos, "MachineType")
	if e := typ.Enum(m.Name); e != nil {
		m.Ordinal = e.Ordinal
	} else if typ.Kind != types.Invalid {
		c.fault(d.Name.Value.Pos, "MachineType has no value %s%s", m.Name, syntax.Suggestion(m.Name, typ.EnumNames()))
	}
}

func (c *checker) params(d *syntax.Machine) {
	used := map[types.Network]*types.Var{}
	for _, p := range d.Params {
		v := &types.Var{
			Name: p.Name.Name, Kind: types.ParamVar, Type: c.valueType(p.Type),
			Pos: p.Name.Pos, Attrs: p.Pairs,
		}
		if p.Init != nil {
			v.Default = c.paramDefault(p, v.Type)
		}
		v.Network = c.network(p)
		if n := v.Network; n != nil {
			if other := used[*n]; other != nil {
				c.fault(p.Pos, "buffers %s and %s both are network=%q on virtual network %d",
					other.Name, v.Name, p.Pairs.Find("network").Value, n.VNet)
			}
			used[*n] = v
		}
		c.declareVar(v)
		c.machine.Params = append(c.machine.Params, v)
	}
}

// paramDefault evaluates what a parameter starts with. Truth values are
// written "True" and "False", since gem5 copies them into Python.
func (c *checker) paramDefault(p *syntax.Object, t *types.Type) types.Value {
	x := c.expr(p.Init)
	if isBad(x) || t.Kind == types.Invalid {
		return types.Value{}
	}
	lit, ok := constant(x)
	switch {
	case !ok:
		c.fault(p.Init.Position(), "the value of parameter %s must be a literal", p.Name.Name)
	case lit.Kind == types.StringValue && t.Kind == types.Bool:
		if lit.Str == "True" || lit.Str == "False" {
			return types.Value{Kind: types.BoolValue, Int: truth(lit.Str == "True")}
		}
		c.fault(p.Init.Position(), "parameter %s is bool, %q is neither True nor False", p.Name.Name, lit.Str)
	case lit.Kind == types.StringValue && lit.Str == "NULL" && t.Kind == types.Native:
		// The configuration may leave it out.
	case lit.Kind == types.StringValue && t.Kind == types.Int:
		// A text such as "64kB" that only the configuration understands.
		return types.Value{Kind: types.TextValue, Str: lit.Str}
	case lit.Kind == types.IntValue && t.Kind == types.Int,
		lit.Kind == types.BoolValue && t.Kind == types.Bool,
		lit.Kind == types.StringValue && t.Kind == types.String,
		lit.Kind == types.EnumValue && t == x.Type():
		return lit
	default:
		c.fault(p.Init.Position(), "parameter %s is %s, its value %s", p.Name.Name, t, x.Type())
	}
	return types.Value{}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// constant gives the value of a literal, also a negative one.
func constant(x types.Expr) (types.Value, bool) {
	switch x := x.(type) {
	case *types.Const:
		return x.Value, true
	case *types.Unary:
		if v, ok := constant(x.X); ok && x.Op == syntax.Neg && v.Kind == types.IntValue {
			v.Int = -v.Int
			return v, true
		}
	}
	return types.Value{}, false
}

// network reads the attributes that attach a buffer to the network; nil if it
// is not attached. A buffer with network= and without virtual_network= is
// joined to a buffer of another machine by the configuration.
func (c *checker) network(p *syntax.Object) *types.Network {
	pair := p.Pairs.Find("network")
	if pair == nil {
		return nil
	}
	n := new(types.Network)
	switch pair.Value {
	case "To":
		n.Direction = types.ToNetwork
	case "From":
		n.Direction = types.FromNetwork
	default:
		c.fault(pair.Pos, "network must be \"To\" or \"From\", not %q", pair.Value)
	}
	vnet := p.Pairs.Find("virtual_network")
	if vnet == nil {
		return nil
	}
	n.VNet = c.number(vnet)
	return n
}

func (c *checker) number(pair *syntax.Pair) int {
	n, err := strconv.Atoi(pair.Value)
	if err != nil || n < 0 || n > 1000 {
		c.fault(pair.Pos, "%s must be a number from 0 to 1000, not %q", pair.Key, pair.Value)
		return 0
	}
	return n
}

func (c *checker) objectDecl(d *syntax.Object) {
	typ := c.valueType(d.Type)
	v := &types.Var{
		Name: d.Name.Name, Kind: types.GlobalVar, Type: typ,
		Pos: d.Name.Pos, Attrs: d.Pairs, Default: c.defaultOf(d.Pairs, typ),
	}
	if d.Init != nil {
		x := c.expr(d.Init)
		c.assignable(d.Init.Position(), "initialize", typ, x.Type())
		value, ok := constant(x)
		if !ok && !isBad(x) {
			c.fault(d.Init.Position(), "the value of %s must be a literal", v.Name)
		}
		v.Default = value
	}
	c.declareVar(v)
	if c.machine == nil {
		c.protocol.Objects = append(c.protocol.Objects, v)
		return
	}
	v.Kind = types.ObjectVar
	c.machine.Objects = append(c.machine.Objects, v)
}
