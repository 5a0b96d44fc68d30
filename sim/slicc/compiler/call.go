package compiler

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

func (c *checker) args(list []syntax.Expr) (args []types.Expr, ok bool) {
	ok = true
	for _, x := range list {
		arg := c.expr(x)
		if arg.Type().Kind == types.Void {
			c.fault(x.Position(), "the result of a void function cannot be an argument")
			arg = bad(x.Position())
		}
		ok = ok && !isBad(arg)
		args = append(args, arg)
	}
	return args, ok
}

// call checks the call of a function. It is resolved as in gem5: by its name
// and the exact types of the arguments, the innermost declaration first.
func (c *checker) call(x *syntax.Call) types.Expr {
	name, pos := x.Func.Name, x.Func.Pos
	if isComment(name) || name == "trigger" || name == "stallPort" {
		c.fault(pos, "%s is a statement and has no value", name)
		return bad(pos)
	}
	args, ok := c.args(x.Args)
	var candidates []*types.Func
	for s := c.scope; s != nil; s = s.outer {
		candidates = append(candidates, s.funcs[name]...)
	}
	candidates = c.declared(nil, name, candidates)
	if len(candidates) == 0 {
		if this := c.routineThis(); this != nil {
			if methods := c.declared(this.Type, name, methodsOf(this.Type, name)); len(methods) > 0 {
				obj := &types.Use{Node: types.Node{At: pos, Of: this.Type}, Var: this}
				return c.resolveMethod(pos, obj, this.Type, x.Func, args, ok, methods)
			}
		}
		hint := syntax.Suggestion(name, names(c, func(s *scope) map[string][]*types.Func { return s.funcs }))
		if known := types.Builtins("", name); hint == "" && len(known) > 0 {
			hint = fmt.Sprintf("; gem5 has it: declare it, or add `%s as %s;` to a file for --builtins", known[len(known)-1], name)
		} else if ok {
			hint += fmt.Sprintf("; a file for --builtins may add it, as `TYPE %s(%s) returns VALUE;`", name, types.TypeList(typesOf(args)))
		}
		c.fault(pos, "unknown function %s%s", name, hint)
		return bad(pos)
	}
	if !ok {
		return badResult(pos, candidates)
	}
	f := match(candidates, args, same)
	if f == nil {
		c.noMatch(pos, name, args, candidates)
		return badResult(pos, candidates)
	}
	return c.calling(types.Node{At: pos, Of: f.Result}, nil, f, args)
}

func typesOf(args []types.Expr) []*types.Type {
	list := make([]*types.Type, len(args))
	for i, arg := range args {
		list[i] = arg.Type()
	}
	return list
}

// badResult stands for a call with a fault. When every candidate has the same
// result, the fault does not hide what is wrong with the use of it.
func badResult(pos syntax.Pos, candidates []*types.Func) types.Expr {
	result := candidates[0].Result
	for _, f := range candidates[1:] {
		if f.Result != result {
			return bad(pos)
		}
	}
	return &types.Bad{Node: types.Node{At: pos, Of: result}}
}

// match finds the first function whose parameters fit the arguments.
func match(candidates []*types.Func, args []types.Expr, fit func(param, arg *types.Type) bool) *types.Func {
next:
	for _, f := range candidates {
		if len(f.Params) != len(args) {
			continue
		}
		for i, arg := range args {
			if !fit(f.Params[i].Type, arg.Type()) {
				continue next
			}
		}
		return f
	}
	return nil
}

// same is the rule of overloading: the types are the same, as two declarations of one
// class of C++ are. OOD fits every pointer.
func same(param, arg *types.Type) bool {
	return param == arg || arg.Kind == types.Null && param.IsPointer() ||
		param.Kind == types.Native && arg.Kind == types.Native && param.CName() == arg.CName()
}

// implements is the second rule, for methods only: every argument's type that
// has an interface counts as that interface.
func implements(param, arg *types.Type) bool {
	if arg.Interface != "" {
		return arg.Interface == param.Name
	}
	return same(param, arg)
}

func (c *checker) noMatch(pos syntax.Pos, name string, args []types.Expr, candidates []*types.Func) {
	list := typesOf(args)
	var have []string
	for _, f := range candidates[:min(len(candidates), 4)] {
		have = append(have, f.Signature())
	}
	if len(candidates) > 4 {
		have = append(have, "…")
	}
	for _, f := range candidates {
		if slices.ContainsFunc(f.Params, func(p *types.Var) bool { return p.Type.Kind == types.Invalid }) {
			return // the fault is in its declaration
		}
	}
	hint := ""
	if f := candidates[0]; len(c.group(f)) > 0 && slices.ContainsFunc(c.group(f), func(b *types.Builtin) bool { return b.Fits(f.Result, list) }) {
		hint = fmt.Sprintf("; gem5 has it: a file for --builtins may add `%s %s(%s) as %s;`", f.Result, name, types.TypeList(list), f.Name)
	}
	c.fault(pos, "no function %s(%s), there is %s%s", name, types.TypeList(list), strings.Join(have, ", "), hint)
}

