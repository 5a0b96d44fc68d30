package compiler

import (
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// place says what kind of body is checked: some statements and functions
// belong to one kind only.
type place uint8

const (
	inFunction place = iota
	inAction
	inPort
)

// routine is the body being checked: a function, an action or a port.
type routine struct {
	place    place
	owner    any         // the *types.Func, *types.Action or *types.InPort whose body it is
	result   *types.Type // of the function; nil where return is not allowed
	stub     bool        // it is of the file of builtins
	enqueues int         // how many enqueue bodies we are in; no return there
	demands  []types.Demand
}

// body checks the statements of a body in a scope of their own, after declare
// has declared what they see.
func (c *checker) body(r *routine, b *syntax.Block, declare func()) []types.Stmt {
	outer := c.routine
	c.routine = r
	c.push()
	declare()
	var list []types.Stmt
	if b != nil {
		list = c.stmts(b)
	}
	c.pop()
	c.routine = outer
	return list
}

func (c *checker) funcDecl(d *syntax.Func) {
	f := c.function(d, nil)
	c.declareFunc(f)
	if c.machine != nil {
		c.machine.Funcs = append(c.machine.Funcs, f)
	} else {
		c.protocol.Funcs = append(c.protocol.Funcs, f)
	}
}

// method adds a method to a type. Its body sees the fields before it and
// those after it in the text do not.
func (c *checker) method(t *types.Type, d *syntax.Func) {
	f := c.function(d, t)
	for _, old := range t.Methods {
		if old.Name == f.Name && slices.Equal(old.ParamTypes(), f.ParamTypes()) {
			c.fault(f.Pos, "method %s is already declared at %s", f.Signature(), old.Pos)
			return
		}
	}
	t.Methods = append(t.Methods, f)
}

// function checks a function or, with recv, a method. It is declared only
// after its body, so that nothing calls itself.
func (c *checker) function(d *syntax.Func, recv *types.Type) *types.Func {
	f := &types.Func{
		Name: d.Name.Name, Pos: d.Name.Pos, Recv: recv,
		Result: c.typeNamed(d.Result), Defined: d.Body != nil,
	}
	f.Body = c.body(&routine{place: inFunction, owner: f, result: f.Result}, d.Body, func() {
		for i := range d.Params {
			f.Params = append(f.Params, c.param(&d.Params[i]))
		}
	})
	if d.Body == nil {
		c.bindBuiltin(f)
	}
	return f
}

// param declares a parameter. gem5 passes values by constant reference, so
// only pointers and parameters marked '*' or '&' can be assigned to.
func (c *checker) param(d *syntax.Param) *types.Var {
	v := &types.Var{
		Name: d.Name.Name, Kind: types.LocalVar, Type: c.valueType(d.Type),
		Pos: d.Name.Pos, Argument: true, ByRef: d.Qualifier != syntax.ByValue,
	}
	if v.Name == "" {
		v.Pos = d.Type.Pos
	} else {
		c.declareVar(v)
	}
	if d.Default != nil {
		lit := c.expr(d.Default)
		c.assignable(d.Default.Position(), "default", v.Type, lit.Type())
	}
	return v
}

// bindBuiltin finds what implements a function without body. One that is unknown, or
// differs from a known builtin, is a fault only where it is called: see reportMissing.
func (c *checker) bindBuiltin(f *types.Func) {
	params := f.ParamTypes()
	overloads := c.group(f)
	if s := c.stubOf(f); s != nil {
		c.bindStub(f, s, overloads)
		return
	}
	for _, b := range overloads {
		if b.Fits(f.Result, params) {
			f.Builtin = b
			return
		}
	}
	for _, t := range append(params, f.Result) {
		if t.Kind == types.Invalid {
			return
		}
	}
	if len(overloads) > 0 {
		c.warn(f.Pos, "declaration %s %s differs from the builtin %s, nothing may call it", f.Result, f.Signature(), overloads[0])
	}
}
