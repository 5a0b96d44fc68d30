package compiler

import (
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// callGraph has the calls of the protocol's functions by the bodies that they are in: of
// functions, actions and in_ports.
type callGraph map[any][]calledAt

type calledAt struct {
	function *types.Func
	pos      syntax.Pos
}

func (g *callGraph) add(owner any, f *types.Func, pos syntax.Pos) {
	if f.Builtin != nil {
		return
	}
	if *g == nil {
		*g = callGraph{}
	}
	(*g)[owner] = append((*g)[owner], calledAt{f, pos})
}

// byRuntime are the functions that the simulator calls.
var byRuntime = []string{
	"getState", "setState", "setAccessPermission", "getAccessPermission", "getNextState",
	"functionalRead", "functionalWrite", "checkResourceAvailable", "recordRequestType",
}

// reportMissing reports the functions without an implementation that are called by what
// can run, each once. Those that are called by nothing do not count.
func (c *checker) reportMissing() {
	var left []any
	for _, m := range c.protocol.Machines {
		for _, p := range m.InPorts {
			left = append(left, p, p.OnResourceStall, p.OnProtocolStall)
		}
		for _, t := range m.Transitions {
			for _, a := range t.Actions {
				left = append(left, a)
			}
		}
		for _, t := range m.Types {
			left = c.runtimeCalls(left, t.Methods)
		}
		left = c.runtimeCalls(left, m.Funcs)
	}
	for _, t := range c.protocol.Types {
		left = c.runtimeCalls(left, t.Methods)
	}
	seen := map[any]bool{}
	reported := map[*types.Func]bool{}
	for len(left) > 0 {
		owner := left[0]
		left = left[1:]
		if seen[owner] {
			continue
		}
		seen[owner] = true
		for _, call := range c.calls[owner] {
			left = append(left, call.function)
			if f := call.function; !f.Defined && !reported[f] {
				reported[f] = true
				c.missing(call.pos, f)
			}
		}
	}
}

func (c *checker) runtimeCalls(list []any, funcs []*types.Func) []any {
	for _, f := range funcs {
		if slices.Contains(byRuntime, f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// missing reports the call of a function that nothing implements.
func (c *checker) missing(pos syntax.Pos, f *types.Func) {
	for _, t := range append(f.ParamTypes(), f.Result) {
		if t.Kind == types.Invalid {
			return // its declaration is at fault
		}
	}
	c.fault(pos, "function %s is declared without a body, and no builtin of that name and these types is known: say what it does in a file for --builtins, as `%s`",
		f.Signature(), c.example(f))
}
