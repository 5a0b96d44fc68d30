package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// A stub is a function of the file of builtins, see syntax.ParseBuiltins. It is
// checked where it is called, with what is declared there.
type stub struct {
	decl *syntax.Func
	used bool
	open bool // the body is being checked
}

// instance is a function as it is called on one object: a method of an object of the
// machine works on that object alone, which its body calls this.
type instance struct {
	declared *types.Func
	this     *types.Var
	machine  *machine
}

// readStubs takes the declarations of the file of builtins.
func (c *checker) readStubs(file *syntax.File) {
	if file == nil {
		return
	}
	add := func(class syntax.Ident, d *syntax.Func) {
		d.Class = class
		key := class.Name + "." + d.Name.Name
		for _, old := range c.stubs[key] {
			if slices.Equal(typeNames(old.decl), typeNames(d)) {
				c.fault(d.Name.Pos, "%s is already declared at %s", stubName(d), old.decl.Name.Pos)
				return
			}
		}
		c.stubs[key] = append(c.stubs[key], &stub{decl: d})
		c.order = append(c.order, key)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *syntax.Func:
			add(d.Class, d)
		case *syntax.Struct:
			if c.classes[d.Name.Name] != nil {
				c.fault(d.Name.Pos, "structure %s is already declared at %s", d.Name.Name, c.classes[d.Name.Name].Name.Pos)
			}
			c.classes[d.Name.Name] = d
			for _, m := range d.Members {
				if f, ok := m.(*syntax.Func); ok {
					add(syntax.Ident(d.Name), f)
				}
			}
		}
	}
}

func typeNames(d *syntax.Func) []string {
	names := make([]string, len(d.Params))
	for i := range d.Params {
		names[i] = d.Params[i].Type.Name
	}
	return names
}

func stubName(d *syntax.Func) string {
	if d.Class.Name == "" {
		return d.Name.Name
	}
	return d.Class.Name + "." + d.Name.Name
}

// stubOf finds what stands for a function that is declared without a body; nil if
// nothing does.
func (c *checker) stubOf(f *types.Func) *stub {
	recv := ""
	if f.Recv != nil {
		recv = f.Recv.Name
	}
	for _, s := range c.stubs[recv+"."+f.Name] {
		if s.decl.Result.Name == f.Result.Name && slices.EqualFunc(typeNames(s.decl), f.Params, func(name string, v *types.Var) bool { return name == v.Type.Name }) {
			s.used = true
			return s
		}
	}
	return nil
}

// declared adds the functions of the file of builtins that the protocol does not declare to
// those of a name, where what they take is known.
func (c *checker) declared(recv *types.Type, name string, have []*types.Func) []*types.Func {
	class := ""
	if recv != nil {
		class = recv.Name
	}
	for _, s := range c.stubs[class+"."+name] {
		if s.used || s.open {
			continue
		}
		f := &types.Func{Name: name, Pos: s.decl.Name.Pos, Recv: recv, Result: c.findType(s.decl.Result.Name)}
		known := f.Result != nil
		for _, p := range s.decl.Params {
			t := c.findType(p.Type.Name)
			known = known && t != nil
			f.Params = append(f.Params, &types.Var{Name: p.Name.Name, Kind: types.LocalVar, Type: t, Argument: true})
		}
		if !known || slices.ContainsFunc(have, func(old *types.Func) bool { return slices.Equal(old.ParamTypes(), f.ParamTypes()) }) {
			continue
		}
		s.used = true
		c.bindStub(f, s, nil)
		if have = append(have, f); recv != nil {
			recv.Methods = append(recv.Methods, f)
		} else {
			add(&c.global.funcs, name, append(c.global.funcs[name], f))
		}
	}
	return have
}

// bindStub has a stub stand for a function, and warns where it hides what the function
// does in gem5.
func (c *checker) bindStub(f *types.Func, s *stub, overloads []*types.Builtin) {
	f.Supplied = true
	c.bound[f] = s
	c.protocol.Stubs = append(c.protocol.Stubs, f.Signature())
	if i := slices.IndexFunc(overloads, func(b *types.Builtin) bool { return !b.Const }); i >= 0 && s.decl.As.Name == "" && !calls(s.decl.Body, f.Name) {
		c.warn(s.decl.Name.Pos, "%s stands for a function with side effects, which it does not have: gem5's %s changes the machine", stubName(s.decl), overloads[i])
	}
}

