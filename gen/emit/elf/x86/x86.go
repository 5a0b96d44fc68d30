// Package x86 assembles machine code for x86-64: a method for each instruction
// that generated executables and the seccomp shim need. Operands follow Intel's
// order, destination first.
package x86

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Reg is a 64-bit general-purpose register, numbered as in the encoding.
type Reg uint8

// The registers.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// XMM is a 128-bit register, 0 to 15, of two lanes of 64 bits.
type XMM uint8

// Cond is a condition code, as in the low four bits of Jcc.
type Cond uint8

// The conditions.
const (
	Below      Cond = 0x2
	AboveEqual Cond = 0x3
	Equal      Cond = 0x4
	NotEqual   Cond = 0x5
	BelowEqual Cond = 0x6
	Sign       Cond = 0x8
	LessEqual  Cond = 0xe
)

// Mem is the operand [base+disp]; see At.
type Mem struct {
	base Reg
	disp int32
}

// At is the operand [base+disp].
func At(base Reg, disp int32) Mem { return Mem{base, disp} }

// Base and Disp are the parts of the operand.
func (m Mem) Base() Reg   { return m.base }
func (m Mem) Disp() int32 { return m.disp }

// Label is a place in the code that jumps may name before it is known.
type Label int

// Symbol names a place in the code for debuggers and disassemblers.
type Symbol struct {
	Name   string
	Offset int
}

// fixup is a rel32 field at offset at for the distance to target.
type fixup struct {
	at     int
	target Label
}

// Assembler is a one-pass assembler; its zero value is empty. Forward jumps
// take rel32, backward jumps rel8 where it reaches.
type Assembler struct {
	// Code is final after Resolve.
	Code    []byte
	Symbols []Symbol

	labels []int // offset of each label, -1 while unplaced
	fixups []fixup
}

// Bytes is Code, and Names are Symbols.
func (a *Assembler) Bytes() []byte   { return a.Code }
func (a *Assembler) Names() []Symbol { return a.Symbols }

// Emit appends bytes.
func (a *Assembler) Emit(b ...byte) { a.Code = append(a.Code, b...) }

func (a *Assembler) imm32(v uint32) { a.Code = binary.LittleEndian.AppendUint32(a.Code, v) }

// NewLabel returns a label still to be placed.
func (a *Assembler) NewLabel() Label {
	a.labels = append(a.labels, -1)
	return Label(len(a.labels) - 1)
}

// Place puts l at the end of the code.
func (a *Assembler) Place(l Label) { a.labels[l] = len(a.Code) }

// Here returns a label placed at the end of the code.
func (a *Assembler) Here() Label {
	l := a.NewLabel()
	a.Place(l)
	return l
}

// Symbol names the end of the code.
func (a *Assembler) Symbol(name string) { a.Symbols = append(a.Symbols, Symbol{name, len(a.Code)}) }

// Resolve fills in the distances of all jumps. A label that was never placed is
// a bug of the code generator, which places each label it makes on every path.
func (a *Assembler) Resolve() {
	for _, f := range a.fixups {
		to := a.labels[f.target]
		if to < 0 {
			panic(fmt.Sprintf("x86: label %d was never placed", f.target))
		}
		binary.LittleEndian.PutUint32(a.Code[f.at:], uint32(int32(to-(f.at+4))))
	}
	a.fixups = nil
}

// rel32 emits an opcode and the distance to l, filled in by Resolve.
func (a *Assembler) rel32(l Label, opcode ...byte) {
	a.Emit(opcode...)
	a.fixups = append(a.fixups, fixup{len(a.Code), l})
	a.imm32(0)
}

// Jmp jumps to l, Call calls the subroutine there, and Ret returns from it.
func (a *Assembler) Jmp(l Label)  { a.rel32(l, 0xe9) }
func (a *Assembler) Call(l Label) { a.rel32(l, 0xe8) }
func (a *Assembler) Ret()         { a.Emit(0xc3) }

// Jcc jumps to l when c holds.
func (a *Assembler) Jcc(c Cond, l Label) {
	if to := a.labels[l]; to >= 0 {
		if d := to - (len(a.Code) + 2); d >= math.MinInt8 {
			a.Emit(0x70|byte(c), byte(int8(d)))
			return
		}
	}
	a.rel32(l, 0x0f, 0x80|byte(c))
}

// JmpReg jumps to the address in r.
func (a *Assembler) JmpReg(r Reg) {
	if r >= R8 {
		a.Emit(0x41)
	}
	a.Emit(0xff, 0xe0|byte(r&7))
}

