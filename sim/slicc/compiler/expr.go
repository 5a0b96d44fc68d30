package compiler

import (
	"fmt"
	"strconv"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// expr checks an expression. It is never nil: an expression with a fault
// comes back as types.Bad.
func (c *checker) expr(x syntax.Expr) types.Expr {
	pos := x.Position()
	switch x := x.(type) {
	case *syntax.Name:
		return c.use(x)
	case *syntax.String:
		return c.literal(pos, "std::string", types.Value{Kind: types.StringValue, Str: x.Value})
	case *syntax.Int:
		return c.literal(pos, "int", types.Value{Kind: types.IntValue, Int: x.Value})
	case *syntax.Float:
		return c.float(x)
	case *syntax.Bool:
		return c.literal(pos, "bool", types.Value{Kind: types.BoolValue, Int: truth(x.Value)})
	case *syntax.Null:
		return &types.Const{Node: types.Node{At: pos, Of: null}, Value: types.Value{Kind: types.NullValue}}
	case *syntax.EnumLit:
		return c.enumLit(x)
	case *syntax.Local:
		c.fault(pos, "variable %s must be declared in a statement of its own", x.Name.Name)
		return bad(pos)
	case *syntax.Call:
		return c.call(x)
	case *syntax.MethodCall:
		return c.methodCall(c.expr(x.X), x.Method, x.Args)
	case *syntax.Index:
		return c.methodCall(c.expr(x.X), syntax.Ident{Pos: pos, Name: "lookup"}, x.Args)
	case *syntax.ClassCall:
		return c.classCall(x)
	case *syntax.Member:
		return c.member(x)
	case *syntax.New:
		return c.newObject(x)
	case *syntax.Valid:
		return c.valid(x)
	case *syntax.Cast:
		return c.cast(x)
	case *syntax.Unary:
		return c.unary(x)
	case *syntax.Binary:
		return c.binary(x)
	}
	c.fault(pos, "unknown expression")
	return bad(pos)
}

func (c *checker) literal(pos syntax.Pos, typ string, v types.Value) types.Expr {
	return &types.Const{Node: types.Node{At: pos, Of: c.basic(pos, typ)}, Value: v}
}

// float checks a number with a fraction, which is an int and loses the
// fraction.
func (c *checker) float(x *syntax.Float) types.Expr {
	f, err := strconv.ParseFloat(x.Text, 64)
	if err != nil || f >= 1<<62 {
		c.fault(x.Pos, "number %s is too large", x.Text)
		return bad(x.Pos)
	}
	return c.literal(x.Pos, "int", types.Value{Kind: types.IntValue, Int: int64(f)})
}

func (c *checker) use(x *syntax.Name) types.Expr {
	v := c.variable(syntax.Ident{Pos: x.Pos, Name: x.Name})
	if v == nil {
		return bad(x.Pos)
	}
	return &types.Use{Node: types.Node{At: x.Pos, Of: v.Type}, Var: v}
}

func (c *checker) enumLit(x *syntax.EnumLit) types.Expr {
	t := c.typeNamed(syntax.TypeName{Pos: x.Type.Pos, Name: x.Type.Name})
	if t.Kind == types.Invalid {
		return bad(x.Type.Pos)
	}
	if e := t.Enum(x.Value.Name); e != nil {
		return &types.Const{
			Node:  types.Node{At: x.Type.Pos, Of: t},
			Value: types.Value{Kind: types.EnumValue, Int: int64(e.Ordinal)},
		}
	}
	if t.Kind == types.Enum {
		c.fault(x.Value.Pos, "%s has no value %s%s", t, x.Value.Name, syntax.Suggestion(x.Value.Name, t.EnumNames()))
	} else {
		c.fault(x.Type.Pos, "%s is no enumeration", t)
	}
	return bad(x.Type.Pos)
}

func (c *checker) member(x *syntax.Member) types.Expr {
	obj := c.expr(x.X)
	if isBad(obj) {
		return obj
	}
	f := obj.Type().Field(x.Field.Name)
	if f == nil {
		hint := syntax.Suggestion(x.Field.Name, fields(obj.Type()))
		if hint == "" && obj.Type().Attrs.Has("external") {
			hint = fmt.Sprintf(": say what it is in a file for --builtins, as `structure(%s) { Scalar %s; }`", obj.Type(), x.Field.Name)
		}
		c.fault(x.Field.Pos, "%s has no field %s%s", obj.Type(), x.Field.Name, hint)
		return bad(x.Position())
	}
	return &types.Member{Node: types.Node{At: x.Position(), Of: f.Type}, X: obj, Field: f}
}

func (c *checker) newObject(x *syntax.New) types.Expr {
	t := c.typeNamed(x.Type)
	if t.Kind == types.Invalid {
		return bad(x.Pos)
	}
	if t.Kind != types.Struct || !t.IsPointer() {
		c.fault(x.Type.Pos, "new %s: only cache entries and TBEs are made with new", t)
		return bad(x.Pos)
	}
	return &types.New{Node: types.Node{At: x.Pos, Of: t}}
}

func (c *checker) valid(x *syntax.Valid) types.Expr {
	obj := c.expr(x.X)
	if t := obj.Type(); t.Kind != types.Invalid && !t.IsPointer() && t.Kind != types.Native {
		c.fault(x.X.Position(), "%s is always valid", t)
	}
	return &types.Valid{Node: types.Node{At: x.Pos, Of: c.basic(x.Pos, "bool")}, Not: x.Not, X: obj}
}

// cast checks a conversion. Pointers convert to pointers, simple values to
// simple values, and native types to native types.
func (c *checker) cast(x *syntax.Cast) types.Expr {
	obj, t := c.expr(x.X), c.typeNamed(x.Type)
	if isBad(obj) || t.Kind == types.Invalid {
		return bad(x.Pos)
	}
	if x.Mode != "" && x.Mode != "pointer" && x.Mode != "value" && x.Mode != "ref" {
		c.fault(x.Pos, "the mode of a static_cast is pointer, value or ref, not %q", x.Mode)
	}
	if class(obj.Type()) != class(t) {
		c.fault(x.Pos, "cannot convert %s to %s", obj.Type(), t)
		return bad(x.Pos)
	}
	return &types.Cast{Node: types.Node{At: x.Pos, Of: t}, X: obj}
}

// class groups types that a cast converts among each other.
func class(t *types.Type) int {
	switch {
	case t.IsPointer():
		return 1
	case t.Kind == types.Int, t.Kind == types.Bool, t.Kind == types.Enum:
		return 2
	case t.Kind == types.Native:
		return 3
	}
	return 4 + int(t.Kind)
}

func (c *checker) unary(x *syntax.Unary) types.Expr {
	obj := c.expr(x.X)
	if isBad(obj) {
		return obj
	}
	want := map[syntax.Op]string{syntax.Not: "bool", syntax.Neg: "int", syntax.Inc: "Scalar"}[x.Op]
	if want == "" {
		c.fault(x.Pos, "there is no operator %s", x.Op)
		return bad(x.Pos)
	}
	if obj.Type().Name != want {
		c.fault(x.Pos, "operator %s takes %s, not %s", x.Op, want, obj.Type())
		return bad(x.Pos)
	}
	if x.Op == syntax.Inc {
		c.lvalue(obj)
	}
	return &types.Unary{Node: types.Node{At: x.Pos, Of: obj.Type()}, Op: x.Op, X: obj}
}

// arithmetic lists the operand types of + - * / % and the type of the result.
var arithmetic = map[[2]string]string{
	{"int", "int"}:       "int",
	{"Cycles", "Cycles"}: "Cycles",
	{"Tick", "Tick"}:     "Tick",
	{"Addr", "Addr"}:     "Addr",
	{"Cycles", "int"}:    "Cycles",
	{"Scalar", "int"}:    "Scalar",
	{"int", "bool"}:      "int",
	{"bool", "int"}:      "int",
	{"int", "Cycles"}:    "Cycles",
	{"Addr", "int"}:      "Addr",
	{"int", "Addr"}:      "Addr",
}

// shifts lists the operand types of << and >> and the type of the result.
var shifts = map[[2]string]string{
	{"int", "int"}:    "int",
	{"Cycles", "int"}: "Cycles",
}

func (c *checker) binary(x *syntax.Binary) types.Expr {
	left, right := c.expr(x.Left), c.expr(x.Right)
	result := c.operation(x, left.Type(), right.Type())
	if result == "" {
		return bad(x.Position())
	}
	return &types.Binary{
		Node: types.Node{At: x.Position(), Of: c.basic(x.OpPos, result)},
		Op:   x.Op, Left: left, Right: right,
	}
}

// operation gives the name of the type of a binary operator's result; empty
// after a fault.
func (c *checker) operation(x *syntax.Binary, left, right *types.Type) string {
	if left.Kind == types.Invalid || right.Kind == types.Invalid {
		switch x.Op.Precedence() {
		case 1, 2, 3, 4:
			return "bool" // whatever the operands are
		}
		return ""
	}
	result, ok := "", false
	switch x.Op {
	case syntax.And, syntax.Or:
		result, ok = "bool", left.Kind == types.Bool && right.Kind == types.Bool
	case syntax.Eq, syntax.Ne:
		result, ok = "bool", comparable(left, right) && left.Kind != types.Void &&
			(left.Kind != types.Struct || left.IsPointer())
	case syntax.Lt, syntax.Gt, syntax.Le, syntax.Ge:
		result, ok = "bool", comparable(left, right) && (left.Kind == types.Int || left.Kind == types.Enum)
	case syntax.Shl, syntax.Shr:
		result, ok = shifts[[2]string{left.Name, right.Name}]
	default:
		result, ok = arithmetic[[2]string{left.Name, right.Name}]
	}
	if !ok {
		c.fault(x.OpPos, "operator %s does not take %s and %s", x.Op, left, right)
		return ""
	}
	return result
}

// comparable reports whether values can be compared: the types are the same,
// or an address and an int, or a pointer and OOD.
func comparable(left, right *types.Type) bool {
	return left == right ||
		left.Name == "Addr" && right.Name == "int" || left.Name == "int" && right.Name == "Addr" ||
		left.Kind == types.Null && right.IsPointer() || left.IsPointer() && right.Kind == types.Null
}

// assignable demands that a value of type from can be given to a variable of
// type to: the types are the same, or from is the interface that to
// implements, or it is OOD and to a pointer, or a Set becomes a NetDest. verb
// names the operation in the message.
func (c *checker) assignable(pos syntax.Pos, verb string, to, from *types.Type) {
	switch {
	case to.Kind == types.Invalid || from.Kind == types.Invalid:
	case from.Kind == types.Void:
		c.fault(pos, "cannot %s the result of a void function", verb)
	case to == from,
		to.Interface != "" && to.Interface == from.Name,
		from.Kind == types.Null && to.IsPointer(),
		from.Name == "Set" && to.Name == "NetDest":
	default:
		c.fault(pos, "cannot %s %s to %s", verb, from, to)
	}
}
