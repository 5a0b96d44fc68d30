package elf

import (
	"ordeal/gen"
	"ordeal/gen/emit/elf/x86"
)

// yieldEvery is after how many polls a waiting thread yields: about the time of
// a context switch, so that threads with a core each leave a barrier together.
// A power of two.
const yieldEvery = 256

// Where gem5 simulates the waiting thread and the others wait at the end only, a poll
// takes about slowRoots square roots, each of which depends on the one before: a core
// with nothing to do but to wait executes few instructions meanwhile. On gem5's
// out-of-order cores a square root takes 24 cycles (src/cpu/o3/FuncUnitConfig.py,
// FloatSqrt). Such a poll counts for slowPolls others. It is not used where threads
// begin each round together, as they leave a barrier up to a poll apart.
const (
	slowRoots = 8
	slowPolls = 4
)

// slow reports that polls are slow.
func (e *emitter) slow() bool { return e.opts.Log != LogMemory && e.opts.Sync == SyncFree }

// pollLimit is after how many polls a barrier gives up on a thread: Spin, the
// iterations of the delays of the longest round, and, where the others wait for
// the next program while thread 0 writes a log, as many as that takes.
func (e *emitter) pollLimit() uint64 {
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
	limit := uint64(e.opts.Spin) + uint64(longest)
	if len(e.programs) > 1 && e.opts.Log == LogMemory {
		var words int64
		for _, p := range e.programs {
			words = max(words, LogBytes(p, e.opts.Rounds)/gen.WordBytes)
		}
		// A word of the log misses every cache in the worst case.
		limit += 16*uint64(words) + 4*uint64(e.opts.Settle)
	}
	return limit
}

// call calls the barrier or await, with a limit of polls.
func (e *emitter) call(subroutine x86.Label, limit uint64) {
	back := e.NewLabel()
	if e.slow() {
		limit = (limit + slowPolls - 1) / slowPolls
	}
	e.MovImm(regLimit, limit)
	e.LeaLabel(regLink, back)
	e.Jmp(subroutine)
	e.Place(back)
}

// barrierCode generates the barriers. All spinning is on plain loads, and each
// control line is written by its own thread with plain stores only, so that
// they hold on a memory system whose atomics are broken, and a lost store
// ends in giving up.
func (e *emitter) barrierCode() {
	// barrier announces that the thread has reached its next barrier and
	// waits for the others, regLimit polls for each. Leaves 0 in rax, or 1
	// when it gave up.
	e.Symbol("barrier")
	e.Place(e.barrier)
	e.order()
	e.Inc(regPhase)
	e.Store(x86.At(regCtl, ctlPhase), regPhase)

	// await waits until every thread has reached phase regPhase. The phase
	// only grows, so that a thread that is already past the barrier, or done,
	// is not waited for. A thread that completes a round
	// gets the full limit again. Leaves 0 or 1 in rax like barrier.
	e.Symbol("await")
	e.Place(e.await)
	controls := e.mem.control(0)
	end := e.mem.control(len(e.threads))
	arrived, stuck := e.NewLabel(), e.NewLabel()
	e.MovImm(rdx, uint64(controls))
	next := e.Here()
	e.Mov(r9, regLimit)
	e.Load(r8, x86.At(rdx, ctlRounds))
	poll := e.Here()
	e.CmpMem(x86.At(rdx, ctlPhase), regPhase)
	e.Jcc(x86.AboveEqual, arrived)
	e.Pause()
	if e.slow() {
		for range slowRoots {
			e.native.Fsqrt()
		}
	}
	e.CmpMem(x86.At(rdx, ctlRounds), r8)
	e.Jcc(x86.NotEqual, next)
	e.Dec(r9)
	e.Jcc(x86.Equal, stuck)
	if e.opts.Yield {
		e.MovImm(rax, yieldEvery-1)
		e.And(rax, r9)
		e.Jcc(x86.NotEqual, poll)
		e.MovImm(rax, e.calls.yield)
		e.Syscall()
	}
	e.Jmp(poll)
	e.Place(stuck)
	e.MovImm(rax, 1)
	e.JmpReg(regLink)

	e.Place(arrived)
	e.AddImm(rdx, controlBytes)
	e.CmpImm(rdx, int32(end))
	e.Jcc(x86.Below, next)
	e.order()
	e.MovImm(rax, 0)
	e.JmpReg(regLink)
}