// LeaLabel is dst = the address of l.
func (a *Assembler) LeaLabel(dst Reg, l Label) {
	a.rel32(l, rexW(dst, 0), 0x8d, 0x05|byte(dst&7)<<3)
}

// rexW is the REX prefix of a 64-bit operation on field reg and r/m.
func rexW(field, rm Reg) byte { return 0x48 | byte(field>>3)<<2 | byte(rm>>3) }

// memory emits a 64-bit operation with the operand m: REX, opcode, ModRM, SIB
// and displacement, shortest form first.
func (a *Assembler) memory(field Reg, m Mem, opcode ...byte) {
	a.Emit(rexW(field, m.base))
	a.Emit(opcode...)
	f, b := byte(field&7)<<3, byte(m.base&7)
	mod := byte(0x80)
	switch {
	case m.disp == 0 && b != byte(RBP):
		mod = 0
	case m.disp >= math.MinInt8 && m.disp <= math.MaxInt8:
		mod = 0x40
	}
	a.Emit(mod | f | b)
	if b == byte(RSP) { // also r12: these need a SIB byte
		a.Emit(0x24)
	}
	switch mod {
	case 0x40:
		a.Emit(byte(int8(m.disp)))
	case 0x80:
		a.imm32(uint32(m.disp))
	}
}

// Operations on memory. Lea is dst = the address of m, Xchg is atomic, and after
// CmpMem Below means m < r, unsigned.
func (a *Assembler) Load(dst Reg, m Mem)   { a.memory(dst, m, 0x8b) }
func (a *Assembler) Store(m Mem, src Reg)  { a.memory(src, m, 0x89) }
func (a *Assembler) Lea(dst Reg, m Mem)    { a.memory(dst, m, 0x8d) }
func (a *Assembler) Xchg(m Mem, r Reg)     { a.memory(r, m, 0x87) }
func (a *Assembler) CmpMem(m Mem, r Reg)   { a.memory(r, m, 0x39) }
func (a *Assembler) XorMem(dst Reg, m Mem) { a.memory(dst, m, 0x33) }

// LockXadd atomically adds r to m and leaves m's old value in r.
func (a *Assembler) LockXadd(m Mem, r Reg) {
	a.Emit(0xf0)
	a.memory(r, m, 0x0f, 0xc1)
}

// MovImm loads a constant in the fewest bytes; 0 changes the flags.
func (a *Assembler) MovImm(dst Reg, v uint64) {
	switch {
	case v == 0: // xor r32, r32
		if dst >= R8 {
			a.Emit(0x45)
		}
		a.Emit(0x31, 0xc0|byte(dst&7)<<3|byte(dst&7))
	case v <= math.MaxUint32: // mov r32, imm32 clears the upper half
		if dst >= R8 {
			a.Emit(0x41)
		}
		a.Emit(0xb8 | byte(dst&7))
		a.imm32(uint32(v))
	default:
		a.Emit(rexW(0, dst), 0xb8|byte(dst&7))
		a.Code = binary.LittleEndian.AppendUint64(a.Code, v)
	}
}

// registers emits a two-register operation whose r/m operand is the
// destination.
func (a *Assembler) registers(opcode byte, dst, src Reg) {
	a.Emit(rexW(src, dst), opcode, 0xc0|byte(src&7)<<3|byte(dst&7))
}

// Operations on registers: dst = dst op src, or the flags of left & right.
func (a *Assembler) Mov(dst, src Reg)     { a.registers(0x89, dst, src) }
func (a *Assembler) Add(dst, src Reg)     { a.registers(0x01, dst, src) }
func (a *Assembler) Sub(dst, src Reg)     { a.registers(0x29, dst, src) }
func (a *Assembler) And(dst, src Reg)     { a.registers(0x21, dst, src) }
func (a *Assembler) Or(dst, src Reg)      { a.registers(0x09, dst, src) }
func (a *Assembler) Xor(dst, src Reg)     { a.registers(0x31, dst, src) }
func (a *Assembler) Test(left, right Reg) { a.registers(0x85, left, right) }

// immediate emits an operation of opcode group 0x81.
func (a *Assembler) immediate(group byte, r Reg, v int32) {
	if v >= math.MinInt8 && v <= math.MaxInt8 {
		a.Emit(rexW(0, r), 0x83, 0xc0|group<<3|byte(r&7), byte(int8(v)))
		return
	}
	a.Emit(rexW(0, r), 0x81, 0xc0|group<<3|byte(r&7))
	a.imm32(uint32(v))
}

// AddImm is r += v, as a subtraction where that is shorter.
func (a *Assembler) AddImm(r Reg, v int32) {
	if v == 128 {
		a.immediate(5, r, -128)
		return
	}
	a.immediate(0, r, v)
}