// calls reports whether a body calls a function or method of a name.
func calls(b *syntax.Block, name string) bool {
	found := false
	var look func(x syntax.Expr)
	look = func(x syntax.Expr) {
		switch x := x.(type) {
		case *syntax.Call:
			found = found || x.Func.Name == name
		case *syntax.MethodCall:
			found = found || x.Method.Name == name
		}
		for _, inner := range syntax.Operands(x) {
			look(inner)
		}
	}
	for s := range b.All() {
		switch s := s.(type) {
		case *syntax.ExprStmt:
			look(s.X)
		case *syntax.Assign:
			look(s.Right)
		case *syntax.Return:
			look(s.X)
		case *syntax.If:
			look(s.Cond)
		}
	}
	return found
}

// classFields are the fields that the file of builtins gives a class of C++.
func (c *checker) classFields(name string) []syntax.Decl {
	class := c.classes[name]
	if class == nil {
		return nil
	}
	delete(c.classes, name)
	return slices.DeleteFunc(slices.Clone(class.Members), func(d syntax.Decl) bool {
		_, field := d.(*syntax.Object)
		return !field
	})
}

// unusedStubs warns of those that stand for nothing.
func (c *checker) unusedStubs() {
	for _, name := range slices.Sorted(maps.Keys(c.classes)) {
		c.warn(c.classes[name].Name.Pos, "structure %s stands for nothing: the protocol declares no such type", name)
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(c.order))) {
		for _, s := range c.stubs[key] {
			if !s.used {
				c.warn(s.decl.Name.Pos, "%s(%s) with result %s stands for nothing: the protocol declares no such function without a body",
					stubName(s.decl), strings.Join(typeNames(s.decl), ", "), s.decl.Result.Name)
			}
		}
	}
}

// supply is the call of a function that a stub stands for.
func (c *checker) supply(pos syntax.Pos, obj types.Expr, f *types.Func, args []types.Expr) types.Expr {
	s := c.bound[f]
	if s.open {
		c.fault(pos, "%s calls itself, here: functions of SLICC cannot", stubName(s.decl))
		return &types.Bad{Node: types.Node{At: pos, Of: f.Result}}
	}
	s.open = true
	defer func() { s.open = false }()
	at := types.Node{At: pos, Of: f.Result}
	if s.decl.As.Name != "" {
		return c.same(at, obj, f, s, args)
	}
	call := c.instance(f, s, obj)
	switch {
	case len(call.Params) == 0: // they have no names
		args = nil
	case len(call.Params) > len(args):
		args = append([]types.Expr{obj}, args...)
	}
	if c.routine != nil {
		c.calls.add(c.routine.owner, call, pos)
	}
	return &types.Call{Node: at, Func: call, Args: args}
}

// same is the call of the function that does the same as f: of its name, with as many of
// the arguments as it can take.
func (c *checker) same(at types.Node, obj types.Expr, f *types.Func, s *stub, args []types.Expr) types.Expr {
	var candidates []*types.Func
	if f.Recv == nil {
		for scope := c.scope; scope != nil; scope = scope.outer {
			candidates = append(candidates, scope.funcs[s.decl.As.Name]...)
		}
	} else {
		for t := f.Recv; t != nil; t = t.Super {
			candidates = append(candidates, methodsOf(t, s.decl.As.Name)...)
		}
	}
	recv := ""
	if f.Recv != nil {
		recv = f.Recv.Name
	}
	for _, b := range types.Builtins(recv, s.decl.As.Name) { // gem5 has them, declared or not
		if other := c.undeclared(b, f); other != nil {
			candidates = append(candidates, other)
		}
	}
	var best *types.Func
	var passed []types.Expr
	for _, other := range candidates {
		list, ok := pick(other, args)
		if ok && other != f && other.Result == f.Result && (other.Defined || other.Builtin != nil || other.Supplied) && (best == nil || len(list) > len(passed)) {
			best, passed = other, list
		}
	}
	if best == nil {
		c.fault(s.decl.As.Pos, "%s as %s: no %s with result %s takes some of its arguments in their order", f.Signature(), s.decl.As.Name, s.decl.As.Name, f.Result)
		return &types.Bad{Node: at}
	}
	return c.calling(at, obj, best, passed)
}

