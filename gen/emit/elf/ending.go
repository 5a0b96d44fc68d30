package elf

import (
	"encoding/binary"

	"ordeal/gen"
	"ordeal/gen/wire"
)

// Registers of thread 0 after its last round.
const (
	regExit  = r12 // exit code
	regStuck = r13 // not zero when the end barrier gave up
)

// yieldEvery is after how many looks in vain a thread yields: about the time
// that a switch to another thread takes, so that threads with a core each
// leave a barrier together. A power of two.
const yieldEvery = 256

// patience is after how many looks a barrier gives up on a thread: Spin, as
// many as the delays of the longest round have iterations, and, where thread
// 0 writes the log of one program while the others wait for the next one, as
// many as that takes.
func (e *emitter) patience() uint64 {
	var longest gen.Value
	for _, p := range e.programs {
		for _, ops := range p.Threads {
			var delays gen.Value
			for _, op := range ops {
				if op.Kind == gen.Delay {
					delays += op.Value
				}
			}
			longest = max(longest, delays)
		}
	}
	patience := uint64(e.opts.Spin) + uint64(longest)
	if len(e.programs) > 1 {
		var words int64
		for _, p := range e.programs {
			words = max(words, LogBytes(p, e.opts.Rounds)/gen.WordBytes)
		}
		// A word of the log misses every cache in the worst case.
		patience += 16*uint64(words) + 4*uint64(e.opts.Settle)
	}
	return patience
}

// waiting generates the barriers. All spinning is on plain loads, and each
// control line is written by its own thread with plain stores only, so that
// they hold on a memory system whose atomics are broken, and a lost store
// ends in giving up.
func (e *emitter) waiting() {
	// barrier announces that the thread has reached its next barrier and
	// waits for the others. Leaves 0 in rax, or 1 when it gave up.
	e.symbol("barrier")
	e.place(e.barrier)
	e.inc(regPhase)
	e.store(at(regCtl, ctlPhase), regPhase)

	// await waits until every thread has reached phase regPhase. The phase
	// only grows, so that a thread that is already past the barrier, or done,
	// is not waited for. Completing a round renews the patience with a
	// thread. Leaves 0 or 1 in rax like barrier.
	e.symbol("await")
	e.place(e.await)
	controls := e.mem.control(0)
	end := e.mem.control(len(e.threads))
	arrived, stuck := e.newLabel(), e.newLabel()
	e.movImm(rdx, uint64(controls))
	next := e.here()
	e.movImm(r9, e.patience())
	e.load(r8, at(rdx, ctlRounds))
	look := e.here()
	e.cmpMem(at(rdx, ctlPhase), regPhase)
	e.jcc(aboveEqual, arrived)
	e.pause()
	e.cmpMem(at(rdx, ctlRounds), r8)
	e.jcc(notEqual, next)
	e.dec(r9)
	e.jcc(equal, stuck)
	if e.opts.Yield {
		e.movImm(rax, yieldEvery-1)
		e.and(rax, r9)
		e.jcc(notEqual, look)
		e.movImm(rax, sysSchedYield)
		e.syscall()
	}
	e.jmp(look)
	e.place(stuck)
	e.movImm(rax, 1)
	e.ret()

	e.place(arrived)
	e.addImm(rdx, controlBytes)
	e.cmpImm(rdx, int32(end))
	e.jcc(below, next)
	e.movImm(rax, 0)
	e.ret()
}

// ending generates what thread 0 does after its last round of each program:
// wait for the others, find the exit code, write the log, and go on to the
// next program unless something went wrong.
func (e *emitter) ending() {
	exit := e.newLabel()
	for k := range e.programs {
		e.turn(k)
		e.finishProgram()
		if !e.last() {
			e.test(regExit, regExit)
			e.jcc(equal, e.begin[k+1])
		}
		if k == 0 {
			e.place(exit)
			e.mov(rdi, regExit)
			e.movImm(rax, sysExitGroup)
			e.syscall()
		} else {
			e.jmp(exit)
		}
	}
	e.sealing()
	e.writing(exit)
}

