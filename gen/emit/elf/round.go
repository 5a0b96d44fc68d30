package elf

import (
	"fmt"
	"math"
	"slices"

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
	if e.opts.Log != LogMemory {
		return newRegisterLog(e, t)
	}
	return &memoryLog{emitter: e}
}

// round generates one round of thread t, straight-line but for delays.
func (e *emitter) round(t int) {
	e.constant = 0
	if e.other != nil {
		e.otherRound(t)
		return
	}
	values := e.newCollector(t)
	for i, op := range e.p.Threads[t] {
		e.place(t, i)
		e.late = e.isLate(t, i)
		if n := e.opts.Lfence; n > 0 && i > 0 && i%n == 0 {
			e.native.Lfence()
		}
		loc := e.location(op.Loc)
		switch op.Kind {
		case gen.Load:
			values.load(loc)
		case gen.Store:
			e.value(op.Value)
			e.access(func() { e.Store(loc, regBase) })
		case gen.Exchange:
			r := values.atomic()
			e.value(op.Value)
			e.Mov(r, regBase)
			e.access(func() { e.native.Xchg(loc, r) })
			values.keep()
		case gen.FetchAdd:
			r := values.atomic()
			e.MovImm(r, uint64(op.Value*gen.AddUnit))
			e.access(func() { e.native.LockXadd(loc, r) })
			values.keep()
		case gen.FullFence:
			e.access(e.native.Mfence)
		case gen.Delay:
			e.access(func() { e.delay(op.Value) })
		default:
			panic(fmt.Sprintf("elf: operation kind %d in a valid program", op.Kind))
		}
	}
	values.end()
}

// isLate reports whether an operation is left out of the first rounds.
func (e *emitter) isLate(t, i int) bool {
	if e.opts.Lead == 0 || e.k >= len(e.opts.Late) || t >= len(e.opts.Late[e.k]) {
		return false
	}
	_, found := slices.BinarySearch(e.opts.Late[e.k][t], i)
	return found
}

// access generates the access of an operation, which is jumped over in the first
// rounds if it is late.
func (e *emitter) access(instructions func()) {
	if !e.late {
		instructions()
		return
	}
	skip := e.NewLabel()
	e.CmpImm(regRounds, int32(e.opts.Rounds*e.k+e.opts.Lead))
	e.Jcc(x86.Below, skip)
	instructions()
	e.Place(skip)
}

// delay spends about that many iterations of a loop of two instructions. On
// gem5, where each simulated instruction costs, a part of the time is that
// of multiplications that wait for each other, a cycle each on gem5's
// out-of-order cores (src/cpu/o3/FuncUnitConfig.py, SimdFloatMult).
func (e *emitter) delay(iterations gen.Value) {
	const each = 4
	if e.opts.Log != LogMemory {
		iterations = (iterations + each - 1) / each
	}
	e.MovImm(rax, uint64(iterations))
	loop := e.Here()
	if e.opts.Log != LogMemory {
		e.native.Mulsd(laneScratch, laneScratch)
		e.native.Mulsd(laneScratch, laneScratch)
	}
	e.Dec(rax)
	e.Jcc(x86.NotEqual, loop)
}

// value makes regBase round · stride plus a constant. Constants of a thread
// usually follow one another, so that this is an increment.
func (e *emitter) value(constant gen.Value) {
	e.addBase(int64(constant) - e.constant)
	e.constant = int64(constant)
}

// addBase adds to regBase. Changes rax.
func (e *emitter) addBase(n int64) {
	switch {
	case n == 0:
	case n == 1:
		e.Inc(regBase)
	case n >= math.MinInt32 && n <= math.MaxInt32:
		e.AddImm(regBase, int32(n))
	default:
		e.MovImm(rax, uint64(n))
		e.Add(regBase, rax)
	}
}

// pointers are the registers that locations are addressed by, each by up to
// reach bytes from its place on: one byte of displacement makes code short,
// which is fetched through the caches, too.
func (e *emitter) pointers() []x86.Reg {
	pointers := []x86.Reg{regLocs, r11, r12}
	if e.opts.Jitter == 0 {
		pointers = append(pointers, regJitter)
	}
	return pointers
}

const reach = 2 * bias

// setPointers sets those after the first, as far as they are needed.
func (e *emitter) setPointers() {
	end := e.p.Offset(gen.LocID(len(e.p.Locations) - 1))
	for i, r := range e.pointers() {
		if at := int64(i) * reach; i > 0 && at <= end {
			e.Lea(r, x86.At(regLocs, int32(at)))
		}
	}
}

func (e *emitter) location(l gen.LocID) x86.Mem {
	offset := e.p.Offset(l)
	if pointers := e.pointers(); offset/reach < int64(len(pointers)) {
		return x86.At(pointers[offset/reach], int32(offset%reach)-bias)
	}
	return x86.At(regLocs, int32(offset)-bias)
}

// memoryLog stores each value to the thread's frame.
type memoryLog struct {
	*emitter
	words int32 // logged since regLog moved last
}

func (l *memoryLog) load(from x86.Mem) {
	l.access(func() { l.Load(rax, from) })
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
