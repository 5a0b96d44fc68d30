package elf

import (
	"ordeal/gen"
	"ordeal/gen/emit/elf/x86"
	"ordeal/gen/wire"
)

// Numbers of gem5's pseudo-instructions (include/gem5/asm/generic/m5ops.h of
// v24.0). An exit or failure has a delay in RDI and a failure its code in RSI;
// see wire.SumValues for sums, wire.ItemBits for the beginnings of work.
const (
	m5Exit      = 0x21
	m5Fail      = 0x22
	m5Sum       = 0x23
	m5WorkBegin = 0x5a
)

// The places of values until they are reported: the argument registers of a sum,
// which hold the first ones, except with LogItems, then the low and the high lanes
// of XMM registers, but for the last, which is scratch.
const (
	laneScratch = x86.XMM(15)
	lanes       = int(laneScratch)
)

func sumArguments() []x86.Reg { return []x86.Reg{rsi, rdx, rcx, r8, r9} }

// registerLog keeps values in registers and reports them in groups of about the
// same size: a pseudo-instruction waits until all earlier stores have reached
// memory, so that they should be few and far apart.
type registerLog struct {
	*emitter
	thread    int
	arguments []x86.Reg // that are places
	group     int       // values, of all groups but the last
	filled    int       // places filled since the last group was reported
}

func newRegisterLog(e *emitter, t int) *registerLog {
	l := &registerLog{emitter: e, thread: t}
	unit := 1 // a group is in whole sums
	if e.opts.Log == LogPseudo {
		l.arguments, unit = sumArguments(), wire.SumValues
	}
	units := (e.p.Reads(gen.ThreadID(t)) + unit - 1) / unit
	places := (len(l.arguments) + 2*lanes) / unit
	groups := max((units+places-1)/places, 1)
	l.group = (units + groups - 1) / groups * unit
	return l
}

// general is the general register of place i, if it is one; lane is its lane
// otherwise.
func (l *registerLog) general(i int) (x86.Reg, bool) {
	if i < len(l.arguments) {
		return l.arguments[i], true
	}
	return 0, false
}

func (l *registerLog) lane(i int) (x x86.XMM, high bool) {
	i -= len(l.arguments)
	return x86.XMM(i % lanes), i >= lanes
}

func (l *registerLog) load(from x86.Mem) {
	l.access(func() {
		if r, ok := l.general(l.filled); ok {
			l.Load(r, from)
		} else if x, high := l.lane(l.filled); high {
			l.native.Movhps(x, from)
		} else {
			l.native.Movlps(x, from)
		}
	})
	l.fill()
}

func (l *registerLog) atomic() x86.Reg {
	if r, ok := l.general(l.filled); ok {
		return r
	}
	return rax
}

func (l *registerLog) keep() {
	if _, ok := l.general(l.filled); ok {
		// It is in its place.
	} else if x, high := l.lane(l.filled); high {
		l.native.MovqToXMM(laneScratch, rax)
		l.native.Movlhps(x, laneScratch)
	} else {
		l.native.MovqToXMM(x, rax)
	}
	l.fill()
}

// fill counts a value, and reports a whole group.
func (l *registerLog) fill() {
	if l.filled++; l.filled == l.group {
		l.end()
	}
}

func (l *registerLog) end() {
	if l.opts.Log == LogItems {
		l.endItems()
		return
	}
	arguments := l.arguments
	for i := range l.filled {
		if to := arguments[i%len(arguments)]; i >= len(arguments) {
			l.move(to, i)
		}
		if i%len(arguments) == len(arguments)-1 || i == l.filled-1 {
			l.native.M5op(m5Sum)
			l.Inc(regHeader)
		}
	}
	l.filled = 0
}

func (l *registerLog) endItems() {
	if l.filled > 0 {
		l.MovImm(regTag, itemTag(l.thread))
	}
	for i := range l.filled {
		l.move(regValue, i)
		l.reportValue()
	}
	l.filled = 0
}

// Registers of report.
const (
	regItem   = rdi // scratch
	regValue  = rsi // the value; changed
	regReturn = rdx // where it returns to
	regTag    = rcx // itemTag
)

// itemTag is the upper part of an item.
func itemTag(t int) uint64 { return uint64(t) << wire.ItemBits }

// reportValue reports the value in regValue by items with regTag.
func (e *emitter) reportValue() {
	back := e.NewLabel()
	e.LeaLabel(regReturn, back)
	e.Jmp(e.report)
	e.Place(back)
}

// reportCode generates report, which changes rax too.
func (e *emitter) reportCode() {
	e.Symbol("report")
	e.Place(e.report)
	for i := range wire.ItemsOf(e.programs) {
		if i > 0 {
			e.Shr(regValue, wire.ItemBits)
		}
		e.Mov(regItem, regValue)
		e.Shl(regItem, 64-wire.ItemBits)
		e.Shr(regItem, 64-wire.ItemBits)
		e.Or(regItem, regTag)
		e.native.M5op(m5WorkBegin)
	}
	e.JmpReg(regReturn)
}

// move copies the value in place i, a lane, to a register. That of a high lane takes the
// place of the low one, which was moved before.
func (l *registerLog) move(to x86.Reg, i int) {
	x, high := l.lane(i)
	if high {
		l.native.Movhlps(x, x)
	}
	l.native.MovqFromXMM(to, x)
}

// pseudoFinal reports the final values of the current program, unless a
// thread may still be running.
func (e *emitter) pseudoFinal() {
	skip := e.NewLabel()
	e.Test(regStuck, regStuck)
	e.Jcc(x86.NotEqual, skip)
	group := wire.FinalGroup(e.p.Layout)
	report := e.reportValue
	if e.opts.Log == LogItems {
		e.MovImm(regTag, itemTag(wire.ItemFinal))
	} else {
		before := 0
		for _, p := range e.programs[:e.k] {
			before += wire.FinalSums(p)
		}
		e.Mov(r11, regHeader)
		e.MovImm(regHeader, uint64(wire.SumFinal)<<wire.SumThreadShift|uint64(before))
		report = func() {
			e.native.M5op(m5Sum)
			e.Inc(regHeader)
		}
	}
	e.MovImm(r9, uint64(wire.FinalSums(e.p)/group))
	e.MovImm(r8, uint64(e.area.locations))
	loop := e.Here()
	for i := range group {
		e.Load(regValue, x86.At(r8, int32(i*gen.WordBytes)))
		report()
	}
	e.AddImm(r8, int32(e.p.Offset(gen.LocID(group))))
	e.Dec(r9)
	e.Jcc(x86.NotEqual, loop)
	if e.opts.Log == LogPseudo {
		e.Mov(regHeader, r11)
	}
	e.Place(skip)
}

// pseudoExit ends the simulation with the code in regExit.
func (e *emitter) pseudoExit() {
	failed, wait := e.NewLabel(), e.NewLabel()
	e.MovImm(rdi, 0)
	e.Mov(rsi, regExit)
	e.Test(rsi, rsi)
	e.Jcc(x86.NotEqual, failed)
	e.native.M5op(m5Exit)
	e.Jmp(wait)
	e.Place(failed)
	e.native.M5op(m5Fail)
	e.Place(wait) // The simulation ends at the end of this tick.
	e.Pause()
	e.Jmp(wait)
}
