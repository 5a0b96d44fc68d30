package compiler

import (
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

// declareVar adds a variable to the innermost scope.
func (c *checker) declareVar(v *types.Var) {
	if old := c.scope.vars[v.Name]; old != nil {
		c.fault(v.Pos, "variable %s is already declared%s", v.Name, at(old.Pos))
		return
	}
	if c.scope.vars == nil {
		c.scope.vars = map[string]*types.Var{}
	}
	c.scope.vars[v.Name] = v
}

// declareType adds a type to the innermost scope.
func (c *checker) declareType(t *types.Type) {
	if old := c.scope.types[t.Name]; old != nil {
		c.fault(t.Pos, "type %s is already declared%s", t.Name, at(old.Pos))
		return
	}
	if c.scope.types == nil {
		c.scope.types = map[string]*types.Type{}
	}
	c.scope.types[t.Name] = t
}

// declareFunc adds a function to the given scope.
func (c *checker) declareFunc(s *scope, f *types.Func) {
	for _, old := range s.funcs[f.Name] {
		if sameParams(old, f) {
			c.fault(f.Pos, "function %s is already declared%s", f.Signature(), at(old.Pos))
			return
		}
	}
	if s.funcs == nil {
		s.funcs = map[string][]*types.Func{}
	}
	s.funcs[f.Name] = append(s.funcs[f.Name], f)
}

// at points to an earlier declaration, if it is in the text.
func at(pos syntax.Pos) string {
	if !pos.IsKnown() {
		return ""
	}
	return " at " + pos.String()
}

func sameParams(f, g *types.Func) bool {
	if len(f.Params) != len(g.Params) {
		return false
	}
	for i := range f.Params {
		if f.Params[i].Type != g.Params[i].Type {
			return false
		}
	}
	return true
}

// findVar looks a variable up; nil if there is none.
func (c *checker) findVar(name string) *types.Var {
	for s := c.scope; s != nil; s = s.outer {
		if v := s.vars[name]; v != nil {
			return v
		}
	}
	return nil
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
	v := c.findVar(id.Name)
	if v == nil {
		c.fault(id.Pos, "unknown variable %s", id.Name)
	}
	return v
}

// typeNamed resolves a type; invalid after reporting a fault.
func (c *checker) typeNamed(name syntax.TypeName) *types.Type {
	if t := c.findType(name.Name); t != nil {
		return t
	}
	c.fault(name.Pos, "unknown type %s", name.Name)
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

// native declares a type that needs no declaration.
func (c *checker) native(name string, kind types.Kind) {
	c.declareType(&types.Type{Name: name, Kind: kind})
}
