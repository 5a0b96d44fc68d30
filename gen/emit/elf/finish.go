package elf

import (
	"encoding/binary"

	"ordeal/gen"
	"ordeal/gen/emit/elf/x86"
	"ordeal/gen/wire"
)

// Registers of thread 0 after its last round.
const (
	regExit  = r12 // exit code
	regStuck = r13 // not zero when the end barrier gave up
)

// finishCode generates what thread 0 does after its last round of each program:
// wait for the others, find the exit code, write the log or report the final values, and go on to the
// next program if the exit code is 0.
func (e *emitter) finishCode() {
	exit := e.NewLabel()
	for k := range e.programs {
		e.selectProgram(k)
		e.finishProgram()
		if !e.last() {
			e.Test(regExit, regExit)
			e.Jcc(x86.Equal, e.begin[k+1])
		}
		if k == 0 {
			e.Place(exit)
			e.exit()
		} else {
			e.Jmp(exit)
		}
	}
	if e.opts.Log == LogMemory {
		e.sealCode()
		e.writeCode(exit)
	}
}

// finishProgram ends the current program, from finish on. It leaves the exit
// code in regExit.
func (e *emitter) finishProgram() {
	e.Symbol("finish")
	e.Place(e.finish[e.k])
	joined := e.NewLabel()
	e.call(e.await, e.pollLimit())
	e.Mov(regStuck, rax)
	e.MovImm(regExit, wire.ExitPassed)
	e.Test(rax, rax)
	e.Jcc(x86.Equal, joined)
	e.MovImm(regExit, wire.ExitEndBarrier)
	e.Place(joined)
	e.faults()
	if e.opts.Log != LogMemory {
		e.pseudoFinal()
	} else {
		e.writeLog()
	}
}

// writeLog writes the log of the current program.
func (e *emitter) writeLog() {
	// All frames are complete before the first is written, so that nothing
	// happens between two writes.
	for t := range e.p.Threads {
		e.threadFrame(t)
	}
	e.finalFrame()
	e.settle(e.opts.Settle)
	write := func(frame int64) {
		e.MovImm(rdx, uint64(frame))
		e.Call(e.writeFrame)
	}
	for t := range e.p.Threads {
		write(e.area.frames[t])
	}
	skip := e.NewLabel()
	e.Test(regStuck, regStuck)
	e.Jcc(x86.NotEqual, skip)
	write(e.area.final)
	e.Place(skip)
}

// settle generates a pause of n iterations. Changes rcx.
func (e *emitter) settle(n int) {
	if n <= 0 {
		return
	}
	e.MovImm(rcx, uint64(n))
	loop := e.Here()
	e.Pause()
	e.Dec(rcx)
	e.Jcc(x86.NotEqual, loop)
}

// fault is what a thread records in ctlFault when it gives up at a barrier of
// the current program.
func (e *emitter) fault(code int) uint64 { return uint64(e.k)<<8 | uint64(code) }

// faults puts the exit code of a recorded fault into regExit: one at the start
// before one at a round before one at the end, which follows from the others.
// A fault at the start of the next program follows from one here too.
func (e *emitter) faults() {
	next, start, found := e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.MovImm(rdx, uint64(e.mem.control(0)))
	loop := e.Here()
	e.Load(rax, x86.At(rdx, ctlFault))
	e.CmpImm(rax, int32(e.fault(wire.ExitStartBarrier)))
	e.Jcc(x86.Equal, start)
	e.CmpImm(rax, int32(e.fault(wire.ExitRoundBarrier)))
	e.Jcc(x86.NotEqual, next)
	e.MovImm(regExit, wire.ExitRoundBarrier)
	e.Place(next)
	e.AddImm(rdx, controlBytes)
	e.CmpImm(rdx, int32(e.mem.control(len(e.threads))))
	e.Jcc(x86.Below, loop)
	e.Jmp(found)
	e.Place(start)
	e.MovImm(regExit, wire.ExitStartBarrier)
	e.Place(found)
}

// threadFrame completes the frame of thread t, with the rounds it completed in
// this program, clamped to those asked for in case memory is broken.
func (e *emitter) threadFrame(t int) {
	fits, some := e.NewLabel(), e.NewLabel()
	e.MovImm(rdx, uint64(e.mem.control(t)))
	e.Load(r8, x86.At(rdx, ctlRounds))
	if e.k > 0 {
		e.AddImm(r8, int32(-e.opts.Rounds*e.k))
		e.Jcc(x86.Below, some) // a carry: not less than what earlier programs had
		e.MovImm(r8, 0)
		e.Place(some)
	}
	e.CmpImm(r8, int32(e.opts.Rounds))
	e.Jcc(x86.BelowEqual, fits)
	e.MovImm(r8, uint64(e.opts.Rounds))
	e.Place(fits)
	e.MulImm(r8, r8, int32(e.p.Reads(gen.ThreadID(t))))
	e.MovImm(rdx, uint64(e.area.frames[t]))
	e.MovImm(rax, uint64(wire.Thread)|uint64(t)<<(8*(wire.IndexAt-wire.KindAt)))
	e.seal()
}

