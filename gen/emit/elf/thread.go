package elf

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"ordeal/gen/emit/elf/x86"
	"ordeal/gen/wire"
)

// thread generates thread t: its part in each program, then its exit.
func (e *emitter) thread(t int) {
	e.Symbol(fmt.Sprintf("thread%d", t))
	e.Place(e.threads[t])
	e.MovImm(regRounds, 0)
	e.MovImm(regPhase, 0)
	e.MovImm(regJitter, e.jitterSeed(t))
	if e.opts.Log == LogPseudo {
		e.MovImm(regHeader, uint64(t)<<wire.SumThreadShift)
	}
	exit := e.NewLabel()
	for k := range e.programs {
		e.selectProgram(k)
		e.part(t, exit)
	}
	if t == 0 {
		return
	}
	e.Place(exit)
	e.leave()
	e.MovImm(rdi, 0)
	e.MovImm(rax, e.calls.exit)
	e.Syscall()
}

// leave marks the thread as done, so that no barrier waits for it.
func (e *emitter) leave() {
	e.order()
	e.MovImm(regPhase, phaseDone)
	e.Store(x86.At(regCtl, ctlPhase), regPhase)
}

// part generates the part of thread t in the current program: the start barrier
// and the rounds. Then thread 0 goes to finish and the others to the next
// program; a thread that gives up goes to exit.
func (e *emitter) part(t int, exit x86.Label) {
	if t == 0 {
		e.Place(e.begin[e.k])
	}
	if e.k > 0 {
		e.Symbol(fmt.Sprintf("program%d_thread%d", e.k, t))
	}
	if e.opts.Log == LogMemory {
		payload := e.area.frames[t] + wire.HeaderBytes
		e.touch(payload, e.area.ends[t])
		e.MovImm(regLog, uint64(payload+bias))
	}
	e.MovImm(regLocs, uint64(e.area.locations+bias))
	e.MovImm(regBase, 0)

	done := exit
	if t == 0 {
		done = e.NewLabel()
	}
	if e.opts.Log == LogMemory {
		e.waitOr(wire.ExitStartBarrier, done)
	} else {
		// A thread that misses the others shall still run: what memory does
		// to its accesses says more than that it lost a flag.
		e.call(e.barrier, startPolls)
	}
	e.setPointers()
	e.Symbol(e.roundSymbol(t))
	top := e.Here()
	if e.opts.Sync == SyncRound {
		skip := e.NewLabel()
		if e.opts.Every > 1 {
			e.MovImm(rax, uint64(e.opts.Every-1))
			e.And(rax, regRounds)
			e.Jcc(x86.NotEqual, skip)
		}
		e.waitOr(wire.ExitRoundBarrier, done)
		e.setPointers()
		e.Place(skip)
	}
	e.jitter()
	e.round(t)
	e.place(t, EndOfRound)
	e.Inc(regRounds)
	e.Store(x86.At(regCtl, ctlRounds), regRounds)
	e.addBase(int64(e.p.Stride()) - e.constant)
	e.CmpImm(regRounds, int32(e.opts.Rounds*(e.k+1)))
	e.Jcc(x86.Below, top)

	if !e.last() {
		// Thread 0 waits for this step before it writes the log.
		e.Inc(regPhase)
		e.Store(x86.At(regCtl, ctlPhase), regPhase)
	}
	switch {
	case t == 0:
		if !e.last() {
			e.Jmp(e.finish[e.k])
		}
		e.Place(done)
		e.leave()
		e.Jmp(e.finish[e.k])
	case !e.last():
		// Without thread 0 there is no next program.
		e.MovImm(rdx, uint64(e.mem.control(0)))
		e.Load(rax, x86.At(rdx, ctlFault))
		e.Test(rax, rax)
		e.Jcc(x86.NotEqual, exit)
	}
}

// startPolls is after how many polls a start barrier of LogPseudo lets the
// thread run without the others: several times what starting 64 threads takes.
const startPolls = 1 << 12

func (e *emitter) roundSymbol(t int) string {
	if len(e.programs) == 1 {
		return fmt.Sprintf("thread%d_round", t)
	}
	return fmt.Sprintf("program%d_thread%d_round", e.k, t)
}

// waitOr waits at the next barrier; giving up records the fault with the exit
// code given and goes to done.
func (e *emitter) waitOr(code int, done x86.Label) {
	passed := e.NewLabel()
	e.call(e.barrier, e.pollLimit())
	e.Test(rax, rax)
	e.Jcc(x86.Equal, passed)
	e.MovImm(rax, e.fault(code))
	e.Store(x86.At(regCtl, ctlFault), rax)
	e.Jmp(done)
	e.Place(passed)
}

// touch writes a zero to each page from start to end, so that no page fault
// disturbs the run. Changes rax, rcx and rdx.
func (e *emitter) touch(start, end int64) {
	if start >= end {
		return
	}
	e.MovImm(rax, 0)
	e.MovImm(rdx, uint64(start))
	e.MovImm(rcx, uint64(roundUp(end-start, pageBytes)/pageBytes))
	loop := e.Here()
	e.Store(x86.At(rdx, 0), rax)
	e.AddImm(rdx, pageBytes)
	e.Dec(rcx)
	e.Jcc(x86.NotEqual, loop)
}

// jitterSeed is the first state of the generator of thread t, which is not 0.
func (e *emitter) jitterSeed(t int) uint64 {
	if e.opts.Seed == 0 || e.opts.Jitter == 0 {
		return uint64(t+1) * 0x9e3779b9 & math.MaxUint32
	}
	return rand.NewPCG(e.opts.Seed, uint64(t)).Uint64() | 1
}

// jitter delays a round by a pseudo-random number of iterations, drawn by
// Marsaglia's xorshift with the shifts 12, 25, 27 (Journal of Statistical
// Software 8(14), 2003).
func (e *emitter) jitter() {
	if e.opts.Jitter == 0 {
		return
	}
	step := func(shift func(x86.Reg, byte), by byte) {
		e.Mov(rax, regJitter)
		shift(rax, by)
		e.Xor(regJitter, rax)
	}
	step(e.Shr, 12)
	step(e.Shl, 25)
	step(e.Shr, 27)
	e.MovImm(rax, 1<<bits.Len(uint(e.opts.Jitter-1))-1)
	e.And(rax, regJitter)
	e.Inc(rax)
	loop := e.Here()
	e.Dec(rax)
	e.Jcc(x86.NotEqual, loop)
}
