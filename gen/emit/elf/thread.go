package elf

import (
	"fmt"
	"math"
	"math/bits"

	"ordeal/gen"
	"ordeal/gen/wire"
)

// thread generates all of thread t: its part in each program and the way out.
func (e *emitter) thread(t int) {
	e.symbol(fmt.Sprintf("thread%d", t))
	e.place(e.threads[t])
	e.movImm(regRounds, 0)
	e.movImm(regPhase, 0)
	e.movImm(regJitter, uint64(t+1)*0x9e3779b9&math.MaxUint32)
	exit := e.newLabel()
	for k := range e.programs {
		e.turn(k)
		e.part(t, exit)
	}
	if t == 0 {
		return
	}
	e.place(exit)
	e.leave()
	e.movImm(rdi, 0)
	e.movImm(rax, sysExit)
	e.syscall()
}

// leave lets nobody wait for the thread any more.
func (e *emitter) leave() {
	e.movImm(regPhase, phaseDone)
	e.store(at(regCtl, ctlPhase), regPhase)
}

// part generates the part of thread t in the current program: the start
// barrier, the rounds, and the way to the next program. Thread 0 goes to
// finish instead; a thread that gives up leaves for good.
func (e *emitter) part(t int, exit label) {
	if t == 0 {
		e.place(e.begin[e.k])
	}
	if e.k > 0 {
		e.symbol(fmt.Sprintf("program%d_thread%d", e.k, t))
	}
	payload := e.area.frames[t] + wire.HeaderBytes
	e.touch(payload, e.area.ends[t])
	e.movImm(regLocs, uint64(e.area.locations+bias))
	e.movImm(regLog, uint64(payload+bias))
	e.movImm(regStride, uint64(e.p.Stride()))
	e.movImm(regBase, 0)

	done := exit
	if t == 0 {
		done = e.newLabel()
	}
	e.waitOr(wire.ExitStartBarrier, done)
	e.symbol(e.roundSymbol(t))
	top := e.here()
	if e.opts.Sync == SyncRound {
		skip := e.newLabel()
		if e.opts.Every > 1 {
			e.movImm(rax, uint64(e.opts.Every-1))
			e.and(rax, regRounds)
			e.jcc(notEqual, skip)
		}
		e.waitOr(wire.ExitRoundBarrier, done)
		e.place(skip)
	}
	e.jitter()
	e.round(e.p.Threads[t])
	e.inc(regRounds)
	e.store(at(regCtl, ctlRounds), regRounds)
	e.add(regBase, regStride)
	e.cmpImm(regRounds, int32(e.opts.Rounds*(e.k+1)))
	e.jcc(below, top)

	if !e.last() {
		// Thread 0 waits for this step before it writes the log.
		e.inc(regPhase)
		e.store(at(regCtl, ctlPhase), regPhase)
	}
	switch {
	case t == 0:
		if !e.last() {
			e.jmp(e.finish[e.k])
		}
		e.place(done)
		e.leave()
		e.jmp(e.finish[e.k])
	case !e.last():
		// Without thread 0 there is no next program.
		e.movImm(rdx, uint64(e.mem.control(0)))
		e.load(rax, at(rdx, ctlFault))
		e.test(rax, rax)
		e.jcc(notEqual, exit)
	}
}

// roundSymbol names the rounds of thread t in the current program.
func (e *emitter) roundSymbol(t int) string {
	if len(e.programs) == 1 {
		return fmt.Sprintf("thread%d_round", t)
	}
	return fmt.Sprintf("program%d_thread%d_round", e.k, t)
}

// waitOr waits at the next barrier; giving up records the fault with the exit
// code given and goes to done.
func (e *emitter) waitOr(code int, done label) {
	passed := e.newLabel()
	e.call(e.barrier)
	e.test(rax, rax)
	e.jcc(equal, passed)
	e.movImm(rax, e.fault(code))
	e.store(at(regCtl, ctlFault), rax)
	e.jmp(done)
	e.place(passed)
}

// touch writes a zero to each page from start to end, so that no page fault
// disturbs the run. Changes rax, rcx and rdx.
func (e *emitter) touch(start, end int64) {
	if start >= end {
		return
	}
	e.movImm(rax, 0)
	e.movImm(rdx, uint64(start))
	e.movImm(rcx, uint64(roundUp(end-start, pageBytes)/pageBytes))
	loop := e.here()
	e.store(at(rdx, 0), rax)
	e.addImm(rdx, pageBytes)
	e.dec(rcx)
	e.jcc(notEqual, loop)
}

// jitter delays a round by a pseudo-random number of iterations, drawn by
// Marsaglia's xorshift with the shifts 12, 25, 27 (Journal of Statistical
// Software 8(14), 2003).
func (e *emitter) jitter() {
	if e.opts.Jitter == 0 {
		return
	}
	step := func(shift func(reg, byte), by byte) {
		e.mov(rax, regJitter)
		shift(rax, by)
		e.xor(regJitter, rax)
	}
	step(e.shr, 12)
	step(e.shl, 25)
	step(e.shr, 27)
	e.movImm(rax, 1<<bits.Len(uint(e.opts.Jitter-1))-1)
	e.and(rax, regJitter)
	e.inc(rax)
	loop := e.here()
	e.dec(rax)
	e.jcc(notEqual, loop)
}

// round generates one round of ops, straight-line but for delays.
func (e *emitter) round(ops []gen.Op) {
	var words int32 // logged since regLog moved last
	for _, op := range ops {
		loc := at(regLocs, int32(e.p.Offset(op.Loc))-bias)
		switch op.Kind {
		case gen.Load:
			e.load(rax, loc)
		case gen.Store:
			e.value(op.Value)
			e.store(loc, rax)
		case gen.Exchange:
			e.value(op.Value)
			e.xchg(loc, rax)
		case gen.FetchAdd:
			e.movImm(rax, uint64(op.Value*gen.AddUnit))
			e.lockXadd(loc, rax)
		case gen.FullFence:
			e.mfence()
		case gen.Delay:
			e.movImm(rax, uint64(op.Value))
			loop := e.here()
			e.dec(rax)
			e.jcc(notEqual, loop)
		default:
			panic(fmt.Sprintf("elf: operation kind %d in a valid program", op.Kind))
		}
		if !op.Kind.Reads() {
			continue
		}
		if words == 2*bias/gen.WordBytes {
			e.addImm(regLog, 2*bias)
			words = 0
		}
		e.store(at(regLog, words*gen.WordBytes-bias), rax)
		words++
	}
	if words > 0 {
		e.addImm(regLog, words*gen.WordBytes)
	}
}

// value leaves regBase plus a constant in rax.
func (e *emitter) value(constant gen.Value) {
	if constant <= math.MaxInt32 {
		e.lea(rax, at(regBase, int32(constant)))
		return
	}
	e.movImm(rax, uint64(constant))
	e.add(rax, regBase)
}
