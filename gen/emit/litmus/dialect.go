package litmus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ordeal/gen"
)

// Dialect is how litmus tests of an instruction set write accesses, whose addresses are in
// registers, and fences: the one table of the writer, in this package, and the reader,
// parse/formats/litmus.
type Dialect struct {
	Name string // in the first line of a test
	// accesses are all that are read; an operation is written as the first that fits it.
	accesses func() []Access
	// Fences are those that are written as they stand.
	Fences []Fence
	// Register returns the name that a register has in conditions.
	Register func(text string) (string, bool)

	// The others are for writing: numbers of registers that are free, letters that make a
	// register with a number behind them, and other names of registers.
	registers []int
	numbered  string
	named     string
	// address is the name of register n in conditions.
	address func(n int) string
	// move has a register hold a constant; clear, 0 computed from another;
	// increase adds a constant, and displace the 64 bits of a register.
	move     func(to int, value gen.Value) string
	clear    func(to, from int) string
	increase func(to int, value gen.Value) string
	displace func(to, address, offset int) string
	branch   func(on int, label string) string // if it is not 0
	// operands are those of a load or an exchange, a store, or a store-conditional.
	operands func(kind gen.OpKind, to, data, at int) string
}

// Access is an instruction that accesses memory.
type Access struct {
	Mnemonic string
	Kind     gen.OpKind
	Attr     gen.Attr
	Bytes    int // 1, 2, 4 or 8; 0: as its register
	// Signed says that the result is extended by its sign.
	Signed bool
	// Apply is what an atomic instruction writes; nil: its operand.
	Apply func(old, operand int64) int64
	// Compare says that it writes only if it reads what its result's register holds.
	Compare bool
	// NoReturn says that there is no register for its result.
	NoReturn bool
}

// Fence is an instruction that orders others.
type Fence struct {
	Text string // in lower case
	Kind gen.OpKind
	Pair gen.Value // of a PartialFence
}

// Access is the one of that mnemonic.
func (d *Dialect) Access(mnemonic string) (Access, bool) {
	for _, a := range d.accesses() {
		if strings.EqualFold(a.Mnemonic, mnemonic) {
			return a, true
		}
	}
	return Access{}, false
}

func (d *Dialect) access(op gen.Op, to, data, at int) string {
	i := slices.IndexFunc(d.accesses(), func(a Access) bool { return a.Kind == op.Kind && a.Attr == op.Attr&^gen.Retry })
	return d.accesses()[i].Mnemonic + " " + d.operands(op.Kind, to, data, at)
}

func (d *Dialect) fence(op gen.Op) string {
	i := slices.IndexFunc(d.Fences, func(f Fence) bool { return f.Kind == op.Kind && f.Pair == op.Value })
	text := d.Fences[i].Text
	if d == &AArch64 {
		return strings.ToUpper(text)
	}
	return text
}

// isRegister reports whether a name is that of a register.
func (d *Dialect) isRegister(name string) bool {
	name = strings.ToLower(name)
	stem := strings.TrimRight(name, "0123456789")
	return slices.Contains(strings.Fields(d.named), name) || stem != name && len(stem) == 1 && strings.Contains(d.numbered, stem)
}

// applied are the atomic operations, as instructions of Arm and of RISC-V name them.
var applied = []struct {
	arm, riscv string
	apply      func(old, operand int64) int64
}{
	{"ADD", "add", func(a, b int64) int64 { return a + b }},
	{"CLR", "", func(a, b int64) int64 { return a &^ b }},
	{"EOR", "xor", func(a, b int64) int64 { return a ^ b }},
	{"SET", "or", func(a, b int64) int64 { return a | b }},
	{"", "and", func(a, b int64) int64 { return a & b }},
	{"SMAX", "max", func(a, b int64) int64 { return max(a, b) }},
	{"SMIN", "min", func(a, b int64) int64 { return min(a, b) }},
	{"UMAX", "maxu", func(a, b int64) int64 { return int64(max(uint64(a), uint64(b))) }},
	{"UMIN", "minu", func(a, b int64) int64 { return int64(min(uint64(a), uint64(b))) }},
}

