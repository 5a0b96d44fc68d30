// Package risc assembles machine code for AArch64 and RV64GC by the interface of
// package x86, whose registers are roles here: a table maps them. Comparisons are
// kept until a jump needs them, since RISC-V has no flags, and operations that
// change flags on x86-64 compare their result with 0.
package risc

import (
	"encoding/binary"
	"fmt"

	"ordeal/gen"
	"ordeal/gen/emit/elf/x86"
)

// reg is a register of the instruction set, by its number.
type reg uint32

// encoder is what an instruction set is, besides its numbers.
type encoder interface {
	// constant loads a constant.
	constant(a *Assembler, to reg, v uint64)
	// three is to = left op right.
	three(a *Assembler, op operation, to, left, right reg)
	// addImm is to = from + v; v has 12 bits and a sign.
	addImm(a *Assembler, to, from reg, v int32)
	// shift shifts by a constant.
	shift(a *Assembler, left bool, to, from reg, by byte)
	// access loads or stores at base+disp; fits says which displacements can be.
	access(a *Assembler, store bool, r, base reg, disp int32)
	fits(disp int32) bool
	// skipUnless jumps over the next n words unless the condition holds.
	skipUnless(a *Assembler, c x86.Cond, left, right reg, n int32)
	// far emits the words of a jump, call or address whose distance patch fills in.
	far(a *Assembler, kind farKind, to reg)
	patch(code []byte, kind farKind, distance int32)
	farWords() int32
	jumpTo(a *Assembler, r reg)
	instruction(a *Assembler, i instruction)
	// memory is an operation on memory, fence one that orders what the Value of a
	// gen.PartialFence says, and branchToNext depends on a register.
	memory(a *Assembler, kind gen.OpKind, attr gen.Attr, to, data, address reg)
	fence(a *Assembler, kind gen.Value)
	branchToNext(a *Assembler, r reg)
}

// operation is one of two registers.
type operation uint8

const (
	opAdd operation = iota
	opSub
	opAnd
	opOr
	opXor
	opMul
)

type farKind uint8

const (
	farJump farKind = iota
	farCall
	farAddress
)

// instruction is one without operands.
type instruction uint8

const (
	pause instruction = iota
	syscall
)

// set is the registers and encodings of an instruction set.
type set struct {
	encoder
	roles   [16]reg // of the registers of x86-64
	keep    []reg   // further ones, for values that others depend on
	scratch [3]reg
	zero    reg
	link    reg
	result  reg // of system calls
}

type fixup struct {
	at     int
	kind   farKind
	target x86.Label
}

// Assembler is a one-pass assembler.
type Assembler struct {
	code    []byte
	symbols []x86.Symbol
	set     *set
	labels  []int
	fixups  []fixup
	// left and right were compared last.
	left, right reg
}

// New returns an assembler for AArch64 or RISC-V.
func New(isa gen.ISA) *Assembler {
	if isa == gen.AArch64 {
		return &Assembler{set: &aarch64}
	}
	return &Assembler{set: &riscv}
}

func (a *Assembler) word(w uint32) { a.code = binary.LittleEndian.AppendUint32(a.code, w) }

// Bytes is the code, final after Resolve.
func (a *Assembler) Bytes() []byte { return a.code }

// Names are the symbols.
func (a *Assembler) Names() []x86.Symbol { return a.symbols }

// NewLabel returns a label still to be placed.
func (a *Assembler) NewLabel() x86.Label {
	a.labels = append(a.labels, -1)
	return x86.Label(len(a.labels) - 1)
}

// Place puts l at the end of the code.
func (a *Assembler) Place(l x86.Label) { a.labels[l] = len(a.code) }

// Here returns a label placed at the end of the code.
func (a *Assembler) Here() x86.Label {
	l := a.NewLabel()
	a.Place(l)
	return l
}

// Symbol names the end of the code.
func (a *Assembler) Symbol(name string) {
	a.symbols = append(a.symbols, x86.Symbol{Name: name, Offset: len(a.code)})
}

// Resolve fills in the distances of all jumps.
func (a *Assembler) Resolve() {
	for _, f := range a.fixups {
		to := a.labels[f.target]
		if to < 0 {
			panic(fmt.Sprintf("risc: label %d was never placed", f.target))
		}
		a.set.patch(a.code[f.at:], f.kind, int32(to-f.at))
	}
	a.fixups = nil
}

func (a *Assembler) far(kind farKind, to reg, l x86.Label) {
	a.fixups = append(a.fixups, fixup{len(a.code), kind, l})
	a.set.far(a, kind, to)
}

func (a *Assembler) role(r x86.Reg) reg { return a.set.roles[r] }

// Jmp jumps to l, Call calls the subroutine there, which calls none, and Ret
// returns from it.
func (a *Assembler) Jmp(l x86.Label)  { a.far(farJump, a.set.scratch[2], l) }
func (a *Assembler) Call(l x86.Label) { a.far(farCall, a.set.link, l) }
func (a *Assembler) Ret()             { a.set.jumpTo(a, a.set.link) }

// JmpReg jumps to the address in r.
func (a *Assembler) JmpReg(r x86.Reg) { a.set.jumpTo(a, a.role(r)) }

// LeaLabel is dst = the address of l.
func (a *Assembler) LeaLabel(dst x86.Reg, l x86.Label) { a.far(farAddress, a.role(dst), l) }

// Jcc jumps to l when c holds of what was compared last.
func (a *Assembler) Jcc(c x86.Cond, l x86.Label) {
	a.set.skipUnless(a, c, a.left, a.right, a.set.farWords())
	a.Jmp(l)
}

