package elf

import (
	"encoding/binary"

	"ordeal/gen"
)

// What the log's frames hold, as package sim documents it (which this package
// must not import: a program knows nothing of the simulators that run it).
const (
	logMagic    = "ORDEAL1\n"
	kindThread  = 1
	kindFinal   = 2
	kindBytes   = 4 // the thread's number follows
	checksumRol = 5
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

// patience is after how many looks a barrier gives up on a thread: Spin, and
// as many as the delays of the longest round have iterations.
func (e *emitter) patience() uint64 {
	var longest gen.Value
	for _, ops := range e.p.Threads {
		var delays gen.Value
		for _, op := range ops {
			if op.Kind == gen.Delay {
				delays += op.Value
			}
		}
		longest = max(longest, delays)
	}
	return uint64(e.opts.Spin) + uint64(longest)
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
	end := e.mem.control(len(e.p.Threads))
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

// ending generates what thread 0 does after its last round: wait for the
// others, find the exit code, write the log.
func (e *emitter) ending() {
	e.symbol("finish")
	e.place(e.finish)
	joined := e.newLabel()
	e.call(e.await)
	e.mov(regStuck, rax)
	e.movImm(regExit, ExitPassed)
	e.test(rax, rax)
	e.jcc(equal, joined)
	e.movImm(regExit, ExitEndBarrier)
	e.place(joined)
	e.faults()
	for t := range e.p.Threads {
		e.threadFrame(t)
	}
	e.finalFrame()

	exit := e.here()
	e.mov(rdi, regExit)
	e.movImm(rax, sysExitGroup)
	e.syscall()

	e.writing(exit)
}

// faults puts the fault that threads recorded, if any, into regExit: one at
// the start before one at a round, either before one at the end, which
// follows from it.
func (e *emitter) faults() {
	next, found := e.newLabel(), e.newLabel()
	e.movImm(rdx, uint64(e.mem.control(0)))
	loop := e.here()
	e.load(rax, at(rdx, ctlFault))
	e.test(rax, rax)
	e.jcc(equal, next)
	e.movImm(regExit, ExitStartBarrier)
	e.cmp(rax, regExit)
	e.jcc(equal, found)
	e.movImm(regExit, ExitRoundBarrier)
	e.place(next)
	e.addImm(rdx, controlBytes)
	e.cmpImm(rdx, int32(e.mem.control(len(e.p.Threads))))
	e.jcc(below, loop)
	e.place(found)
}

// threadFrame writes the frame of thread t, with the rounds it completed: at
// most those asked for, whatever a broken memory says.
func (e *emitter) threadFrame(t int) {
	fits := e.newLabel()
	e.movImm(rdx, uint64(e.mem.control(t)))
	e.load(r8, at(rdx, ctlRounds))
	e.cmpImm(r8, int32(e.opts.Rounds))
	e.jcc(belowEqual, fits)
	e.movImm(r8, uint64(e.opts.Rounds))
	e.place(fits)
	e.mulImm(r8, r8, int32(e.p.Reads(gen.ThreadID(t))))
	e.movImm(rdx, uint64(e.mem.frames[t]))
	e.movImm(rax, kindThread|uint64(t)<<(8*kindBytes))
	e.call(e.writeFrame)
}

// finalFrame gathers the locations and writes FrameFinal, unless a thread may
// still be running.
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
	e.movImm(rsi, dataBase)
	e.movImm(rdi, uint64(e.mem.final+framePayload))
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
	e.movImm(rdx, uint64(e.mem.final))
	e.movImm(rax, kindFinal)
	e.call(e.writeFrame)
	e.place(skip)
}

// writing generates writeFrame, which completes the frame at rdx with r8
// payload words, whose kind and thread are in rax, and writes it. When that
// fails it goes to exit. Changes rdi and rsi too.
func (e *emitter) writing(exit label) {
	e.symbol("write_frame")
	e.place(e.writeFrame)
	e.store(at(rdx, frameKind), rax)
	e.movImm(rax, binary.LittleEndian.Uint64([]byte(logMagic)))
	e.store(at(rdx, 0), rax)
	e.movImm(rax, e.p.Hash64())
	e.store(at(rdx, frameHash), rax)
	e.movImm(rax, uint64(e.opts.Rounds))
	e.store(at(rdx, frameRounds), rax)
	e.store(at(rdx, frameCount), r8)

	summed := e.newLabel()
	e.movImm(rax, 0)
	e.lea(rsi, at(rdx, framePayload))
	e.mov(rcx, r8)
	e.test(rcx, rcx)
	e.jcc(equal, summed)
	sum := e.here()
	e.rol(rax, checksumRol)
	e.xorMem(rax, at(rsi, 0))
	e.addImm(rsi, gen.WordBytes)
	e.dec(rcx)
	e.jcc(notEqual, sum)
	e.place(summed)
	e.store(at(rdx, frameChecksum), rax)

	if e.opts.Settle > 0 {
		e.movImm(rcx, uint64(e.opts.Settle))
		settle := e.here()
		e.pause()
		e.dec(rcx)
		e.jcc(notEqual, settle)
	}

	const eintr = 4
	failed := e.newLabel()
	e.mov(rsi, rdx)
	e.mov(rdx, r8)
	e.shl(rdx, 3)
	e.addImm(rdx, framePayload)
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
	e.movImm(regExit, ExitWriteFailed)
	e.jmp(exit)
}