// AArch64 has words in registers W, addresses in registers X. Conditions name registers X.
var AArch64 = Dialect{
	Name: "AArch64", accesses: sync.OnceValue(armAccesses), Register: armRegister,
	Fences: []Fence{
		{"dmb ish", gen.FullFence, 0}, {"dmb sy", gen.FullFence, 0}, {"dsb sy", gen.FullFence, 0}, {"dsb ish", gen.FullFence, 0},
		{"dmb ishld", gen.PartialFence, 3}, {"dmb ld", gen.PartialFence, 3}, {"dsb ld", gen.PartialFence, 3}, {"dsb ishld", gen.PartialFence, 3},
		{"dmb ishst", gen.PartialFence, 8}, {"dmb st", gen.PartialFence, 8},
		{"isb", gen.PartialFence, gen.InstructionBarrier},
	},
	registers: count(0, 29), numbered: "xwvsqdhbpz", named: "sp wsp xzr wzr nzcv",
	address:  func(n int) string { return fmt.Sprintf("X%d", n) },
	move:     func(to int, value gen.Value) string { return fmt.Sprintf("MOV W%d,#%d", to, value) },
	clear:    func(to, from int) string { return fmt.Sprintf("EOR X%d,X%d,X%d", to, from, from) },
	increase: func(to int, value gen.Value) string { return fmt.Sprintf("ADD W%d,W%d,#%d", to, to, value) },
	displace: func(to, address, offset int) string { return fmt.Sprintf("ADD X%d,X%d,X%d", to, address, offset) },
	branch:   func(on int, label string) string { return fmt.Sprintf("CBNZ W%d,%s", on, label) },
	operands: func(kind gen.OpKind, to, data, at int) string {
		switch kind {
		case gen.Load, gen.LoadLinked:
			return fmt.Sprintf("W%d,[X%d]", to, at)
		case gen.Store:
			return fmt.Sprintf("W%d,[X%d]", data, at)
		case gen.StoreConditional:
			return fmt.Sprintf("W%d,W%d,[X%d]", to, data, at)
		}
		return fmt.Sprintf("W%d,W%d,[X%d]", data, to, at)
	},
}

// armRegister is the 64-bit name of a register.
func armRegister(text string) (string, bool) {
	text = strings.ToUpper(text)
	if text == "WZR" || text == "XZR" {
		return "XZR", true
	}
	if !strings.HasPrefix(text, "W") && !strings.HasPrefix(text, "X") {
		return "", false
	}
	n, err := strconv.Atoi(text[1:])
	return "X" + strconv.Itoa(n), err == nil && n >= 0 && n <= 30
}

func armAccesses() (list []Access) {
	for _, a := range []Access{
		{Mnemonic: "LDR", Kind: gen.Load}, {Mnemonic: "LDAR", Kind: gen.Load, Attr: gen.Acquire},
		{Mnemonic: "LDAPR", Kind: gen.Load, Attr: gen.AcquirePC}, {Mnemonic: "LDUR", Kind: gen.Load},
		{Mnemonic: "LDAPUR", Kind: gen.Load, Attr: gen.AcquirePC}, {Mnemonic: "LDRS", Kind: gen.Load, Bytes: 4, Signed: true},
		{Mnemonic: "STR", Kind: gen.Store}, {Mnemonic: "STLR", Kind: gen.Store, Attr: gen.Release},
		{Mnemonic: "STUR", Kind: gen.Store}, {Mnemonic: "STLUR", Kind: gen.Store, Attr: gen.Release},
		{Mnemonic: "LDXR", Kind: gen.LoadLinked}, {Mnemonic: "LDAXR", Kind: gen.LoadLinked, Attr: gen.Acquire},
		{Mnemonic: "STXR", Kind: gen.StoreConditional}, {Mnemonic: "STLXR", Kind: gen.StoreConditional, Attr: gen.Release},
	} {
		list = append(list, sizes(a)...)
	}
	for i, letters := range []string{"", "A", "L", "AL"} {
		attr := []gen.Attr{0, gen.Acquire, gen.Release, gen.Acquire | gen.Release}[i]
		list = append(list, sizes(Access{Mnemonic: "SWP" + letters, Kind: gen.Exchange, Attr: attr})...)
		list = append(list, sizes(Access{Mnemonic: "CAS" + letters, Kind: gen.Exchange, Attr: attr, Compare: true})...)
		for _, o := range applied {
			kind := gen.Exchange
			if o.arm == "ADD" {
				kind = gen.FetchAdd
			}
			if o.arm != "" {
				list = append(list, sizes(Access{Mnemonic: "LD" + o.arm + letters, Kind: kind, Attr: attr, Apply: o.apply})...)
			}
			if o.arm != "" && attr&gen.Acquire == 0 {
				list = append(list, sizes(Access{Mnemonic: "ST" + o.arm + letters, Kind: kind, Attr: attr, Apply: o.apply, NoReturn: true})...)
			}
		}
	}
	return list
}

// sizes are an instruction of Arm and those of it for half-words and bytes.
func sizes(a Access) []Access {
	half, one := a, a
	if a.Signed {
		a.Mnemonic += "W"
	}
	half.Mnemonic, half.Bytes = half.Mnemonic+"H", 2
	one.Mnemonic, one.Bytes = one.Mnemonic+"B", 1
	return []Access{a, half, one}
}