// finishProgram ends the current program, from finish on. It leaves the exit
// code in regExit.
func (e *emitter) finishProgram() {
	e.symbol("finish")
	e.place(e.finish[e.k])
	joined := e.newLabel()
	e.call(e.await)
	e.mov(regStuck, rax)
	e.movImm(regExit, wire.ExitPassed)
	e.test(rax, rax)
	e.jcc(equal, joined)
	e.movImm(regExit, wire.ExitEndBarrier)
	e.place(joined)
	e.faults()

	// All frames are complete before the first is written, so that nothing
	// but the writing happens in between.
	for t := range e.p.Threads {
		e.threadFrame(t)
	}
	e.finalFrame()
	e.settle(e.opts.Settle)
	write := func(frame int64) {
		e.movImm(rdx, uint64(frame))
		e.call(e.writeFrame)
	}
	for t := range e.p.Threads {
		write(e.area.frames[t])
	}
	skip := e.newLabel()
	e.test(regStuck, regStuck)
	e.jcc(notEqual, skip)
	write(e.area.final)
	e.place(skip)
}

// settle generates a pause of n iterations. Changes rcx.
func (e *emitter) settle(n int) {
	if n <= 0 {
		return
	}
	e.movImm(rcx, uint64(n))
	loop := e.here()
	e.pause()
	e.dec(rcx)
	e.jcc(notEqual, loop)
}

// fault is what a thread records that gives up at a barrier of the current
// program with an exit code.
func (e *emitter) fault(code int) uint64 { return uint64(e.k)<<8 | uint64(code) }

// faults puts the fault that threads recorded, if any, into regExit: one at
// the start before one at a round, either before one at the end, which
// follows from it. One at the start of the next program, by a thread that has
// missed another one there, follows from one here.
func (e *emitter) faults() {
	next, start, found := e.newLabel(), e.newLabel(), e.newLabel()
	e.movImm(rdx, uint64(e.mem.control(0)))
	loop := e.here()
	e.load(rax, at(rdx, ctlFault))
	e.cmpImm(rax, int32(e.fault(wire.ExitStartBarrier)))
	e.jcc(equal, start)
	e.cmpImm(rax, int32(e.fault(wire.ExitRoundBarrier)))
	e.jcc(notEqual, next)
	e.movImm(regExit, wire.ExitRoundBarrier)
	e.place(next)
	e.addImm(rdx, controlBytes)
	e.cmpImm(rdx, int32(e.mem.control(len(e.threads))))
	e.jcc(below, loop)
	e.jmp(found)
	e.place(start)
	e.movImm(regExit, wire.ExitStartBarrier)
	e.place(found)
}

// threadFrame completes the frame of thread t, with the rounds it completed in
// this program: none to those asked for, whatever a broken memory says.
func (e *emitter) threadFrame(t int) {
	fits, some := e.newLabel(), e.newLabel()
	e.movImm(rdx, uint64(e.mem.control(t)))
	e.load(r8, at(rdx, ctlRounds))
	if e.k > 0 {
		e.addImm(r8, int32(-e.opts.Rounds*e.k))
		e.jcc(below, some) // a carry: not less than what earlier programs had
		e.movImm(r8, 0)
		e.place(some)
	}
	e.cmpImm(r8, int32(e.opts.Rounds))
	e.jcc(belowEqual, fits)
	e.movImm(r8, uint64(e.opts.Rounds))
	e.place(fits)
	e.mulImm(r8, r8, int32(e.p.Reads(gen.ThreadID(t))))
	e.movImm(rdx, uint64(e.area.frames[t]))
	e.movImm(rax, uint64(wire.Thread)|uint64(t)<<(8*(wire.IndexAt-wire.KindAt)))
	e.seal()
}

