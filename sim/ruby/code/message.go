package code

import (
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// peek compiles a peek. With block_on it puts the message off by a cycle if a
// core holds the lock of the line that the field names, unless the message is
// from the core itself.
func (g *generator) peek(s *types.Peek) {
	layout := g.Layout(s.Msg.Type)
	if s.WakeUp != nil {
		g.unsupported(s.Pos(), "a peek with wake_up")
	}
	in := Instruction{Op: OpPeek, A: uint32(g.where(s.Msg)), B: uint32(s.Port.Var.Index), C: uint32(layout.Index)}
	if s.BlockOn != nil {
		g.code.Blocks = true
		in.Op, in.N = OpPeekUnlocked, uint16(layout.Offset[s.BlockOn])
	}
	g.emit(s.Pos(), in)
	g.block(s.Body)
}

func (g *generator) enqueue(s *types.Enqueue) {
	at := uint32(g.where(s.Msg))
	if s.Deferred {
		g.unsupported(s.Pos(), "defer_enqueueing")
	}
	g.emit(s.Pos(), Instruction{Op: OpNew, A: at, B: uint32(g.Layout(s.Msg.Type).Index)})
	g.block(s.Body)
	latency := g.constant(1)
	if s.Latency != nil {
		latency = g.place(s.Latency)
	}
	g.emit(s.Pos(), Instruction{Op: OpEnqueue, A: at, B: uint32(s.Port.Var.Index), C: uint32(latency)})
}

func (g *generator) portAddr(s *types.PortAddr) {
	op := OpWakePort
	switch s.Kind {
	case syntax.CheckProbe:
		op = OpProbe
	case syntax.StallAndWait:
		op = OpStall
	}
	g.emit(s.Pos(), Instruction{Op: op, B: uint32(s.Port.Var.Index), C: uint32(g.place(s.Addr))})
}