// at splits an operand into base and a displacement that fits, by scratch 0.
func (a *Assembler) at(m x86.Mem) (base reg, disp int32) {
	base, disp = a.role(m.Base()), m.Disp()
	if a.set.fits(disp) {
		return base, disp
	}
	s := a.set.scratch[0]
	a.set.constant(a, s, uint64(int64(disp)))
	a.set.three(a, opAdd, s, s, base)
	return s, 0
}

// Load is dst = m.
func (a *Assembler) Load(dst x86.Reg, m x86.Mem) { a.load(a.role(dst), m) }

// Store is m = src.
func (a *Assembler) Store(m x86.Mem, src x86.Reg) {
	base, disp := a.at(m)
	a.set.access(a, true, a.role(src), base, disp)
}

func (a *Assembler) load(to reg, m x86.Mem) {
	base, disp := a.at(m)
	a.set.access(a, false, to, base, disp)
}

// Lea is dst = the address of m.
func (a *Assembler) Lea(dst x86.Reg, m x86.Mem) { a.address(a.role(dst), m) }

func (a *Assembler) address(to reg, m x86.Mem) {
	a.add(to, a.role(m.Base()), m.Disp())
}

// CmpMem compares m with r.
func (a *Assembler) CmpMem(m x86.Mem, r x86.Reg) {
	a.load(a.set.scratch[0], m)
	a.left, a.right = a.set.scratch[0], a.role(r)
}

// XorMem is dst ^= m.
func (a *Assembler) XorMem(dst x86.Reg, m x86.Mem) {
	a.load(a.set.scratch[0], m)
	a.set.three(a, opXor, a.role(dst), a.role(dst), a.set.scratch[0])
}

// MovImm loads a constant.
func (a *Assembler) MovImm(dst x86.Reg, v uint64) { a.set.constant(a, a.role(dst), v) }

// Mov is dst = src.
func (a *Assembler) Mov(dst, src x86.Reg) { a.set.addImm(a, a.role(dst), a.role(src), 0) }

func (a *Assembler) two(op operation, dst, src x86.Reg) {
	to := a.role(dst)
	a.set.three(a, op, to, to, a.role(src))
	a.left, a.right = to, a.set.zero
}

// Operations on registers; see package x86.
func (a *Assembler) Add(dst, src x86.Reg) { a.two(opAdd, dst, src) }
func (a *Assembler) Sub(dst, src x86.Reg) { a.two(opSub, dst, src) }
func (a *Assembler) And(dst, src x86.Reg) { a.two(opAnd, dst, src) }
func (a *Assembler) Or(dst, src x86.Reg)  { a.two(opOr, dst, src) }
func (a *Assembler) Xor(dst, src x86.Reg) { a.two(opXor, dst, src) }

// Test compares left with 0; right is the same.
func (a *Assembler) Test(left, _ x86.Reg) { a.left, a.right = a.role(left), a.set.zero }

// add is to = from + v.
func (a *Assembler) add(to, from reg, v int32) {
	if v >= -2048 && v <= 2047 {
		a.set.addImm(a, to, from, v)
		return
	}
	s := a.set.scratch[1]
	a.set.constant(a, s, uint64(int64(v)))
	a.set.three(a, opAdd, to, from, s)
}

// AddImm is r += v.
func (a *Assembler) AddImm(r x86.Reg, v int32) {
	a.add(a.role(r), a.role(r), v)
	a.left, a.right = a.role(r), a.set.zero
}

// Inc is r++, Dec r--.
func (a *Assembler) Inc(r x86.Reg) { a.AddImm(r, 1) }
func (a *Assembler) Dec(r x86.Reg) { a.AddImm(r, -1) }

// CmpImm compares r with v.
func (a *Assembler) CmpImm(r x86.Reg, v int32) {
	a.left, a.right = a.role(r), a.set.scratch[1]
	a.set.constant(a, a.right, uint64(int64(v)))
}

// MulImm is dst = src·v.
func (a *Assembler) MulImm(dst, src x86.Reg, v int32) {
	s := a.set.scratch[1]
	a.set.constant(a, s, uint64(int64(v)))
	a.set.three(a, opMul, a.role(dst), a.role(src), s)
}

// Shl and Shr shift r, unsigned.
func (a *Assembler) Shl(r x86.Reg, by byte) { a.set.shift(a, true, a.role(r), a.role(r), by) }
func (a *Assembler) Shr(r x86.Reg, by byte) { a.set.shift(a, false, a.role(r), a.role(r), by) }

// Rol rotates r to the left.
func (a *Assembler) Rol(r x86.Reg, by byte) {
	s, to := a.set.scratch[1], a.role(r)
	a.set.shift(a, false, s, to, 64-by)
	a.set.shift(a, true, to, to, by)
	a.set.three(a, opOr, to, to, s)
}

// Pause is the hint for spin loops.
func (a *Assembler) Pause() { a.set.instruction(a, pause) }

// Syscall enters the kernel, with the number in the role of rax and arguments in
// those of rdi, rsi, rdx, r10, r8, and leaves the result in that of rax alone.
func (a *Assembler) Syscall() {
	number, first, saved := a.role(x86.RAX), a.role(x86.RDI), a.set.scratch[0]
	a.set.addImm(a, saved, first, 0)
	a.set.instruction(a, syscall)
	a.set.addImm(a, number, a.set.result, 0)
	a.set.addImm(a, first, saved, 0)
}
