package elf

import (
	"fmt"

	"ordeal/gen"
	"ordeal/gen/emit/elf/risc"
	"ordeal/gen/emit/elf/x86"
)

// machine is the part of x86.Assembler that other instruction sets have, too. They
// take its registers for roles.
type machine interface {
	NewLabel() x86.Label
	Place(l x86.Label)
	Here() x86.Label
	Symbol(name string)
	Resolve()
	Bytes() []byte
	Names() []x86.Symbol
	Jmp(l x86.Label)
	Call(l x86.Label)
	Ret()
	Jcc(c x86.Cond, l x86.Label)
	JmpReg(r x86.Reg)
	LeaLabel(dst x86.Reg, l x86.Label)
	Load(dst x86.Reg, m x86.Mem)
	Store(m x86.Mem, src x86.Reg)
	Lea(dst x86.Reg, m x86.Mem)
	CmpMem(m x86.Mem, r x86.Reg)
	XorMem(dst x86.Reg, m x86.Mem)
	MovImm(dst x86.Reg, v uint64)
	Mov(dst, src x86.Reg)
	Add(dst, src x86.Reg)
	Sub(dst, src x86.Reg)
	And(dst, src x86.Reg)
	Or(dst, src x86.Reg)
	Xor(dst, src x86.Reg)
	Test(left, right x86.Reg)
	AddImm(r x86.Reg, v int32)
	CmpImm(r x86.Reg, v int32)
	MulImm(dst, src x86.Reg, v int32)
	Rol(r x86.Reg, by byte)
	Shl(r x86.Reg, by byte)
	Shr(r x86.Reg, by byte)
	Inc(r x86.Reg)
	Dec(r x86.Reg)
	Pause()
	Syscall()
}

// systemCalls are numbers; yield is that of sched_yield, for Options.Yield.
type systemCalls struct{ write, yield, clone, exit, exitGroup uint64 }

func newEmitter(programs []*gen.Program, opts Options, m *memory) *emitter {
	e := &emitter{programs: programs, opts: opts, mem: m}
	if isa := programs[0].ISA; isa != gen.X86 {
		e.other = risc.New(isa)
		e.machine, e.calls = e.other, systemCalls{write: 64, yield: 124, clone: 220, exit: 93, exitGroup: 94}
		return e
	}
	e.native = &x86.Assembler{}
	e.machine, e.calls = e.native, systemCalls{write: 1, yield: 24, clone: 56, exit: 60, exitGroup: 231}
	return e
}

// validateOther reports what keeps a program of another instruction set than
// x86-64, of a batch of that many, from being emitted.
func validateOther(p *gen.Program, programs int, log Log) error {
	switch {
	case p.ISA == gen.X86:
		return nil
	case p.ISA == gen.RISCV64A:
		return fmt.Errorf("executables are of RV64GC: %s is not supported", p.ISA)
	case programs > 1:
		return fmt.Errorf("a batch of %d programs of %s: want one", programs, p.ISA)
	case log != LogMemory:
		return fmt.Errorf("gem5's pseudo-instructions are not supported for %s", p.ISA)
	}
	for t, ops := range p.Threads {
		if _, err := risc.New(p.ISA).NewRound(ops); err != nil {
			return fmt.Errorf("thread %d: %w", t, err)
		}
	}
	return nil
}

// order orders all accesses before with all after it, where barriers of plain
// loads and stores need that: x86-64 keeps their order.
func (e *emitter) order() {
	if e.other != nil {
		e.other.Fence()
	}
}

// otherRound generates one round of thread t. What a load-linked returned is logged
// after its store-conditional: a store between them might make that fail for ever.
func (e *emitter) otherRound(t int) {
	const linked, status = r8, rdx
	ops := e.p.Threads[t]
	values := &memoryLog{emitter: e}
	round, err := e.other.NewRound(ops)
	if err != nil {
		panic("elf: " + err.Error()) // validateOther has called it
	}
	var skip x86.Label // behind the attempt at hand
	paired := map[int]bool{}
	for i, op := range ops {
		if op.Kind == gen.StoreConditional {
			paired[gen.Linked(ops, i)] = true
		}
	}
	log := func(from x86.Reg) {
		e.Mov(rax, from)
		values.keep()
	}
	for i, op := range ops {
		e.place(t, i)
		retry := op.Attr&gen.Retry != 0
		if retry && op.Kind == gen.LoadLinked { // and its store, unless the attempt before it failed
			again := e.NewLabel()
			skip = e.NewLabel()
			e.CmpImm(status, 1)
			e.Jcc(x86.Equal, again)
			e.MovImm(linked, 0)
			e.MovImm(status, uint64(gen.Skipped))
			e.Jmp(skip)
			e.Place(again)
		}
		if op.Kind == gen.Delay {
			e.delay(op.Value)
			continue
		}
		x := risc.Access{Op: op, Data: regBase, To: rax}
		if op.Kind.Reads() || op.Kind.Writes() {
			x.At = e.location(op.Loc)
		}
		switch {
		case op.Kind.Constant():
			e.value(op.Value)
		case op.Kind == gen.FetchAdd:
			x.Data = rcx
			e.MovImm(rcx, uint64(op.Value*gen.AddUnit))
		}
		switch op.Kind {
		case gen.LoadLinked:
			x.To = linked
		case gen.StoreConditional:
			x.To = status
		}
		round.Perform(i, x)
		if !op.Kind.Reads() {
			continue
		}
		round.Keep(i, x.To)
		switch {
		case op.Kind == gen.StoreConditional:
			if retry {
				e.Place(skip)
			}
			log(linked)
			log(status)
		case !paired[i]:
			log(x.To)
		}
	}
	values.end()
}