// seal completes the frame at rdx with r8 payload words, whose kind and thread
// are in rax.
func (e *emitter) seal() {
	e.MovImm(r9, e.p.Hash64())
	e.Call(e.sealFrame)
}

// finalFrame gathers the locations and completes FrameFinal, unless a thread
// may still be running.
func (e *emitter) finalFrame() {
	skip := e.NewLabel()
	e.Test(regStuck, regStuck)
	e.Jcc(x86.NotEqual, skip)

	// Locations lie in groups of group words, at equal distances.
	locations, group := len(e.p.Locations), wire.FinalGroup(e.p.Layout)
	e.MovImm(rcx, uint64((locations+group-1)/group))
	e.MovImm(rsi, uint64(e.area.locations))
	e.MovImm(rdi, uint64(e.area.final+wire.HeaderBytes))
	loop := e.Here()
	for i := range group {
		e.Load(rax, x86.At(rsi, int32(i*gen.WordBytes)))
		e.Store(x86.At(rdi, int32(i*gen.WordBytes)), rax)
	}
	e.AddImm(rsi, int32(e.p.Offset(gen.LocID(group))))
	e.AddImm(rdi, int32(group*gen.WordBytes))
	e.Dec(rcx)
	e.Jcc(x86.NotEqual, loop)

	e.MovImm(r8, uint64(locations))
	e.MovImm(rdx, uint64(e.area.final))
	e.MovImm(rax, uint64(wire.Final))
	e.seal()
	e.Place(skip)
}

// sealCode generates sealFrame, which completes the frame at rdx with r8
// payload words, whose kind and thread are in rax and whose program's hash is
// in r9. Changes rsi too.
func (e *emitter) sealCode() {
	e.Symbol("seal_frame")
	e.Place(e.sealFrame)
	e.Store(x86.At(rdx, wire.KindAt), rax)
	e.MovImm(rax, binary.LittleEndian.Uint64([]byte(wire.Magic)))
	e.Store(x86.At(rdx, 0), rax)
	e.Store(x86.At(rdx, wire.HashAt), r9)
	e.MovImm(rax, uint64(e.opts.Rounds))
	e.Store(x86.At(rdx, wire.RoundsAt), rax)
	e.Store(x86.At(rdx, wire.CountAt), r8)

	summed := e.NewLabel()
	e.MovImm(rax, 0)
	e.Lea(rsi, x86.At(rdx, wire.HeaderBytes))
	e.Mov(rcx, r8)
	e.Test(rcx, rcx)
	e.Jcc(x86.Equal, summed)
	sum := e.Here()
	e.Rol(rax, wire.ChecksumRotation)
	e.XorMem(rax, x86.At(rsi, 0))
	e.AddImm(rsi, gen.WordBytes)
	e.Dec(rcx)
	e.Jcc(x86.NotEqual, sum)
	e.Place(summed)
	e.Store(x86.At(rdx, wire.ChecksumAt), rax)
	e.Ret()
}

// laterSettle is which part of Settle precedes each write after the first.
const laterSettle = 16

// writeCode generates writeFrame, which writes the complete frame at rdx. When
// that fails it goes to exit. Changes rdi and rsi too.
func (e *emitter) writeCode(exit x86.Label) {
	const eintr = 4
	failed := e.NewLabel()
	e.Symbol("write_frame")
	e.Place(e.writeFrame)
	e.Mov(rsi, rdx)
	e.Load(rdx, x86.At(rdx, wire.CountAt))
	e.settle(e.opts.Settle / laterSettle)
	e.Shl(rdx, 3)
	e.AddImm(rdx, wire.HeaderBytes)
	e.MovImm(rdi, 1)
	again := e.Here()
	e.MovImm(rax, e.calls.write)
	e.Syscall()
	e.CmpImm(rax, -eintr)
	e.Jcc(x86.Equal, again)
	e.Test(rax, rax)
	e.Jcc(x86.LessEqual, failed)
	e.Add(rsi, rax)
	e.Sub(rdx, rax)
	e.Jcc(x86.NotEqual, again)
	e.Ret()

	e.Place(failed)
	e.MovImm(regExit, wire.ExitWriteFailed)
	e.Jmp(exit)
}
