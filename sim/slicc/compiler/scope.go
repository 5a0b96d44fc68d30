package compiler

import (
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// scope is a frame of names. Variables, types and functions have names of
// their own each, as in gem5's compiler.
type scope struct {
	outer *scope
	vars  map[string]*types.Var
	types map[string]*types.Type
	funcs map[string][]*types.Func
}

func (c *checker) push() { c.scope = &scope{outer: c.scope} }

func (c *checker) pop() { c.scope = c.scope.outer }

func (c *checker) declareVar(v *types.Var) *types.Var {
	c.attributes(v.Attrs)
	if old := c.scope.vars[v.Name]; old != nil {
		c.fault(v.Pos, "variable %s is already declared%s", v.Name, at(old.Pos))
		return v
	}
	add(&c.scope.vars, v.Name, v)
	return v
}

func (c *checker) declareType(t *types.Type) {
	c.attributes(t.Attrs)
	if old := c.scope.types[t.Name]; old != nil {
		c.fault(t.Pos, "type %s is already declared%s", t.Name, at(old.Pos))
		return
	}
	add(&c.scope.types, t.Name, t)
}

func (c *checker) declareFunc(f *types.Func) {
	for _, old := range c.scope.funcs[f.Name] {
		if slices.Equal(old.ParamTypes(), f.ParamTypes()) {
			c.fault(f.Pos, "function %s is already declared%s", f.Signature(), at(old.Pos))
			return
		}
	}
	add(&c.scope.funcs, f.Name, append(c.scope.funcs[f.Name], f))
}

// add adds to a map that is made when first needed: most scopes are empty.
func add[V any](names *map[string]V, name string, v V) {
	if *names == nil {
		*names = map[string]V{}
	}
	(*names)[name] = v
}

// at points to an earlier declaration, if it is in the text.
func at(pos syntax.Pos) string {
	if !pos.IsKnown() {
		return ""
	}
	return " at " + pos.String()
}

// findType looks a type up; nil if there is none.
func (c *checker) findType(name string) *types.Type {
	for s := c.scope; s != nil; s = s.outer {
		if t := s.types[name]; t != nil {
			return t
		}
	}
	return nil
}

// variable resolves a variable; nil after reporting a fault.
func (c *checker) variable(id syntax.Ident) *types.Var {
	for s := c.scope; s != nil; s = s.outer {
		if v := s.vars[id.Name]; v != nil {
			return v
		}
	}
	c.fault(id.Pos, "unknown variable %s%s", id.Name, syntax.Suggestion(id.Name, names(c, func(s *scope) map[string]*types.Var { return s.vars })))
	return nil
}

// typeNamed resolves a type; invalid after reporting a fault.
func (c *checker) typeNamed(name syntax.TypeName) *types.Type {
	if t := c.findType(name.Name); t != nil {
		return t
	}
	c.fault(name.Pos, "unknown type %s%s", name.Name, syntax.Suggestion(name.Name, names(c, func(s *scope) map[string]*types.Type { return s.types })))
	return invalid
}

// valueType resolves the type of a variable, which void is not.
func (c *checker) valueType(name syntax.TypeName) *types.Type {
	t := c.typeNamed(name)
	if t.Kind == types.Void {
		c.fault(name.Pos, "a variable cannot be void")
		return invalid
	}
	return t
}

// basic gives a type that the language itself needs, such as bool for
// conditions; invalid after reporting that the protocol does not declare it.
func (c *checker) basic(pos syntax.Pos, name string) *types.Type {
	if t := c.findType(name); t != nil {
		return t
	}
	c.fault(pos, "type %s is not declared", name)
	return invalid
}
