package compiler

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// verify tests what every checked protocol promises to its readers: every
// expression has a type and none is Bad, variables are in the list of their
// kind, and every called function has a body or a builtin.
func verify(p *types.Protocol) error {
	v := verifier{protocol: p}
	v.functions(p.Funcs)
	v.types(p.Types)
	for _, m := range p.Machines {
		v.verifyMachine(m)
	}
	return errors.Join(v.errs...)
}

// verifier walks bodies.
type verifier struct {
	protocol *types.Protocol
	machine  *types.Machine // nil outside
	recv     *types.Type    // of the method being walked
	errs     []error
}

func (v *verifier) wrong(pos syntax.Pos, format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("verify protocol %s:%s: %s", v.protocol.Name, pos, fmt.Sprintf(format, args...)))
}

func (v *verifier) verifyMachine(m *types.Machine) {
	v.machine = m
	v.types(m.Types)
	v.functions(m.Funcs)
	for _, p := range m.InPorts {
		v.stmts(p.Body)
	}
	for i, a := range m.Actions {
		v.stmts(a.Body)
		if a.Index != i {
			v.wrong(a.Pos, "action %s has index %d, not %d", a.Name, a.Index, i)
		}
	}
	rows := map[[2]int]bool{}
	for _, t := range m.Transitions {
		if row := [2]int{t.State, t.Event}; rows[row] || t.State >= len(m.State.Enums) || t.Event >= len(m.Event.Enums) {
			v.wrong(t.Decl.Pos, "second or impossible transition %v", row)
		} else {
			rows[row] = true
		}
		if (t.Next == types.Wildcard) != (t.NextState < 0) || t.NextState >= len(m.State.Enums) {
			v.wrong(t.Decl.Pos, "next state %d", t.NextState)
		}
	}
	v.machine = nil
}

func (v *verifier) types(list []*types.Type) {
	for _, t := range list {
		v.recv = t
		for _, f := range t.Fields {
			if f.Type == nil {
				v.wrong(f.Pos, "field %s.%s", t, f.Name)
			}
		}
		v.functions(t.Methods)
	}
	v.recv = nil
}

func (v *verifier) functions(list []*types.Func) {
	for _, f := range list {
		for i, p := range f.Params {
			if !p.Argument {
				v.wrong(f.Pos, "parameter %d of %s is no argument", i, f.Signature())
			}
		}
		if f.Defined && f.Builtin != nil {
			v.wrong(f.Pos, "function %s has a body and a builtin", f.Signature())
		}
		v.stmts(f.Body)
	}
}

func (v *verifier) stmts(list []types.Stmt) {
	for _, s := range list {
		v.node(s.Pos(), s)
	}
}

func (v *verifier) expr(x types.Expr) {
	if x.Type() == nil || x.Type().Kind == types.Invalid {
		v.wrong(x.Pos(), "expression %T without type", x)
	}
	switch x := x.(type) {
	case *types.Bad:
		v.wrong(x.At, "bad expression")
	case *types.Member:
		if x.X.Type().Field(x.Field.Name) != x.Field {
			v.wrong(x.At, "%s has no field %s", x.X.Type(), x.Field.Name)
		}
	case *types.Call:
		if !x.Func.Defined && x.Func.Builtin == nil || len(x.Args) != len(x.Func.Params) {
			v.wrong(x.At, "call of %s", x.Func.Signature())
		}
	}
	v.node(x.Pos(), x)
}

// optional are the parts of statements and expressions that may be nil.
var optional = []string{"Init", "Entry", "TBE", "Latency", "BlockOn", "WakeUp"}

// node verifies the parts of a statement or an expression.
func (v *verifier) node(pos syntax.Pos, n any) {
	value := reflect.ValueOf(n).Elem()
	for i := range value.NumField() {
		name, part := value.Type().Field(i).Name, value.Field(i)
		if kind := part.Kind(); (kind == reflect.Interface || kind == reflect.Pointer) && part.IsNil() {
			if _, call := n.(*types.Call); !slices.Contains(optional, name) && !(call && name == "X") {
				v.wrong(pos, "%T without %s", n, name)
			}
			continue
		}
		switch part := part.Interface().(type) {
		case types.Expr:
			v.expr(part)
		case []types.Expr:
			for _, x := range part {
				v.expr(x)
			}
		case []types.Stmt:
			v.stmts(part)
		case *types.Var:
			v.variable(pos, part)
		}
	}
}

// variable tests that a variable is where its kind and index say.
func (v *verifier) variable(pos syntax.Pos, x *types.Var) {
	ok := false
	switch {
	case x.Kind == types.GlobalVar:
		ok = slices.Contains(v.protocol.Objects, x)
	case x.Kind == types.LocalVar, x.Kind == types.InMsgVar, x.Kind == types.OutMsgVar:
		ok = true
	case x.Kind == types.FieldVar:
		ok = v.recv != nil && v.recv.Field(x.Name) != nil
	case x.Kind == types.AddressVar, x.Kind == types.TBEVar, x.Kind == types.EntryVar:
		ok = v.machine != nil
	case v.machine == nil:
	case x.Kind == types.ParamVar:
		ok = slices.Contains(v.machine.Params, x)
	case x.Kind == types.ObjectVar:
		ok = slices.Contains(v.machine.Objects, x)
	case x.Kind == types.InPortVar:
		ok = v.machine.InPorts[x.Index].Var == x
	case x.Kind == types.OutPortVar:
		ok = v.machine.OutPorts[x.Index].Var == x
	}
	if !ok {
		v.wrong(pos, "variable %s of kind %d has index %d", x.Name, x.Kind, x.Index)
	}
}