// seal completes the frame at rdx with r8 payload words, whose kind and thread
// are in rax.
func (e *emitter) seal() {
	e.movImm(r9, e.p.Hash64())
	e.call(e.sealFrame)
}

// finalFrame gathers the locations and completes FrameFinal, unless a thread
// may still be running.
func (e *emitter) finalFrame() {
	skip := e.newLabel()
	e.test(regStuck, regStuck)
	e.jcc(notEqual, skip)

	// Locations lie in groups of group words, at equal distances.
	locations, group := len(e.p.Locations), 1
	if e.p.Layout == gen.Pairs {
		group = 2
	}
	e.movImm(rcx, uint64((locations+group-1)/group))
	e.movImm(rsi, uint64(e.area.locations))
	e.movImm(rdi, uint64(e.area.final+wire.HeaderBytes))
	loop := e.here()
	for i := range group {
		e.load(rax, at(rsi, int32(i*gen.WordBytes)))
		e.store(at(rdi, int32(i*gen.WordBytes)), rax)
	}
	e.addImm(rsi, int32(e.p.Offset(gen.LocID(group))))
	e.addImm(rdi, int32(group*gen.WordBytes))
	e.dec(rcx)
	e.jcc(notEqual, loop)

	e.movImm(r8, uint64(locations))
	e.movImm(rdx, uint64(e.area.final))
	e.movImm(rax, uint64(wire.Final))
	e.seal()
	e.place(skip)
}

// sealing generates sealFrame, which completes the frame at rdx with r8
// payload words, whose kind and thread are in rax and whose program's hash is
// in r9. Changes rsi too.
func (e *emitter) sealing() {
	e.symbol("seal_frame")
	e.place(e.sealFrame)
	e.store(at(rdx, wire.KindAt), rax)
	e.movImm(rax, binary.LittleEndian.Uint64([]byte(wire.Magic)))
	e.store(at(rdx, 0), rax)
	e.store(at(rdx, wire.HashAt), r9)
	e.movImm(rax, uint64(e.opts.Rounds))
	e.store(at(rdx, wire.RoundsAt), rax)
	e.store(at(rdx, wire.CountAt), r8)

	summed := e.newLabel()
	e.movImm(rax, 0)
	e.lea(rsi, at(rdx, wire.HeaderBytes))
	e.mov(rcx, r8)
	e.test(rcx, rcx)
	e.jcc(equal, summed)
	sum := e.here()
	e.rol(rax, wire.ChecksumRotation)
	e.xorMem(rax, at(rsi, 0))
	e.addImm(rsi, gen.WordBytes)
	e.dec(rcx)
	e.jcc(notEqual, sum)
	e.place(summed)
	e.store(at(rdx, wire.ChecksumAt), rax)
	e.ret()
}

// laterSettle is which part of Settle precedes each write after the first.
const laterSettle = 16

// writing generates writeFrame, which writes the complete frame at rdx. When
// that fails it goes to exit. Changes rdi and rsi too.
func (e *emitter) writing(exit label) {
	const eintr = 4
	failed := e.newLabel()
	e.symbol("write_frame")
	e.place(e.writeFrame)
	e.mov(rsi, rdx)
	e.load(rdx, at(rdx, wire.CountAt))
	e.settle(e.opts.Settle / laterSettle)
	e.shl(rdx, 3)
	e.addImm(rdx, wire.HeaderBytes)
	e.movImm(rdi, 1)
	again := e.here()
	e.movImm(rax, sysWrite)
	e.syscall()
	e.cmpImm(rax, -eintr)
	e.jcc(equal, again)
	e.test(rax, rax)
	e.jcc(lessEqual, failed)
	e.add(rsi, rax)
	e.sub(rdx, rax)
	e.jcc(notEqual, again)
	e.ret()

	e.place(failed)
	e.movImm(regExit, wire.ExitWriteFailed)
	e.jmp(exit)
}
