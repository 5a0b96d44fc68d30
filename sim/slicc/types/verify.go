package types

import (
	"errors"
	"fmt"

	"ordeal/sim/slicc/syntax"
)

// Verify tests what every checked protocol promises to its readers: every
// expression has a type and none is Bad, variables index what their kind
// says, slots lie inside their frames, every called function has a body or a
// builtin, and the tables hold the transitions. It is for the tests of
// programs that make or change protocols; the checker's output passes.
func Verify(p *Protocol) error {
	v := verifier{protocol: p}
	for _, f := range p.Funcs {
		v.function(f)
	}
	v.typeList(p.Types)
	for _, m := range p.Machines {
		v.verifyMachine(m)
	}
	return errors.Join(v.errs...)
}

// verifier walks bodies.
type verifier struct {
	protocol *Protocol
	machine  *Machine // nil outside
	recv     *Type    // of the method being walked
	slots    int      // of the frame
	errs     []error
}

func (v *verifier) wrong(pos syntax.Pos, format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("verify protocol %s:%s: %s", v.protocol.Name, pos, fmt.Sprintf(format, args...)))
}

func (v *verifier) verifyMachine(m *Machine) {
	v.machine = m
	v.typeList(m.Types)
	for _, f := range m.Funcs {
		v.function(f)
	}
	for _, p := range m.InPorts {
		v.slots = p.Slots
		v.stmts(p.Body)
	}
	for i, a := range m.Actions {
		v.slots = a.Slots
		v.stmts(a.Body)
		if a.Index != i {
			v.wrong(a.Pos, "action %s has index %d, not %d", a.Name, a.Index, i)
		}
	}
	rows := 0
	for _, t := range m.table {
		if t != nil {
			rows++
		}
	}
	if rows != len(m.Transitions) {
		v.wrong(m.Pos, "table of machine %s has %d rows for %d transitions", m.Name, rows, len(m.Transitions))
	}
	for _, t := range m.Transitions {
		if m.Transition(t.State, t.Event) != t {
			v.wrong(t.Decl.Pos, "table lacks transition (%d, %d)", t.State, t.Event)
		}
		if (t.Next == Wildcard) != (t.NextState < 0) || t.NextState >= len(m.State.Enums) {
			v.wrong(t.Decl.Pos, "next state %d", t.NextState)
		}
	}
	v.machine = nil
}

func (v *verifier) typeList(list []*Type) {
	for _, t := range list {
		v.recv = t
		for i, f := range t.Fields {
			if f.Index != i || f.Type == nil || f.Owner != t {
				v.wrong(f.Pos, "field %s.%s", t, f.Name)
			}
		}
		for _, f := range t.Methods {
			v.function(f)
		}
	}
	v.recv = nil
}

func (v *verifier) function(f *Func) {
	v.slots = f.Slots
	for i, p := range f.Params {
		if p.Index != i || !p.Argument {
			v.wrong(f.Pos, "parameter %d of %s has slot %d", i, f.Signature(), p.Index)
		}
	}
	if f.Defined == (f.Builtin != nil) && f.Defined {
		v.wrong(f.Pos, "function %s has a body and a builtin", f.Signature())
	}
	v.stmts(f.Body)
}

func (v *verifier) stmts(list []Stmt) {
	for _, s := range list {
		v.stmt(s)
	}
}

func (v *verifier) stmt(s Stmt) {
	switch s := s.(type) {
	case *Declare:
		v.variable(s.At, s.Var)
		v.optional(s.Init)
	case *Assign:
		v.expr(s.Left)
		v.expr(s.Right)
	case *Eval:
		v.expr(s.X)
	case *If:
		v.expr(s.Cond)
		v.stmts(s.Then)
		v.stmts(s.Else)
	case *Return:
		v.expr(s.X)
	case *Trigger:
		v.expr(s.Event)
		v.expr(s.Addr)
		v.optional(s.Entry)
		v.optional(s.TBE)
	case *Peek:
		v.port(s.At, s.Port != nil)
		v.variable(s.At, s.Msg)
		v.stmts(s.Body)
	case *Enqueue:
		v.port(s.At, s.Port != nil)
		v.variable(s.At, s.Msg)
		v.optional(s.Latency)
		v.optional(s.Bypass)
		v.stmts(s.Body)
	case *PortAddr:
		v.port(s.At, s.Port != nil)
		v.expr(s.Addr)
	case *CheckAllocate:
		v.variable(s.At, s.Table)
	case *StallPort, *CheckNextCycle:
	default:
		v.wrong(s.Pos(), "unknown statement %T", s)
	}
}

func (v *verifier) port(pos syntax.Pos, ok bool) {
	if !ok {
		v.wrong(pos, "statement without port")
	}
}

func (v *verifier) optional(x Expr) {
	if x != nil {
		v.expr(x)
	}
}

func (v *verifier) expr(x Expr) {
	if x.Type() == nil || x.Type().Kind == Invalid {
		v.wrong(x.Pos(), "expression %T without type", x)
	}
	switch x := x.(type) {
	case *Const, *New:
	case *Use:
		v.variable(x.At, x.Var)
	case *Member:
		v.expr(x.X)
		if x.X.Type().Field(x.Field.Name) != x.Field {
			v.wrong(x.At, "%s has no field %s", x.X.Type(), x.Field.Name)
		}
	case *Call:
		v.optional(x.X)
		for _, arg := range x.Args {
			v.expr(arg)
		}
		if !x.Func.Defined && x.Func.Builtin == nil || len(x.Args) != len(x.Func.Params) {
			v.wrong(x.At, "call of %s", x.Func.Signature())
		}
	case *Valid:
		v.expr(x.X)
	case *Cast:
		v.expr(x.X)
	case *Unary:
		v.expr(x.X)
	case *Binary:
		v.expr(x.Left)
		v.expr(x.Right)
	default:
		v.wrong(x.Pos(), "unknown expression %T", x)
	}
}

// variable tests that a variable is where its kind and index say.
func (v *verifier) variable(pos syntax.Pos, x *Var) {
	ok := false
	switch {
	case x == nil:
		v.wrong(pos, "no variable")
		return
	case x.Kind == GlobalVar:
		ok = x.Index < len(v.protocol.Objects) && v.protocol.Objects[x.Index] == x
	case x.Kind == LocalVar, x.Kind == InMsgVar, x.Kind == OutMsgVar:
		ok = 0 <= x.Index && x.Index < v.slots
	case x.Kind == FieldVar:
		ok = v.recv != nil && v.recv.Fields[x.Index] == x.Field
	case x.Kind == AddressVar, x.Kind == TBEVar, x.Kind == EntryVar:
		ok = v.machine != nil
	case v.machine == nil:
	case x.Kind == ParamVar:
		ok = v.machine.Params[x.Index] == x
	case x.Kind == ObjectVar:
		ok = v.machine.Objects[x.Index] == x
	case x.Kind == InPortVar:
		ok = v.machine.InPorts[x.Index].Var == x
	case x.Kind == OutPortVar:
		ok = v.machine.OutPorts[x.Index].Var == x
	}
	if !ok {
		v.wrong(pos, "variable %s of kind %d has index %d", x.Name, x.Kind, x.Index)
	}
}
