package elf

import (
	"ordeal/gen"
	"ordeal/gen/wire"
)

// The system calls used, and the number of sched_yield for Options.Yield.
const (
	sysWrite      = 1
	sysSchedYield = 24
	sysClone      = 56
	sysExit       = 60
	sysExitGroup  = 231
)

// The registers of a thread. Subroutines change rax, rcx, rdx, r8, r9 and
// r11, besides what they say.
const (
	regPhase  = rbp // barriers reached
	regLocs   = rbx // the locations, plus bias
	regLog    = rdi // where the next value goes, plus a bias that moves
	regBase   = rsi // round · stride
	regJitter = r10 // state of the pseudo-random generator
	regStride = r13
	regRounds = r14 // rounds completed
	regCtl    = r15 // the thread's control line
)

// bias is added to pointers so that displacements of one byte reach from 0 to
// 255 bytes after what they point at.
const bias = 128

// emitter generates the code of one executable.
type emitter struct {
	asm
	programs []*gen.Program // run one after the other
	opts     Options
	mem      *memory

	// p is the program that code is being generated for, number k of the
	// batch, and area is its memory.
	p    *gen.Program
	area *area
	k    int

	barrier, await         label // subroutines
	sealFrame, writeFrame  label
	threads, finish, begin []label // by thread; of thread 0 by program
}

// program generates all code; execution starts at its first byte.
func (e *emitter) program() {
	e.barrier, e.await, e.sealFrame, e.writeFrame = e.newLabel(), e.newLabel(), e.newLabel(), e.newLabel()
	for range e.programs[0].Threads {
		e.threads = append(e.threads, e.newLabel())
	}
	for range e.programs {
		e.finish, e.begin = append(e.finish, e.newLabel()), append(e.begin, e.newLabel())
	}
	e.start()
	for t := range e.threads {
		e.thread(t)
	}
	e.waiting()
	e.ending()
	e.resolve()
}

// turn makes program k the one that code is generated for.
func (e *emitter) turn(k int) {
	e.k, e.p, e.area = k, e.programs[k], &e.mem.areas[k]
}

// last reports whether no program follows this one.
func (e *emitter) last() bool { return e.k == len(e.programs)-1 }

// start runs on the process's own thread: it touches the locations, starts
// the other threads and becomes thread 0.
func (e *emitter) start() {
	e.symbol("start")
	for k := range e.programs {
		e.turn(k)
		e.touch(e.area.locations, e.area.locations+e.p.Offset(gen.LocID(len(e.p.Locations))))
	}
	failed := e.newLabel()
	for t := 1; t < len(e.threads); t++ {
		const flags = 0x50f00 // VM, FS, FILES, SIGHAND, THREAD, SYSVSEM
		e.movImm(rdi, flags)
		e.movImm(rsi, uint64(e.mem.stackTop(t)))
		e.movImm(rdx, 0)
		e.movImm(r10, 0)
		e.movImm(r8, 0)
		e.movImm(regCtl, uint64(e.mem.control(t)))
		e.movImm(rax, sysClone)
		e.syscall()
		e.test(rax, rax)
		e.jcc(equal, e.threads[t])
		e.jcc(sign, failed)
	}
	e.movImm(regCtl, uint64(e.mem.control(0)))
	e.jmp(e.threads[0])

	e.symbol("clone_failed")
	e.place(failed)
	e.movImm(rdi, wire.ExitCloneFailed)
	e.movImm(rax, sysExitGroup)
	e.syscall()
}
