package ruby

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
	switch shapeOf(s.Var.Type) {
	case pointer:
		g.emit(s.At, instruction{op: opPoint, a: uint32(at), b: nilPointer})
	case word, vector:
		start := g.initial(s.At, s.Var.Type, s.Var.Default)
		g.emit(s.At, instruction{op: opCopyAll, n: uint16(len(start)), a: uint32(at), b: uint32(g.newWords(start))})
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
	size := len(g.layout(left.Of).init)
	temp := g.newWords(make([]uint64, size))
	g.emit(left.At, instruction{op: opLoadAll, n: uint16(size), a: uint32(temp), b: uint32(g.pointer(right))})
	g.emit(left.At, instruction{op: opStoreAll, n: uint16(size), a: uint32(g.where(left.Var)), b: uint32(temp)})
}

func (g *generator) assignMember(left *types.Member, right types.Expr) {
	t := left.Of
	shape, size := shapeOf(t), g.size(t)
	if shape != word && shape != vector {
		g.unsupported(left.At, "assignment to a %s in a structure", t)
		return
	}
	if shapeOf(left.X.Type()) == pointer {
		if shape == vector && g.move(left, right, size) {
			return
		}
		in := instruction{op: opStore}
		if shape == word {
			in.b = uint32(g.held(right, left.X))
		} else {
			in.op, in.n, in.b = opStoreAll, uint16(size), uint32(g.vectorPlace(size, right))
		}
		owner, offset, _ := g.field(left)
		in.a, in.c = uint32(owner), uint32(offset)
		g.emit(left.X.Pos(), in)
		return
	}
	if at, ok := g.within(left); ok {
		g.into(left.At, t, at, right)
		return
	}
	r := g.ref(left)
	in := instruction{op: opStoreAll, n: uint16(size), a: r.owner, c: r.at}
	if shape == word {
		in = instruction{op: opStore, a: r.owner, b: uint32(g.place(right)), c: r.at}
	} else {
		in.b = uint32(g.vectorPlace(size, right))
	}
	if r.owner == nilPointer {
		g.into(left.At, t, int(r.at), right)
		return
	}
	g.emit(r.pos, in)
}

// move emits the copying of words between two objects; false if it is not that.
func (g *generator) move(left *types.Member, right types.Expr, size int) bool {
	from, ok := right.(*types.Member)
	if !ok || shapeOf(from.X.Type()) != pointer || calls(left) {
		return false
	}
	owner, offset, _ := g.field(from)
	to, at, _ := g.field(left)
	g.emit(left.X.Pos(), instruction{op: opMoveAll, n: uint16(size), a: uint32(to), b: uint32(owner), c: uint32(at) | uint32(offset)<<16})
	return true
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
	switch shapeOf(x.Type()) {
	case word:
		g.place(x)
	case vector:
		g.ref(x)
	case pointer:
		g.pointer(x)
	default:
		g.unsupported(x.Pos(), "this expression of type %s", x.Type())
	}
}

func (g *generator) ifStmt(s *types.If) {
	if g.choose(s) {
		return
	}
	otherwise := g.jumpIf(s.Cond, false)
	g.block(s.Then)
	if len(s.Else) == 0 {
		g.land(otherwise...)
		return
	}
	end := g.emit(s.At, instruction{op: opJump})
	g.land(otherwise...)
	g.block(s.Else)
	g.land(end)
}

func (g *generator) returnStmt(s *types.Return) {
	g.into(s.Pos(), s.X.Type(), g.result.result, s.X)
	g.emit(s.Pos(), instruction{op: opReturn})
}

func (g *generator) trigger(s *types.Trigger) {
	entry, tbe := nilPointer, nilPointer
	later := []types.Expr{s.Addr}
	if s.Entry != nil {
		later = append(later, s.Entry)
	}
	if s.TBE != nil {
		later = append(later, s.TBE)
	}
	ev := g.held(s.Event, later...)
	line := g.held(s.Addr, later[1:]...)
	if s.Entry != nil {
		entry = g.heldPointer(s.Entry, later[2:]...)
	}
	if s.TBE != nil {
		tbe = g.pointer(s.TBE)
	}
	t := trigger{
		event: uint32(ev), line: uint32(line), tbe: uint32(tbe), entry: uint32(entry),
		onNoRoom: g.handler(g.port.OnResourceStall), onHeldBack: g.handler(g.port.OnProtocolStall),
	}
	at := addTo(&g.code.triggers, t)
	g.emit(s.Pos(), instruction{op: opTrigger, a: at})
	g.callRoutine(g.states.get)
	stall := g.emit(s.Pos(), instruction{op: opTransition, a: at})
	g.callRoutine(g.states.set)
	g.callRoutine(g.states.access)
	g.emit(s.Pos(), instruction{op: opEnd})
	g.land(stall)
}

// handler is the function that a port names for stalls, which says whether the first
// port is next; nil for none.
func (g *generator) handler(f *types.Func) *funcCode {
	if f == nil {
		return nil
	}
	return g.function(f)
}
