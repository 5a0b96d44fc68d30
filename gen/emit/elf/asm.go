package elf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// reg is a 64-bit general-purpose register, numbered as the encoding wants.
type reg uint8

// The registers.
const (
	rax reg = iota
	rcx
	rdx
	rbx
	rsp
	rbp
	rsi
	rdi
	r8
	r9
	r10
	r11
	r12
	r13
	r14
	r15
)

// cond is a condition code, as in the low four bits of Jcc.
type cond uint8

// The conditions used.
const (
	below      cond = 0x2
	aboveEqual cond = 0x3
	equal      cond = 0x4
	notEqual   cond = 0x5
	belowEqual cond = 0x6
	sign       cond = 0x8
	lessEqual  cond = 0xe
)

// label is a place in the code that jumps name before or after it is known.
type label int

// fixup is a rel32 field at offset at that wants the distance to target.
type fixup struct {
	at     int
	target label
}

// symbol names a place in the code for debuggers and disassemblers.
type symbol struct {
	name string
	at   int
}

// asm is a one-pass assembler for the few x86-64 instructions needed here.
// Operands follow Intel's order, destination first. Forward jumps take rel32,
// backward jumps rel8 where it reaches.
type asm struct {
	code    []byte
	labels  []int // offset of each label, -1 while unplaced
	fixups  []fixup
	symbols []symbol
}

func (a *asm) emit(b ...byte) { a.code = append(a.code, b...) }

func (a *asm) imm32(v uint32) { a.code = binary.LittleEndian.AppendUint32(a.code, v) }

func (a *asm) imm64(v uint64) { a.code = binary.LittleEndian.AppendUint64(a.code, v) }

// newLabel returns a label still to be placed.
func (a *asm) newLabel() label {
	a.labels = append(a.labels, -1)
	return label(len(a.labels) - 1)
}

// place puts l here.
func (a *asm) place(l label) { a.labels[l] = len(a.code) }

// here returns a label placed at this point.
func (a *asm) here() label {
	l := a.newLabel()
	a.place(l)
	return l
}

// symbol names this point of the code.
func (a *asm) symbol(name string) { a.symbols = append(a.symbols, symbol{name, len(a.code)}) }

// resolve patches every jump. A label that was never placed is a bug of the
// code generator, which places each label it makes on every path.
func (a *asm) resolve() {
	for _, f := range a.fixups {
		to := a.labels[f.target]
		if to < 0 {
			panic(fmt.Sprintf("elf: label %d was never placed", f.target))
		}
		binary.LittleEndian.PutUint32(a.code[f.at:], uint32(int32(to-(f.at+4))))
	}
	a.fixups = nil
}

// rel32 emits the distance to l, now or when it is known.
func (a *asm) rel32(l label) {
	a.fixups = append(a.fixups, fixup{len(a.code), l})
	a.imm32(0)
}

func (a *asm) jmp(l label)  { a.emit(0xe9); a.rel32(l) }
func (a *asm) call(l label) { a.emit(0xe8); a.rel32(l) }
func (a *asm) ret()         { a.emit(0xc3) }

// jcc jumps to l when c holds.
func (a *asm) jcc(c cond, l label) {
	if to := a.labels[l]; to >= 0 {
		if d := to - (len(a.code) + 2); d >= math.MinInt8 {
			a.emit(0x70|byte(c), byte(int8(d)))
			return
		}
	}
	a.emit(0x0f, 0x80|byte(c))
	a.rel32(l)
}

// mem is the operand [base+disp].
type mem struct {
	base reg
	disp int32
}

// at is the operand [base+disp].
func at(base reg, disp int32) mem { return mem{base, disp} }

// rexW is the REX prefix of a 64-bit operation on field reg and r/m.
func rexW(field, rm reg) byte { return 0x48 | byte(field>>3)<<2 | byte(rm>>3) }

// operand emits ModRM, SIB and displacement for m, shortest form first.
func (a *asm) operand(field reg, m mem) {
	f, b := byte(field&7)<<3, byte(m.base&7)
	short := m.disp >= math.MinInt8 && m.disp <= math.MaxInt8
	mod := byte(0x80)
	switch {
	case m.disp == 0 && b != byte(rbp):
		mod = 0
	case short:
		mod = 0x40
	}
	a.emit(mod | f | b)
	if b == byte(rsp) { // also r12: these need a SIB byte
		a.emit(0x24)
	}
	switch mod {
	case 0x40:
		a.emit(byte(int8(m.disp)))
	case 0x80:
		a.imm32(uint32(m.disp))
	}
}

