package risc

import (
	"encoding/binary"
	"math/bits"

	"ordeal/gen"
	"ordeal/gen/emit/elf/x86"
)

// aarch64 has the encodings of the Arm Architecture Reference Manual, C6.2.
var aarch64 = set{
	encoder: arm{},
	// rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15
	roles:   [16]reg{8, 9, 2, 19, 31, 20, 1, 0, 4, 5, 3, 11, 21, 22, 23, 24},
	keep:    []reg{10, 12, 13, 14, 15, 25, 26, 27, 28},
	scratch: [3]reg{16, 17, 18}, zero: 31, link: 30, result: 0,
}

type arm struct{}

func (arm) constant(a *Assembler, to reg, v uint64) {
	const movz, movn, movk = 0xd2800000, 0x92800000, 0xf2800000
	op, skip := uint32(movz), uint64(0)
	if bits.LeadingZeros64(^v) >= 32 {
		op, skip = movn, 0xffff
	}
	done := false
	for i := range uint32(4) {
		part := v >> (16 * i) & 0xffff
		if part == skip && !(i == 3 && !done) {
			continue
		}
		if !done && op == movn {
			part = ^part & 0xffff
		}
		a.word(op | i<<21 | uint32(part)<<5 | uint32(to))
		op, done = movk, true
	}
}

func (arm) three(a *Assembler, op operation, to, left, right reg) {
	code := [...]uint32{opAdd: 0x8b000000, opSub: 0xcb000000, opAnd: 0x8a000000, opOr: 0xaa000000, opXor: 0xca000000, opMul: 0x9b007c00}[op]
	a.word(code | uint32(right)<<16 | uint32(left)<<5 | uint32(to))
}

func (arm) addImm(a *Assembler, to, from reg, v int32) {
	code := uint32(0x91000000) // add
	if v < 0 {
		code, v = 0xd1000000, -v // sub
	}
	a.word(code | uint32(v)<<10 | uint32(from)<<5 | uint32(to))
}

func (arm) shift(a *Assembler, left bool, to, from reg, by byte) {
	immr, imms := uint32(by), uint32(63) // ubfm
	if left {
		immr, imms = uint32(64-by)%64, 63-uint32(by)
	}
	a.word(0xd3400000 | immr<<16 | imms<<10 | uint32(from)<<5 | uint32(to))
}

func (arm) fits(disp int32) bool {
	return disp >= -256 && disp < 256 || disp >= 0 && disp < 8<<12 && disp%8 == 0
}

func (arm) access(a *Assembler, store bool, r, base reg, disp int32) {
	code := uint32(0xf8400000) | uint32(disp)&0x1ff<<12 // ldur
	if disp >= 0 && disp%8 == 0 {
		code = 0xf9400000 | uint32(disp)/8<<10 // ldr
	}
	if store {
		code &^= 0x00400000
	}
	a.word(code | uint32(base)<<5 | uint32(r))
}

func (arm) skipUnless(a *Assembler, c x86.Cond, left, right reg, n int32) {
	a.word(0xeb00001f | uint32(right)<<16 | uint32(left)<<5) // cmp
	code := map[x86.Cond]uint32{x86.Below: 3, x86.AboveEqual: 2, x86.Equal: 0, x86.NotEqual: 1, x86.BelowEqual: 9, x86.Sign: 4, x86.LessEqual: 13}[c]
	a.word(0x54000000 | uint32(n+1)<<5 | code ^ 1) // b.cond
}

func (arm) farWords() int32 { return 1 }

func (arm) far(a *Assembler, kind farKind, to reg) {
	a.word([...]uint32{farJump: 0x14000000, farCall: 0x94000000, farAddress: 0x10000000 | uint32(to)}[kind])
}

func (arm) patch(code []byte, kind farKind, distance int32) {
	field := uint32(distance) / 4 & (1<<26 - 1)
	if distance < 0 {
		field = uint32(distance>>2) & (1<<26 - 1)
	}
	if kind == farAddress { // adr: within 1 MiB, as all callers are
		field = uint32(distance>>2) & (1<<19 - 1) << 5
	}
	binary.LittleEndian.PutUint32(code, binary.LittleEndian.Uint32(code)|field)
}

func (arm) jumpTo(a *Assembler, r reg) { a.word(0xd61f0000 | uint32(r)<<5) }

func (arm) instruction(a *Assembler, i instruction) {
	a.word([...]uint32{pause: 0xd503203f, syscall: 0xd4000001}[i])
}

// memory are the operations on memory, with data and address in registers.
func (arm) memory(a *Assembler, kind gen.OpKind, attr gen.Attr, to, data, address reg) {
	var acquire, release uint32
	if attr&gen.Acquire != 0 {
		acquire = 1
	}
	if attr&gen.Release != 0 {
		release = 1
	}
	code := uint32(0)
	switch kind {
	case gen.Load:
		switch {
		case attr&gen.AcquirePC != 0:
			code = 0xf8bfc000 // ldapr
		case acquire != 0:
			code = 0xc8dffc00 // ldar
		default:
			code = 0xf9400000 // ldr
		}
		code |= uint32(to)
	case gen.Store:
		code = 0xf9000000 | uint32(data) // str
		if release != 0 {
			code = 0xc89ffc00 | uint32(data) // stlr
		}
	case gen.LoadLinked: // ldxr, ldaxr
		code = 0xc85f7c00 | acquire<<15 | uint32(to)
	case gen.StoreConditional: // stxr, stlxr
		code = 0xc8007c00 | release<<15 | uint32(to)<<16 | uint32(data)
	case gen.Exchange: // swp
		code = 0xf8208000 | acquire<<23 | release<<22 | uint32(data)<<16 | uint32(to)
	case gen.FetchAdd: // ldadd
		code = 0xf8200000 | acquire<<23 | release<<22 | uint32(data)<<16 | uint32(to)
	}
	a.word(code | uint32(address)<<5)
}

func (arm) fence(a *Assembler, kind gen.Value) {
	a.word(map[gen.Value]uint32{15: 0xd5033bbf, 3: 0xd50339bf, 8: 0xd5033abf, gen.InstructionBarrier: 0xd5033fdf}[kind])
}

// branchToNext is a branch on a register to the next instruction.
func (arm) branchToNext(a *Assembler, r reg) { a.word(0xb5000000 | 1<<5 | uint32(r)) }
