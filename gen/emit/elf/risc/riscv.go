package risc

import (
	"encoding/binary"

	"ordeal/gen"
	"ordeal/gen/emit/elf/x86"
)

// riscv has the encodings of The RISC-V Instruction Set Manual, Volume I.
var riscv = set{
	encoder: rv64{},
	// rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15
	roles:   [16]reg{17, 5, 12, 18, 2, 19, 11, 10, 14, 15, 13, 28, 20, 21, 22, 23},
	keep:    []reg{6, 7, 29, 8, 9, 24, 25, 26, 27, 16},
	scratch: [3]reg{30, 31, 3}, zero: 0, link: 1, result: 10,
}

type rv64 struct{}

func (r rv64) constant(a *Assembler, to reg, v uint64) {
	signed := int64(v)
	if signed >= -2048 && signed < 2048 {
		r.addImm(a, to, 0, int32(signed))
		return
	}
	low := int32(signed << 52 >> 52) // 12 bits with a sign
	if signed == int64(int32(signed)) {
		a.word(0x37 | (uint32(signed)+0x800)&0xfffff000 | uint32(to)<<7) // lui
		if low != 0 {
			a.word(0x1b | uint32(low)<<20 | uint32(to)<<15 | uint32(to)<<7) // addiw
		}
		return
	}
	r.constant(a, to, uint64((signed-int64(low))>>12))
	r.shift(a, true, to, to, 12)
	if low != 0 {
		r.addImm(a, to, to, low)
	}
}

func (rv64) three(a *Assembler, op operation, to, left, right reg) {
	code := [...]uint32{opAdd: 0x33, opSub: 0x40000033, opAnd: 0x7033, opOr: 0x6033, opXor: 0x4033, opMul: 0x2000033}[op]
	a.word(code | uint32(right)<<20 | uint32(left)<<15 | uint32(to)<<7)
}

func (rv64) addImm(a *Assembler, to, from reg, v int32) {
	a.word(0x13 | uint32(v)<<20 | uint32(from)<<15 | uint32(to)<<7)
}

func (rv64) shift(a *Assembler, left bool, to, from reg, by byte) {
	code := uint32(0x5013)
	if left {
		code = 0x1013
	}
	a.word(code | uint32(by)<<20 | uint32(from)<<15 | uint32(to)<<7)
}

func (rv64) fits(disp int32) bool { return disp >= -2048 && disp < 2048 }

func (rv64) access(a *Assembler, store bool, r, base reg, disp int32) {
	if !store { // ld
		a.word(0x3003 | uint32(disp)<<20 | uint32(base)<<15 | uint32(r)<<7)
		return
	}
	a.word(0x3023 | uint32(disp)>>5&0x7f<<25 | uint32(disp)&0x1f<<7 | uint32(r)<<20 | uint32(base)<<15)
}

func (rv64) skipUnless(a *Assembler, c x86.Cond, left, right reg, n int32) {
	const beq, bne, blt, bge, bltu, bgeu = 0, 1, 4, 5, 6, 7
	var kind uint32 // of the opposite
	switch c {
	case x86.Below:
		kind = bgeu
	case x86.AboveEqual:
		kind = bltu
	case x86.Equal:
		kind = bne
	case x86.NotEqual:
		kind = beq
	case x86.BelowEqual:
		kind, left, right = bltu, right, left
	case x86.Sign:
		kind, right = bge, 0
	case x86.LessEqual:
		kind, left, right = blt, 0, left
	}
	d := uint32(4 * (n + 1))
	a.word(0x63 | kind<<12 | uint32(left)<<15 | uint32(right)<<20 | d>>11&1<<7 | d>>1&0xf<<8 | d>>5&0x3f<<25 | d>>12&1<<31)
}

func (rv64) farWords() int32 { return 2 }

func (rv64) far(a *Assembler, kind farKind, to reg) {
	a.word(0x17 | uint32(to)<<7) // auipc
	switch kind {
	case farJump:
		a.word(0x67 | uint32(to)<<15)
	case farCall:
		a.word(0x67 | uint32(to)<<15 | uint32(to)<<7)
	case farAddress:
		a.word(0x13 | uint32(to)<<15 | uint32(to)<<7)
	}
}

func (rv64) patch(code []byte, _ farKind, distance int32) {
	low := distance << 20 >> 20
	upper := binary.LittleEndian.Uint32(code)
	binary.LittleEndian.PutUint32(code, upper|uint32(distance-low))
	lower := binary.LittleEndian.Uint32(code[4:])
	binary.LittleEndian.PutUint32(code[4:], lower|uint32(low)<<20)
}

func (rv64) jumpTo(a *Assembler, r reg) { a.word(0x67 | uint32(r)<<15) }

func (rv64) instruction(a *Assembler, i instruction) {
	a.word([...]uint32{pause: 0x0100000f, syscall: 0x73}[i])
}

func (rv64) memory(a *Assembler, kind gen.OpKind, attr gen.Attr, to, data, address reg) {
	var order uint32
	if attr&gen.Acquire != 0 {
		order |= 1 << 26
	}
	if attr&gen.Release != 0 {
		order |= 1 << 25
	}
	code := uint32(0)
	switch kind {
	case gen.Load:
		code = 0x3003 | uint32(to)<<7
	case gen.Store:
		code = 0x3023 | uint32(data)<<20
	case gen.LoadLinked: // lr.d
		code = 0x1000302f | order | uint32(to)<<7
	case gen.StoreConditional: // sc.d
		code = 0x1800302f | order | uint32(data)<<20 | uint32(to)<<7
	case gen.Exchange: // amoswap.d
		code = 0x0800302f | order | uint32(data)<<20 | uint32(to)<<7
	case gen.FetchAdd: // amoadd.d
		code = 0x0000302f | order | uint32(data)<<20 | uint32(to)<<7
	}
	a.word(code | uint32(address)<<15)
}

// fence encodes predecessors and successors as R (2) and W (1).
func (rv64) fence(a *Assembler, kind gen.Value) {
	if kind == 11 { // fence.tso
		a.word(0x8330000f)
		return
	}
	var before, after uint32
	for bit, pair := range [4][2]uint32{{2, 2}, {2, 1}, {1, 2}, {1, 1}} {
		if kind>>bit&1 != 0 {
			before, after = before|pair[0], after|pair[1]
		}
	}
	a.word(0x0f | before<<24 | after<<20)
}

func (rv64) branchToNext(a *Assembler, r reg) { a.word(0x63 | 1<<12 | uint32(r)<<15 | 4>>1<<8) }
