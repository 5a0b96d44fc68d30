package elf

import (
	"fmt"
	"math"

	"ordeal/gen"
	"ordeal/gen/emit/elf/x86"
)

// A collector keeps what the reads of a round return until they are logged.
type collector interface {
	// load generates a load whose value is kept.
	load(from x86.Mem)
	// atomic is the register that an atomic operation leaves its value in,
	// which keep generates code for.
	atomic() x86.Reg
	keep()
	// end ends the round.
	end()
}

func (e *emitter) newCollector(t int) collector {
	if e.opts.Log == LogPseudo {
		return newRegisterLog(e, e.p.Reads(gen.ThreadID(t)))
	}
	return &memoryLog{emitter: e}
}

// round generates one round of thread t, straight-line but for delays.
func (e *emitter) round(t int) {
	values := e.newCollector(t)
	for i, op := range e.p.Threads[t] {
		e.place(t, i)
		loc := x86.At(regLocs, int32(e.p.Offset(op.Loc))-bias)
		switch op.Kind {
		case gen.Load:
			values.load(loc)
		case gen.Store:
			e.value(rax, op.Value)
			e.Store(loc, rax)
		case gen.Exchange:
			r := values.atomic()
			e.value(r, op.Value)
			e.Xchg(loc, r)
			values.keep()
		case gen.FetchAdd:
			r := values.atomic()
			e.MovImm(r, uint64(op.Value*gen.AddUnit))
			e.LockXadd(loc, r)
			values.keep()
		case gen.FullFence:
			e.Mfence()
		case gen.Delay:
			e.delay(op.Value)
		default:
			panic(fmt.Sprintf("elf: operation kind %d in a valid program", op.Kind))
		}
	}
	values.end()
}

func (e *emitter) delay(iterations gen.Value) {
	e.MovImm(rax, uint64(iterations))
	loop := e.Here()
	e.Dec(rax)
	e.Jcc(x86.NotEqual, loop)
}

// value leaves regBase plus a constant in r.
func (e *emitter) value(r x86.Reg, constant gen.Value) {
	if constant <= math.MaxInt32 {
		e.Lea(r, x86.At(regBase, int32(constant)))
		return
	}
	e.MovImm(r, uint64(constant))
	e.Add(r, regBase)
}

// memoryLog stores each value to the thread's frame.
type memoryLog struct {
	*emitter
	words int32 // logged since regLog moved last
}

func (l *memoryLog) load(from x86.Mem) {
	l.Load(rax, from)
	l.keep()
}

func (l *memoryLog) atomic() x86.Reg { return rax }

func (l *memoryLog) keep() {
	if l.words == 2*bias/gen.WordBytes {
		l.AddImm(regLog, 2*bias)
		l.words = 0
	}
	l.Store(x86.At(regLog, l.words*gen.WordBytes-bias), rax)
	l.words++
}

func (l *memoryLog) end() {
	if l.words > 0 {
		l.AddImm(regLog, l.words*gen.WordBytes)
	}
}
