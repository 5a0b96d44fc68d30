package compiler

import (
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// maxCells is how many simple values one structure may hold, fields of fields
// included.
const maxCells = 10_000

const maxEnumerators = 10_000

// nativeKinds are the native types whose values are simple.
var nativeKinds = map[string]types.Kind{
	"int": types.Int, "uint32_t": types.Int, "uint64_t": types.Int,
	"Addr": types.Int, "Cycles": types.Int, "Tick": types.Int,
	"NodeID": types.Int, "RequestorID": types.Int, "Scalar": types.Int, "float": types.Int, "double": types.Int,
	"bool": types.Bool, "std::string": types.String,
}

// zeroValues are the kinds of the values that variables of simple types start
// with.
var zeroValues = map[types.Kind]types.ValueKind{
	types.Int: types.IntValue, types.Bool: types.BoolValue, types.String: types.StringValue,
}

func (c *checker) newType(name syntax.TypeName, attrs syntax.Pairs, kind types.Kind) *types.Type {
	t := &types.Type{
		Name: name.Name, Machine: c.machineOrNil(), Pos: name.Pos, Kind: kind,
		Attrs: attrs, Cells: 1,
	}
	t.Interface, _ = attrs.Get("interface")
	if t.Interface != "" && t.Interface != t.Name {
		t.Super = c.findType(t.Interface)
	}
	c.declareType(t)
	if c.machine != nil {
		c.machine.Types = append(c.machine.Types, t)
	} else {
		c.protocol.Types = append(c.protocol.Types, t)
	}
	return t
}

func (c *checker) structDecl(d *syntax.Struct) {
	kind := types.Struct
	members := slices.Concat(c.classFields(d.Name.Name), d.Members)
	if simple, ok := nativeKinds[d.Name.Name]; ok {
		kind = simple
	} else if (d.Kind == syntax.ExternalType || d.Pairs.Has("external")) && !hasFields(members) {
		kind = types.Native
	}
	t := c.newType(d.Name, d.Pairs, kind)
	t.Default = c.typeDefault(t)
	if c.machine != nil {
		c.roleOf(t)
	}
	c.push()
	defer c.pop()
	for _, m := range members {
		switch m := m.(type) {
		case *syntax.Object:
			c.field(t, m, d.Kind == syntax.Global)
		case *syntax.Func:
			c.method(t, m)
		}
	}
}

func hasFields(members []syntax.Decl) bool {
	return slices.ContainsFunc(members, func(m syntax.Decl) bool {
		_, ok := m.(*syntax.Object)
		return ok
	})
}

// roleOf makes a structure the machine's TBE or main entry, if it is one.
func (c *checker) roleOf(t *types.Type) {
	m := c.machine
	main, given := t.Attrs.Get("main")
	switch {
	case t.IsTBE():
		if m.TBE == nil { // a second one is already reported as declared twice
			m.TBE = t
		}
	case t.Interface == "AbstractCacheEntry" && !(given && (main == "false" || main == "False")):
		if m.Entry != nil {
			c.fault(t.Pos, "machine %s has two main entries, %s and %s; mark one with main=\"false\"",
				m.Name, m.Entry.Name, t.Name)
			return
		}
		m.Entry = t
	}
}

// typeDefault is what variables of a type start with. A text that gem5's C++
// compiler would refuse is no fault as long as no field needs it, and gem5's
// own types have some; it counts as unset.
func (c *checker) typeDefault(t *types.Type) types.Value {
	if pair := t.Attrs.Find("default"); pair != nil {
		v, ok := types.ParseDefault(pair.Value, t)
		if !ok {
			c.warn(pair.Pos, "default %q is no value of %s%s", pair.Value, t, defaultHint(pair.Value, t))
		}
		return v
	}
	switch {
	case t.Kind == types.Enum:
		return types.Value{Kind: types.EnumValue, Int: int64(len(t.Enums))}
	case t.IsPointer():
		return types.Value{Kind: types.NullValue}
	}
	return types.Value{Kind: zeroValues[t.Kind]}
}

// defaultHint suggests a default in the place of one that is no value of t.
func defaultHint(value string, t *types.Type) string {
	var known []string
	if t.Kind == types.Enum {
		prefix, _, _ := strings.Cut(value, "_")
		for _, name := range t.EnumNames() {
			known = append(known, prefix+"_"+t.Name+"_"+name, t.Name+"_"+name)
		}
	}
	return syntax.Suggestion(value, known)
}

// defaultOf is what a variable of type t starts with: its own attribute
// default, or the type's.
func (c *checker) defaultOf(attrs syntax.Pairs, t *types.Type) types.Value {
	pair := attrs.Find("default")
	if pair == nil || t.Kind == types.Invalid {
		return t.Default
	}
	v, ok := types.ParseDefault(pair.Value, t)
	if !ok {
		c.fault(pair.Pos, "default %q is no value of %s%s", pair.Value, t, defaultHint(pair.Value, t))
	}
	return v
}

// field adds a data member, which methods of the type see as a variable.
func (c *checker) field(t *types.Type, d *syntax.Object, global bool) {
	typ := c.valueType(d.Type)
	if typ == t {
		c.fault(d.Type.Pos, "structure %s contains itself", t)
		typ = invalid
	}
	f := &types.Field{
		Name: d.Name.Name, Pos: d.Name.Pos, Type: typ, Default: c.defaultOf(d.Pairs, typ),
	}
	if d.Init != nil {
		if !global {
			c.fault(d.Init.Position(), "only fields of a global structure have a value")
		} else {
			f.Init = c.expr(d.Init)
			c.assignable(d.Init.Position(), "initialize", typ, f.Init.Type())
		}
	}
	c.declareVar(&types.Var{Name: f.Name, Kind: types.FieldVar, Type: typ, Pos: f.Pos, Attrs: d.Pairs})
	t.Fields = append(t.Fields, f)
	if typ.IsPointer() {
		t.Cells++
	} else {
		t.Cells += typ.Cells
	}
	if t.Cells > maxCells && t.Cells-typ.Cells <= maxCells {
		c.fault(f.Pos, "structure %s holds more than %d values", t, maxCells)
	}
}

func (c *checker) enumDecl(d *syntax.Enum) {
	t := c.newType(d.Name, d.Pairs, types.Enum)
	if t.Name == "State" {
		c.fault(d.Pos, "states are declared with state_declaration, not with enumeration")
	}
	for _, v := range d.Values {
		c.enumerator(t, v.Name, -1, v.Pairs)
	}
	t.Default = c.typeDefault(t)
	c.implicitFunc(t, "to_string", "std::string")
	if t.Name != "Event" && t.Name != "RequestType" {
		return
	}
	switch {
	case c.machine == nil:
		c.fault(d.Pos, "enumeration %s outside of a machine", t)
	case t.Name == "Event":
		c.machine.Event = t
	default:
		c.machine.RequestTypes = t
	}
}

func (c *checker) stateDecl(d *syntax.StateDecl) {
	t := c.newType(d.Name, d.Pairs, types.Enum)
	permissions := c.basic(d.Pos, "AccessPermission")
	for _, s := range d.States {
		permission := -1
		if s.Permission.Type.Name != "AccessPermission" {
			c.fault(s.Permission.Type.Pos, "state %s needs an AccessPermission, not %s",
				s.Name.Name, s.Permission.Type.Name)
		} else if e := permissions.Enum(s.Permission.Value.Name); e != nil {
			permission = e.Ordinal
		} else if permissions.Kind != types.Invalid {
			c.fault(s.Permission.Value.Pos, "AccessPermission has no value %s%s", s.Permission.Value.Name,
				syntax.Suggestion(s.Permission.Value.Name, permissions.EnumNames()))
		}
		c.enumerator(t, s.Name, permission, s.Pairs)
	}
	t.Default = c.typeDefault(t)
	c.implicitFunc(t, "to_string", "std::string")
	c.implicitFunc(t, "to_permission", "AccessPermission")
	switch {
	case t.Name != "State":
		c.fault(d.Name.Pos, "the states' type must be State, not %s", t)
	case c.machine == nil:
		c.fault(d.Pos, "state_declaration outside of a machine")
	default:
		c.machine.State = t
	}
}

func (c *checker) enumerator(t *types.Type, name syntax.Ident, permission int, attrs syntax.Pairs) {
	if old := t.Enum(name.Name); old != nil {
		c.fault(name.Pos, "%s:%s is already declared at %s", t, name.Name, old.Pos)
		return
	}
	if len(t.Enums) == maxEnumerators {
		c.fault(name.Pos, "enumeration %s has more than %d values", t, maxEnumerators)
	}
	if len(t.Enums) >= maxEnumerators {
		return
	}
	t.Enums = append(t.Enums, &types.Enumerator{
		Name: name.Name, Pos: name.Pos, Ordinal: len(t.Enums), Permission: permission, Attrs: attrs,
	})
}

// implicitFunc declares a function that every enumeration has. A protocol
// that does not declare the result's type cannot call it.
func (c *checker) implicitFunc(t *types.Type, builtin, result string) {
	typ := c.findType(result)
	if typ == nil {
		return
	}
	c.declareFunc(&types.Func{
		Name: t.CName() + "_" + builtin, Pos: t.Pos,
		Params: []*types.Var{{Name: "value", Kind: types.LocalVar, Type: t, Argument: true}},
		Result: typ, Builtin: types.Builtins("", builtin)[0], Enum: t,
	})
}