// undeclared is the declaration of a builtin of gem5, with the result and the object of
// another function; nil where the protocol does not know its types.
func (c *checker) undeclared(b *types.Builtin, like *types.Func) *types.Func {
	f := &types.Func{Name: b.Name, Pos: like.Pos, Recv: like.Recv, Result: like.Result, Builtin: b}
	for _, name := range b.Params {
		t := c.findType(name)
		if t == nil {
			return nil
		}
		f.Params = append(f.Params, &types.Var{Kind: types.LocalVar, Type: t, Argument: true})
	}
	if !b.Fits(f.Result, f.ParamTypes()) {
		return nil
	}
	return f
}

// pick takes those of a list of arguments that a function has parameters for, in
// their order.
func pick(f *types.Func, args []types.Expr) (list []types.Expr, ok bool) {
	for _, arg := range args {
		if len(list) < len(f.Params) && (same(f.Params[len(list)].Type, arg.Type()) || implements(f.Params[len(list)].Type, arg.Type())) {
			list = append(list, arg)
		}
	}
	return list, len(list) == len(f.Params)
}

// instance is the function that a stub with a body gives. What the body calls this is
// the object itself, for an object of the machine, and else its value.
func (c *checker) instance(f *types.Func, s *stub, obj types.Expr) *types.Func {
	key := instance{declared: f, machine: c.machine}
	if use, ok := obj.(*types.Use); ok && (use.Var.Kind == types.ParamVar || use.Var.Kind == types.ObjectVar) {
		key.this = use.Var
	}
	if made := c.instances[key]; made != nil {
		return made
	}
	made := &types.Func{Name: f.Name, Pos: s.decl.Name.Pos, Result: f.Result, Defined: true}
	outer := c.scope
	defer func() { c.scope = outer }()
	if c.scope = c.global; c.machine != nil {
		c.scope = c.machine.scope
	}
	made.Body = c.body(&routine{place: inFunction, owner: made, stub: true, result: f.Result}, s.decl.Body, func() {
		if named := len(s.decl.Params) > 0 && s.decl.Params[0].Name.Name != ""; obj != nil && key.this == nil && named {
			this := &types.Var{Name: "this", Kind: types.LocalVar, Type: f.Recv, Argument: true}
			made.Params = append(made.Params, c.declareVar(this))
		} else if key.this != nil {
			add(&c.scope.vars, "this", key.this)
		}
		for i := range s.decl.Params {
			if s.decl.Params[i].Name.Name != "" {
				made.Params = append(made.Params, c.param(&s.decl.Params[i]))
			}
		}
	})
	if f.Result.Kind != types.Void && !returns(made.Body) {
		c.fault(s.decl.Name.Pos, "%s does not return a value", stubName(s.decl))
	}
	if c.instances == nil {
		c.instances = map[instance]*types.Func{}
	}
	c.instances[key] = made
	return made
}

// returns reports whether a body ends with a return, in each branch of a last if.
func returns(body []types.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch last := body[len(body)-1].(type) {
	case *types.Return:
		return true
	case *types.If:
		return returns(last.Then) && returns(last.Else)
	case *types.Eval:
		call, ok := last.X.(*types.Call)
		return ok && call.Func.Name == "error"
	}
	return false
}

// takesSome reports whether a builtin takes some of what a function takes, in the same order,
// and has the same result.
func takesSome(b *types.Builtin, f *types.Func) bool {
	left := f.ParamTypes()
	for _, name := range b.Params {
		i := slices.IndexFunc(left, func(t *types.Type) bool { return name == types.AnyType || t.Name == name })
		if i < 0 {
			return false
		}
		left = left[i+1:]
	}
	return b.Result == types.AnyType || b.Result == f.Result.Name
}

// example is a stub to start from for a function that nothing implements.
func (c *checker) example(f *types.Func) string {
	declaration := fmt.Sprintf("%s %s", f.Result, f.Signature())
	switch {
	case slices.ContainsFunc(c.group(f), func(b *types.Builtin) bool { return takesSome(b, f) }):
		return declaration + " as " + f.Name + ";"
	case f.Result.Kind == types.Void:
		return declaration + " does nothing;"
	case f.Result.IsPointer():
		return declaration + " returns OOD;"
	case f.Result.Kind == types.Bool:
		return declaration + " returns false;"
	case f.Result.Kind == types.Int:
		return declaration + " returns 0;"
	case f.Result.Kind == types.Enum && len(f.Result.Enums) > 0:
		return fmt.Sprintf("%s returns %s:%s;", declaration, f.Result, f.Result.Enums[0].Name)
	}
	return fmt.Sprintf("%s { %s result; return result; }", declaration, f.Result)
}