// group are gem5's builtins of the name and the object of a function.
func (c *checker) group(f *types.Func) []*types.Builtin {
	if f.Recv == nil {
		return types.Builtins("", f.Name)
	}
	if f.Recv.IsEntry() {
		return types.Builtins("AbstractCacheEntry", f.Name)
	}
	return types.Builtins(f.Recv.Name, f.Name)
}

// routineThis is the object that the method of a file of builtins works on; nil elsewhere.
func (c *checker) routineThis() *types.Var {
	for s := c.scope; s != nil; s = s.outer {
		if v := s.vars["this"]; v != nil {
			return v
		}
	}
	return nil
}

// transitionOnly are the builtins that change what a transition works on.
var transitionOnly = map[string]bool{
	"set_tbe": true, "unset_tbe": true, "set_cache_entry": true, "unset_cache_entry": true,
}

// calling is the call of a function, or of what stands for it.
func (c *checker) calling(at types.Node, obj types.Expr, f *types.Func, args []types.Expr) types.Expr {
	if f.Recv == nil && transitionOnly[f.Name] && !f.Supplied && (c.routine == nil || c.routine.place != inAction) {
		c.fault(at.At, "%s is possible in an action only", f.Name)
	}
	if f.Supplied {
		return c.supply(at.At, obj, f, args)
	}
	if c.routine != nil {
		c.calls.add(c.routine.owner, f, at.At)
	}
	return &types.Call{Node: at, X: obj, Func: f, Args: args}
}

// methodCall checks the call of a method. A type also has the methods of the
// interface it implements.
func (c *checker) methodCall(obj types.Expr, name syntax.Ident, list []syntax.Expr) types.Expr {
	args, ok := c.args(list)
	if isBad(obj) {
		return obj
	}
	var candidates []*types.Func
	for t := obj.Type(); t != nil; t = t.Super {
		candidates = append(candidates, methodsOf(t, name.Name)...)
	}
	return c.resolveMethod(obj.Pos(), obj, obj.Type(), name, args, ok, c.declared(obj.Type(), name.Name, candidates))
}

func (c *checker) classCall(x *syntax.ClassCall) types.Expr {
	t := c.typeNamed(x.Type)
	args, ok := c.args(x.Args)
	if t.Kind == types.Invalid {
		return bad(x.Type.Pos)
	}
	return c.resolveMethod(x.Type.Pos, nil, t, x.Method, args, ok, methodsOf(t, x.Method.Name))
}

func methodsOf(t *types.Type, name string) []*types.Func {
	var list []*types.Func
	for _, f := range t.Methods {
		if f.Name == name {
			list = append(list, f)
		}
	}
	return list
}

func (c *checker) resolveMethod(pos syntax.Pos, obj types.Expr, t *types.Type, name syntax.Ident,
	args []types.Expr, ok bool, candidates []*types.Func) types.Expr {
	if len(candidates) == 0 {
		c.fault(name.Pos, "%s has no method %s%s", t, name.Name, syntax.Suggestion(name.Name, methods(t)))
		return bad(pos)
	}
	if !ok {
		return badResult(pos, candidates)
	}
	f := match(candidates, args, same)
	if f == nil {
		f = match(candidates, args, implements)
	}
	if f == nil {
		c.noMatch(name.Pos, t.Name+"."+name.Name, args, candidates)
		return badResult(pos, candidates)
	}
	call := c.calling(types.Node{At: name.Pos, Of: f.Result}, obj, f, args)
	if call, ok := call.(*types.Call); ok {
		call.At = pos
	}
	return call
}

// portCall checks trigger(event, addr[, entry][, tbe]) and stallPort(), which
// only the body of an in_port has.
func (c *checker) portCall(at types.Place, x *syntax.Call) types.Stmt {
	if c.routine.place != inPort {
		c.fault(x.Func.Pos, "%s is possible in the body of an in_port only", x.Func.Name)
		return nil
	}
	args, ok := c.args(x.Args)
	m := c.machine
	if x.Func.Name == "stallPort" {
		if len(args) > 0 {
			c.fault(x.Func.Pos, "stallPort takes no arguments")
		}
		return nil
	}
	if m.Event == nil || !ok {
		return nil // reported already
	}
	want := []*types.Type{m.Event, c.basic(x.Func.Pos, "Addr")}
	if m.Entry != nil {
		want = append(want, m.Entry)
	}
	if m.TBE != nil {
		want = append(want, m.TBE)
	}
	trigger := &types.Func{Name: "trigger"}
	for _, t := range want {
		trigger.Params = append(trigger.Params, &types.Var{Type: t})
	}
	if match([]*types.Func{trigger}, args, same) == nil {
		c.noMatch(x.Func.Pos, "trigger", args, []*types.Func{trigger})
		return nil
	}
	s := &types.Trigger{Place: at, Event: args[0], Addr: args[1]}
	rest := args[2:]
	if m.Entry != nil {
		s.Entry, rest = rest[0], rest[1:]
	}
	if m.TBE != nil {
		s.TBE = rest[0]
	}
	return s
}
