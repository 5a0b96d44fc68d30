package code

import (
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

func (g *generator) block(list []types.Stmt) {
	for _, s := range list {
		g.stmt(s)
	}
}

func (g *generator) stmt(s types.Stmt) {
	switch s := s.(type) {
	case *types.Declare:
		g.declare(s)
	case *types.Assign:
		g.assign(s.Left, s.Right)
	case *types.Eval:
		g.eval(s.X)
	case *types.If:
		g.ifStmt(s)
	case *types.Return:
		g.returnStmt(s)
	case *types.Trigger:
		g.trigger(s)
	case *types.Peek:
		g.peek(s)
	case *types.Enqueue:
		g.enqueue(s)
	case *types.PortAddr:
		g.portAddr(s)
	}
}

func (g *generator) declare(s *types.Declare) {
	at := g.where(s.Var)
	if s.Init != nil {
		g.into(s.Pos(), s.Var.Type, at, s.Init)
		return
	}
	switch ShapeOf(s.Var.Type) {
	case Pointer:
		g.emit(s.At, Instruction{Op: OpPoint, A: uint32(at), B: NilPointer})
	case Word, Vector:
		start := g.initial(s.At, s.Var.Type, s.Var.Default)
		g.emit(s.At, Instruction{Op: OpCopyAll, N: uint16(len(start)), A: uint32(at), B: uint32(g.newWords(start))})
	}
}

func (g *generator) assign(left, right types.Expr) {
	switch left := left.(type) {
	case *types.Use:
		if left.Of.IsMessage() {
			g.copyMessage(left, right)
			return
		}
		g.into(left.At, left.Of, g.where(left.Var), right)
	case *types.Member:
		g.assignMember(left, right)
	}
}

// copyMessage gives one message the fields of another.
func (g *generator) copyMessage(left *types.Use, right types.Expr) {
	size := len(g.Layout(left.Of).Init)
	temp := g.newWords(make([]uint64, size))
	g.emit(left.At, Instruction{Op: OpLoadAll, N: uint16(size), A: uint32(temp), B: uint32(g.pointer(right))})
	g.emit(left.At, Instruction{Op: OpStoreAll, N: uint16(size), A: uint32(g.where(left.Var)), B: uint32(temp)})
}

func (g *generator) assignMember(left *types.Member, right types.Expr) {
	t := left.Of
	shape, size := ShapeOf(t), g.Size(t)
	if shape != Word && shape != Vector {
		g.unsupported(left.At, "assignment to a %s in a structure", t)
		return
	}
	if ShapeOf(left.X.Type()) == Pointer {
		in := Instruction{Op: OpStore}
		if shape == Word {
			in.B = uint32(g.materialized(right, left.X))
		} else {
			in.Op, in.N, in.B = OpStoreAll, uint16(size), uint32(g.vectorPlace(size, right))
		}
		owner, offset, _ := g.field(left)
		in.A, in.C = uint32(owner), uint32(offset)
		g.emit(left.X.Pos(), in)
		return
	}
	if at, ok := g.variablePlace(left); ok {
		g.into(left.At, t, at, right)
		return
	}
	r := g.ref(left)
	in := Instruction{Op: OpStoreAll, N: uint16(size), A: r.Owner, C: r.At}
	if shape == Word {
		in = Instruction{Op: OpStore, A: r.Owner, B: uint32(g.place(right)), C: r.At}
	} else {
		in.B = uint32(g.vectorPlace(size, right))
	}
	if r.Owner == NilPointer {
		g.into(left.At, t, int(r.At), right)
		return
	}
	g.emit(r.Pos, in)
}

// vectorPlace emits what evaluates an expression of several words, and gives the
// place of them.
func (g *generator) vectorPlace(size int, x types.Expr) int {
	if use, ok := x.(*types.Use); ok {
		return g.where(use.Var)
	}
	at := g.newWords(make([]uint64, size))
	g.vectorInto(at, size, x)
	return at
}

// eval evaluates an expression for its effect.
func (g *generator) eval(x types.Expr) {
	switch x := x.(type) {
	case *types.Call:
		switch {
		case x.Func.Defined:
			g.call(x)
			return
		case emitter(x) != nil:
			emitter(x)(g, x, -1)
			return
		case g.wordCall(scratchWord, x):
			return
		}
	case *types.Unary:
		if x.Op == syntax.Inc {
			return // statistics
		}
	}
	switch ShapeOf(x.Type()) {
	case Word:
		g.place(x)
	case Vector:
		g.ref(x)
	case Pointer:
		g.pointer(x)
	default:
		g.unsupported(x.Pos(), "this expression of type %s", x.Type())
	}
}

func (g *generator) ifStmt(s *types.If) {
	otherwise := g.jumpIf(s.Cond, false)
	g.block(s.Then)
	if len(s.Else) == 0 {
		g.land(otherwise...)
		return
	}
	end := g.emit(s.At, Instruction{Op: OpJump})
	g.land(otherwise...)
	g.block(s.Else)
	g.land(end)
}

func (g *generator) returnStmt(s *types.Return) {
	g.into(s.Pos(), s.X.Type(), g.result.Result, s.X)
	g.emit(s.Pos(), Instruction{Op: OpReturn})
}

func (g *generator) trigger(s *types.Trigger) {
	entry, tbe := NilPointer, NilPointer
	later := []types.Expr{s.Addr}
	if s.Entry != nil {
		later = append(later, s.Entry)
	}
	if s.TBE != nil {
		later = append(later, s.TBE)
	}
	ev := g.materialized(s.Event, later...)
	line := g.materialized(s.Addr, later[1:]...)
	if s.Entry != nil {
		entry = g.materializedPointer(s.Entry, later[2:]...)
	}
	if s.TBE != nil {
		tbe = g.pointer(s.TBE)
	}
	t := Trigger{
		Event: uint32(ev), Line: uint32(line), TBE: uint32(tbe), Entry: uint32(entry),
		OnResourceStall: g.handler(g.port.OnResourceStall), OnProtocolStall: g.handler(g.port.OnProtocolStall),
	}
	at := addTo(&g.code.Triggers, t)
	g.emit(s.Pos(), Instruction{Op: OpTrigger, A: at})
	g.callRoutine(g.states.get)
	stall := g.emit(s.Pos(), Instruction{Op: OpTransition, A: at})
	g.callRoutine(g.states.set)
	g.callRoutine(g.states.access)
	g.emit(s.Pos(), Instruction{Op: OpEnd})
	g.land(stall)
}

// handler is the function that a port names for stalls, which says whether the first
// port is next; nil for none.
func (g *generator) handler(f *types.Func) *Function {
	if f == nil {
		return nil
	}
	return g.function(f)
}
