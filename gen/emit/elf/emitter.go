package elf

import (
	"ordeal/gen"
	"ordeal/gen/emit/elf/risc"
	"ordeal/gen/emit/elf/x86"
	"ordeal/gen/wire"
)

const (
	rax, rcx, rdx, rbx = x86.RAX, x86.RCX, x86.RDX, x86.RBX
	rbp, rsi, rdi      = x86.RBP, x86.RSI, x86.RDI
	r8, r9, r10, r11   = x86.R8, x86.R9, x86.R10, x86.R11
	r12, r13, r14, r15 = x86.R12, x86.R13, x86.R14, x86.R15
)

// The registers of a thread. Subroutines change rax, rcx, rdx, r8, r9 and
// r11, besides what they say. Barriers return by regLink, so that no return
// address goes through a memory that may lose it.
const (
	regPhase  = rbp // barriers reached
	regLocs   = rbx // the locations, plus bias
	regLog    = rdi // where the next value goes, plus a bias that moves
	regHeader = rdi // of the next sum, in place of regLog
	regLimit  = rsi // polls after which a barrier gives up, from its call on
	regJitter = r10 // state of the pseudo-random generator, or see pointers
	regLink   = r12 // where a barrier returns to, from its call on
	regBase   = r13 // round · stride, plus the last constant stored in a round
	regRounds = r14 // rounds completed
	regCtl    = r15 // the thread's control line
)

// bias is added to pointers so that displacements of one byte reach from 0 to
// 255 bytes after what they point at.
const bias = 128

type emitter struct {
	machine
	native   *x86.Assembler  // the machine, or nil
	other    *risc.Assembler // the same of another instruction set
	calls    systemCalls
	programs []*gen.Program // run one after the other
	places   []Place
	opts     Options
	mem      *memory

	// p is the program that code is being generated for, number k of the
	// batch, and area is its memory.
	p    *gen.Program
	area *area
	k    int
	// constant is the last one stored in the round, 0 at its start.
	constant int64
	// late reports that the current operation is left out of the first rounds.
	late bool

	barrier, await         x86.Label // subroutines
	report                 x86.Label // of LogItems
	sealFrame, writeFrame  x86.Label
	threads, finish, begin []x86.Label // by thread; of thread 0 by program
}

// program generates all code; execution starts at its first byte.
func (e *emitter) program() {
	e.barrier, e.await, e.report, e.sealFrame, e.writeFrame = e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel()
	for range e.programs[0].Threads {
		e.threads = append(e.threads, e.NewLabel())
	}
	for range e.programs {
		e.finish, e.begin = append(e.finish, e.NewLabel()), append(e.begin, e.NewLabel())
	}
	e.start()
	for t := range e.threads {
		e.thread(t)
	}
	e.barrierCode()
	if e.opts.Log == LogItems {
		e.reportCode()
	}
	e.finishCode()
	e.Resolve()
}

// selectProgram makes program k the one that code is generated for.
func (e *emitter) selectProgram(k int) {
	e.k, e.p, e.area = k, e.programs[k], &e.mem.areas[k]
}

func (e *emitter) last() bool { return e.k == len(e.programs)-1 }

// start runs on the process's own thread: it touches the locations, starts
// the other threads and becomes thread 0.
func (e *emitter) start() {
	e.Symbol("start")
	for k := range e.programs {
		e.selectProgram(k)
		e.touch(e.area.locations, e.area.locations+e.p.Offset(gen.LocID(len(e.p.Locations))))
	}
	failed := e.NewLabel()
	for t := 1; t < len(e.threads); t++ {
		const flags = 0x50f00 // VM, FS, FILES, SIGHAND, THREAD, SYSVSEM
		e.MovImm(rdi, flags)
		e.MovImm(rsi, uint64(e.mem.stackTop(t)))
		e.MovImm(rdx, 0)
		e.MovImm(r10, 0)
		e.MovImm(r8, 0)
		e.MovImm(regCtl, uint64(e.mem.control(t)))
		e.MovImm(rax, e.calls.clone)
		e.Syscall()
		e.Test(rax, rax)
		e.Jcc(x86.Equal, e.threads[t])
		e.Jcc(x86.Sign, failed)
	}
	e.MovImm(regCtl, uint64(e.mem.control(0)))
	e.Jmp(e.threads[0])

	e.Symbol("clone_failed")
	e.Place(failed)
	e.MovImm(regExit, wire.ExitCloneFailed)
	e.exit()
}

// exit ends the executable with the code in regExit.
func (e *emitter) exit() {
	if e.opts.Log != LogMemory {
		e.pseudoExit()
		return
	}
	e.Mov(rdi, regExit)
	e.MovImm(rax, e.calls.exitGroup)
	e.Syscall()
}