// CmpImm compares r with v.
func (a *Assembler) CmpImm(r Reg, v int32) { a.immediate(7, r, v) }

// MulImm is dst = src·v.
func (a *Assembler) MulImm(dst, src Reg, v int32) {
	a.Emit(rexW(dst, src), 0x69, 0xc0|byte(dst&7)<<3|byte(src&7))
	a.imm32(uint32(v))
}

func (a *Assembler) shift(group byte, r Reg, by byte) {
	a.Emit(rexW(0, r), 0xc1, 0xc0|group<<3|byte(r&7), by)
}

// Rol rotates r to the left; Shl and Shr shift it, unsigned.
func (a *Assembler) Rol(r Reg, by byte) { a.shift(0, r, by) }
func (a *Assembler) Shl(r Reg, by byte) { a.shift(4, r, by) }
func (a *Assembler) Shr(r Reg, by byte) { a.shift(5, r, by) }

// Inc is r++, Dec r--.
func (a *Assembler) Inc(r Reg) { a.Emit(rexW(0, r), 0xff, 0xc0|byte(r&7)) }
func (a *Assembler) Dec(r Reg) { a.Emit(rexW(0, r), 0xff, 0xc8|byte(r&7)) }

// Mfence orders all earlier with all later accesses, Lfence lets no later instruction
// begin before all earlier loads have completed, Pause is the hint for spin loops, and
// Syscall enters the kernel.
func (a *Assembler) Mfence()  { a.Emit(0x0f, 0xae, 0xf0) }
func (a *Assembler) Lfence()  { a.Emit(0x0f, 0xae, 0xe8) }
func (a *Assembler) Pause()   { a.Emit(0xf3, 0x90) }
func (a *Assembler) Syscall() { a.Emit(0x0f, 0x05) }

// Movlps loads the low lane of x, Movhps the high one; the other lane stays.
func (a *Assembler) Movlps(x XMM, m Mem) { a.lane(x, m, 0x12) }
func (a *Assembler) Movhps(x XMM, m Mem) { a.lane(x, m, 0x16) }

func (a *Assembler) lane(x XMM, m Mem, opcode byte) {
	start := len(a.Code)
	a.memory(Reg(x), m, 0x0f, opcode)
	a.narrow(start)
}

// narrow takes the 64-bit operand size from the REX prefix at start, and the
// prefix away if it says nothing else.
func (a *Assembler) narrow(start int) {
	if a.Code[start] &^= 0x08; a.Code[start] == 0x40 {
		a.Code = slices.Delete(a.Code, start, start+1)
	}
}

// MovqFromXMM is dst = the low lane of x, MovqToXMM is low lane of x = src and
// high lane = 0.
func (a *Assembler) MovqFromXMM(dst Reg, x XMM) { a.movq(0x7e, dst, x) }
func (a *Assembler) MovqToXMM(x XMM, src Reg)   { a.movq(0x6e, src, x) }

func (a *Assembler) movq(opcode byte, r Reg, x XMM) {
	a.Emit(0x66, rexW(Reg(x), r), 0x0f, opcode, 0xc0|byte(x&7)<<3|byte(r&7))
}

// Movhlps is low lane of dst = high lane of src, Movlhps is high lane of dst =
// low lane of src; the other lane stays.
func (a *Assembler) Movhlps(dst, src XMM) { a.lanes(0x12, dst, src) }
func (a *Assembler) Movlhps(dst, src XMM) { a.lanes(0x16, dst, src) }

// Mulsd multiplies the low lanes as doubles: dst *= src.
func (a *Assembler) Mulsd(dst, src XMM) {
	a.Emit(0xf2)
	a.lanes(0x59, dst, src)
}

// Fsqrt replaces the top of the floating-point stack, which may be empty, by its
// square root.
func (a *Assembler) Fsqrt() { a.Emit(0xd9, 0xfa) }

func (a *Assembler) lanes(opcode byte, dst, src XMM) {
	start := len(a.Code)
	a.Emit(rexW(Reg(dst), Reg(src)), 0x0f, opcode, 0xc0|byte(dst&7)<<3|byte(src&7))
	a.narrow(start)
}

// M5op is gem5's pseudo-instruction with a number of
// include/gem5/asm/generic/m5ops.h. Its arguments are in RDI, RSI, RDX, RCX, R8
// and R9, as far as it has any; it changes RAX. Processors do not know it.
func (a *Assembler) M5op(number uint16) { a.Emit(0x0f, 0x04, byte(number), byte(number>>8)) }