func (a *asm) load(dst reg, m mem)  { a.emit(rexW(dst, m.base), 0x8b); a.operand(dst, m) }
func (a *asm) store(m mem, src reg) { a.emit(rexW(src, m.base), 0x89); a.operand(src, m) }
func (a *asm) lea(dst reg, m mem)   { a.emit(rexW(dst, m.base), 0x8d); a.operand(dst, m) }
func (a *asm) xchg(m mem, r reg)    { a.emit(rexW(r, m.base), 0x87); a.operand(r, m) }

// lockXadd atomically adds r to m and leaves m's old value in r.
func (a *asm) lockXadd(m mem, r reg) { a.emit(0xf0, rexW(r, m.base), 0x0f, 0xc1); a.operand(r, m) }

// cmpMem compares the word m with r: "below" is m < r, unsigned.
func (a *asm) cmpMem(m mem, r reg) { a.emit(rexW(r, m.base), 0x39); a.operand(r, m) }

// xorMem is dst ^= m.
func (a *asm) xorMem(dst reg, m mem) { a.emit(rexW(dst, m.base), 0x33); a.operand(dst, m) }

// movImm loads a constant in the fewest bytes.
func (a *asm) movImm(dst reg, v uint64) {
	switch {
	case v == 0: // xor r32, r32
		if dst >= r8 {
			a.emit(0x45)
		}
		a.emit(0x31, 0xc0|byte(dst&7)<<3|byte(dst&7))
	case v <= math.MaxUint32: // mov r32, imm32 clears the upper half
		if dst >= r8 {
			a.emit(0x41)
		}
		a.emit(0xb8 | byte(dst&7))
		a.imm32(uint32(v))
	default:
		a.emit(rexW(0, dst), 0xb8|byte(dst&7))
		a.imm64(v)
	}
}

// rr emits a two-register operation whose r/m operand is the destination.
func (a *asm) rr(opcode byte, dst, src reg) {
	a.emit(rexW(src, dst), opcode, 0xc0|byte(src&7)<<3|byte(dst&7))
}

func (a *asm) mov(dst, src reg)     { a.rr(0x89, dst, src) }
func (a *asm) add(dst, src reg)     { a.rr(0x01, dst, src) }
func (a *asm) sub(dst, src reg)     { a.rr(0x29, dst, src) }
func (a *asm) and(dst, src reg)     { a.rr(0x21, dst, src) }
func (a *asm) xor(dst, src reg)     { a.rr(0x31, dst, src) }
func (a *asm) test(left, right reg) { a.rr(0x85, left, right) }

// imm emits an operation of opcode group 0x81 with an immediate.
func (a *asm) imm(group byte, r reg, v int32) {
	if v >= math.MinInt8 && v <= math.MaxInt8 {
		a.emit(rexW(0, r), 0x83, 0xc0|group<<3|byte(r&7), byte(int8(v)))
		return
	}
	a.emit(rexW(0, r), 0x81, 0xc0|group<<3|byte(r&7))
	a.imm32(uint32(v))
}

// addImm is r += v, by way of sub where that is shorter.
func (a *asm) addImm(r reg, v int32) {
	if v == 128 {
		a.imm(5, r, -128)
		return
	}
	a.imm(0, r, v)
}

func (a *asm) cmpImm(r reg, v int32) { a.imm(7, r, v) }

// mulImm is dst = src·v.
func (a *asm) mulImm(dst, src reg, v int32) {
	a.emit(rexW(dst, src), 0x69, 0xc0|byte(dst&7)<<3|byte(src&7))
	a.imm32(uint32(v))
}

// shift emits a shift or rotation by a constant: group 0 rol, 4 shl, 5 shr.
func (a *asm) shift(group byte, r reg, by byte) {
	a.emit(rexW(0, r), 0xc1, 0xc0|group<<3|byte(r&7), by)
}

func (a *asm) rol(r reg, by byte) { a.shift(0, r, by) }
func (a *asm) shl(r reg, by byte) { a.shift(4, r, by) }
func (a *asm) shr(r reg, by byte) { a.shift(5, r, by) }

func (a *asm) inc(r reg) { a.emit(rexW(0, r), 0xff, 0xc0|byte(r&7)) }
func (a *asm) dec(r reg) { a.emit(rexW(0, r), 0xff, 0xc8|byte(r&7)) }

func (a *asm) mfence()  { a.emit(0x0f, 0xae, 0xf0) }
func (a *asm) pause()   { a.emit(0xf3, 0x90) }
func (a *asm) syscall() { a.emit(0x0f, 0x05) }
