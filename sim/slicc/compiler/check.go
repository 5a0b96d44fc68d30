// Package compiler turns the syntax tree of a SLICC protocol into its checked
// form, a types.Protocol: it resolves names, finds the types of expressions,
// builds the transition tables, and reports every fault it finds.
//
// The rules are those of gem5's compiler (v24): declarations come before
// their uses, functions are overloaded by the exact types of their arguments,
// and types must agree without conversion except where gem5 has an exception.
// Where gem5 leaves a fault to the C++ compiler or to the simulation (an
// assignment to in_msg, trigger outside a port, a missing getState) it is
// reported here. Rules that only serve C++ are not applied.
package compiler

import (
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

const maxFaults = 200

// Check checks a protocol that package syntax has loaded. The error is an
// syntax.Faults with everything found wrong.
func Check(file *syntax.File) (*types.Protocol, error) {
	c := &checker{protocol: &types.Protocol{File: file}, stubs: map[string][]*stub{}, bound: map[*types.Func]*stub{}, classes: map[string]*syntax.Struct{}}
	c.push()
	c.global = c.scope
	c.declareType(&types.Type{Name: "void", Kind: types.Void})
	c.readStubs(file.Builtins)
	c.decls(file.Decls)
	c.unusedStubs()
	c.reportMissing()
	if c.protocol.Name == "" && !c.full() {
		c.fault(syntax.Pos{File: file.Name, Line: 1, Col: 1}, "no protocol declaration")
	}
	if len(c.faults) > 0 {
		c.faults.Sort()
		return nil, c.faults
	}
	c.protocol.Warnings.Sort()
	return c.protocol, nil
}

// checker walks the declarations in the order of the text.
type checker struct {
	protocol *types.Protocol
	machine  *machine // the one being checked; nil outside
	scope    *scope   // innermost
	global   *scope
	routine  *routine // the body being checked; nil outside
	faults   syntax.Faults

	calls     callGraph
	stubs     map[string][]*stub // by type and name, with a dot between them
	order     []string           // the keys of stubs
	bound     map[*types.Func]*stub
	classes   map[string]*syntax.Struct // those of the file of builtins
	instances map[instance]*types.Func
}

type machine struct {
	*types.Machine
	scope       *scope
	transitions []*syntax.Transition // until the end of the machine is seen
	shorts      map[string]*types.Action
	byName      map[string]*types.Action
	vars        map[*types.Var]any // *types.InPort or *types.OutPort of a port's variable
}

func (c *checker) full() bool { return len(c.faults) > maxFaults }

func (c *checker) fault(pos syntax.Pos, format string, args ...any) {
	switch {
	case len(c.faults) < maxFaults:
		c.faults.Add(pos, format, args...)
	case len(c.faults) == maxFaults:
		c.faults.Add(pos, "too many faults, giving up")
	}
}

func (c *checker) warn(pos syntax.Pos, format string, args ...any) {
	if len(c.protocol.Warnings) < maxFaults {
		c.protocol.Warnings.Add(pos, format, args...)
	}
}

// invalid is the type of everything that has a fault. Its uses are not
// reported again.
var invalid = &types.Type{Name: "an invalid type", Kind: types.Invalid}

var null = &types.Type{Name: "OOD", Kind: types.Null}

// bad is an expression with a fault that has been reported.
func bad(pos syntax.Pos) types.Expr {
	return &types.Bad{Node: types.Node{At: pos, Of: invalid}}
}

func isBad(x types.Expr) bool { return x.Type().Kind == types.Invalid }

// machineOrNil is the machine for symbols declared now.
func (c *checker) machineOrNil() *types.Machine {
	if c.machine == nil {
		return nil
	}
	return c.machine.Machine
}

// decls checks declarations; those of included files stand in the place of
// the include.
func (c *checker) decls(list []syntax.Decl) {
	for _, d := range list {
		if c.full() {
			return
		}
		c.decl(d)
	}
}

func (c *checker) decl(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.Protocol:
		if c.protocol.Name != "" {
			c.fault(d.Pos, "the protocol is named twice: %s, %s", c.protocol.Name, d.Name)
		}
		c.protocol.Name = d.Name
		c.options(d)
	case *syntax.Include:
		if d.File == nil {
			c.fault(d.Pos, "include %q: file is not loaded", d.Path)
			return
		}
		c.decls(d.File.Decls)
	case *syntax.Machine:
		c.machineDecl(d)
	case *syntax.Struct:
		c.structDecl(d)
	case *syntax.Enum:
		c.enumDecl(d)
	case *syntax.StateDecl:
		c.stateDecl(d)
	case *syntax.Object:
		c.objectDecl(d)
	case *syntax.Func:
		c.funcDecl(d)
	case *syntax.Action:
		if c.inMachine(d, "action") {
			c.actionDecl(d)
		}
	case *syntax.InPort:
		if c.inMachine(d, "in_port") {
			c.inPortDecl(d)
		}
	case *syntax.OutPort:
		if c.inMachine(d, "out_port") {
			c.outPortDecl(d)
		}
	case *syntax.Transition:
		if c.inMachine(d, "transition") {
			c.machine.transitions = append(c.machine.transitions, d)
		}
	}
}

func (c *checker) inMachine(d syntax.Decl, kind string) bool {
	if c.machine == nil {
		c.fault(d.Position(), "%s outside of a machine", kind)
	}
	return c.machine != nil
}