// RISCV leaves ra, sp, gp and tp alone.
var RISCV = Dialect{
	Name: "RISCV", accesses: sync.OnceValue(riscvAccesses), Register: riscvRegister, Fences: riscvFences(),
	registers: count(5, 31), numbered: "xtsaf", named: "zero ra sp gp tp fp",
	address:  func(n int) string { return fmt.Sprintf("x%d", n) },
	move:     func(to int, value gen.Value) string { return fmt.Sprintf("ori x%d,x0,%d", to, value) },
	clear:    func(to, from int) string { return fmt.Sprintf("xor x%d,x%d,x%d", to, from, from) },
	increase: func(to int, value gen.Value) string { return fmt.Sprintf("ori x%d,x%d,%d", to, to, value) },
	displace: func(to, address, offset int) string { return fmt.Sprintf("add x%d,x%d,x%d", to, address, offset) },
	branch:   func(on int, label string) string { return fmt.Sprintf("bne x%d,x0,%s", on, label) },
	operands: func(kind gen.OpKind, to, data, at int) string {
		switch kind {
		case gen.Load, gen.LoadLinked:
			return fmt.Sprintf("x%d,0(x%d)", to, at)
		case gen.Store:
			return fmt.Sprintf("x%d,0(x%d)", data, at)
		case gen.StoreConditional:
			return fmt.Sprintf("x%d,x%d,0(x%d)", to, data, at)
		}
		return fmt.Sprintf("x%d,x%d,(x%d)", to, data, at)
	},
}

// riscvNames are the names of the registers of the calling convention, by number.
var riscvNames = strings.Fields("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6")

func riscvRegister(text string) (string, bool) {
	text = strings.ToLower(text)
	if i := slices.Index(riscvNames, text); i >= 0 {
		return "x" + strconv.Itoa(i), true
	}
	n, err := strconv.Atoi(strings.TrimPrefix(text, "x"))
	return "x" + strconv.Itoa(n), err == nil && strings.HasPrefix(text, "x") && n >= 0 && n < len(riscvNames)
}

func riscvAccesses() (list []Access) {
	var bases []Access
	for _, size := range []struct {
		letter string
		bytes  int
	}{{"w", 4}, {"d", 8}, {"h", 2}, {"b", 1}} {
		bases = append(bases,
			Access{Mnemonic: "l" + size.letter, Kind: gen.Load, Bytes: size.bytes, Signed: true},
			Access{Mnemonic: "l" + size.letter + "u", Kind: gen.Load, Bytes: size.bytes},
			Access{Mnemonic: "s" + size.letter, Kind: gen.Store, Bytes: size.bytes},
			Access{Mnemonic: "lr." + size.letter, Kind: gen.LoadLinked, Bytes: size.bytes, Signed: true},
			Access{Mnemonic: "sc." + size.letter, Kind: gen.StoreConditional, Bytes: size.bytes},
			Access{Mnemonic: "amoswap." + size.letter, Kind: gen.Exchange, Bytes: size.bytes, Signed: true})
		for _, o := range applied {
			kind := gen.Exchange
			if o.riscv == "add" {
				kind = gen.FetchAdd
			}
			if o.riscv != "" {
				bases = append(bases, Access{Mnemonic: "amo" + o.riscv + "." + size.letter, Kind: kind, Apply: o.apply, Bytes: size.bytes, Signed: true})
			}
		}
	}
	for i, suffix := range []string{"", ".aq", ".rl", ".aq.rl", ".aqrl"} {
		attr := []gen.Attr{0, gen.Acquire, gen.Release, gen.Acquire | gen.Release, gen.Acquire | gen.Release}[i]
		for _, a := range bases {
			if a.Kind == gen.Load && attr&gen.Release != 0 || a.Kind == gen.Store && attr&gen.Acquire != 0 {
				continue // of Zalasr, that is not supported
			}
			a.Mnemonic, a.Attr = a.Mnemonic+suffix, attr
			list = append(list, a)
		}
	}
	return list
}

func riscvFences() []Fence {
	list := []Fence{{"fence rw,rw", gen.FullFence, 0}, {"fence", gen.FullFence, 0}, {"fence.tso", gen.PartialFence, gen.FenceByName("tso")}}
	for _, pair := range strings.Fields("r,r r,w w,r w,w r,rw w,rw rw,r rw,w") {
		list = append(list, Fence{"fence " + pair, gen.PartialFence, gen.FenceByName(strings.Replace(pair, ",", ".", 1))})
	}
	return list
}

// dialects are those of other instruction sets than x86-64.
var dialects = map[gen.ISA]*Dialect{gen.AArch64: &AArch64, gen.RISCV64: &RISCV, gen.RISCV64A: &RISCV}

// count lists the numbers from first to last.
func count(first, last int) (list []int) {
	for ; first <= last; first++ {
		list = append(list, first)
	}
	return list
}
