package litmus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ordeal/gen"
	emit "ordeal/gen/emit/litmus"
)

// aarch64 reads the accesses and fences of its dialect, arithmetic, and branches forward.
var aarch64 = architecture{
	name: "AArch64", isa: gen.AArch64, dialect: &emit.AArch64, register: emit.AArch64.Register,
	instruction: (*machine).aarch64, zero: "XZR",
}

// arithmetic are the operations of both dialects, in the names of Arm and RISC-V.
var arithmetic = map[string]func(a, b int64) int64{
	"add": func(a, b int64) int64 { return a + b },
	"sub": func(a, b int64) int64 { return a - b },
	"orr": func(a, b int64) int64 { return a | b }, "or": func(a, b int64) int64 { return a | b },
	"and": func(a, b int64) int64 { return a & b },
	"eor": func(a, b int64) int64 { return a ^ b }, "xor": func(a, b int64) int64 { return a ^ b },
	"eon": func(a, b int64) int64 { return a ^ ^b },
	"bic": func(a, b int64) int64 { return a &^ b },
	"orn": func(a, b int64) int64 { return a | ^b },
	"lsl": shiftLeft, "sll": shiftLeft,
	"lsr": shiftRight, "srl": shiftRight,
	"asr": shiftSigned, "sra": shiftSigned,
	"mul":  func(a, b int64) int64 { return a * b },
	"slt":  func(a, b int64) int64 { return less(a < b) },
	"sltu": func(a, b int64) int64 { return less(uint64(a) < uint64(b)) },
}

// shifts take the last bits of their second operand.
var shifts = []string{"lsl", "lsr", "asr", "sll", "srl", "sra"}

func less(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

func shiftLeft(a, b int64) int64   { return a << (b & 63) }
func shiftRight(a, b int64) int64  { return int64(uint64(a) >> (b & 63)) }
func shiftSigned(a, b int64) int64 { return a >> (b & 63) }

// inWords is an operation of the lower halves of registers.
func (m *machine) inWords(name string) func(a, b int64) int64 {
	f := arithmetic[name]
	return func(a, b int64) int64 {
		if slices.Contains(shifts, name) {
			b &= 31
		}
		return m.r.t.narrow(f(m.r.t.narrow(a, width{bytes: 4, signed: name == "asr" || name == "sra"}), b), width{bytes: 4})
	}
}

// flagged says what an instruction set the flags by.
type flagged struct {
	of   []value
	find func(a, b int64, bits int) flags
	bits int
}

func (m *machine) compare(register string, find func(a, b int64, bits int) flags, of ...value) {
	m.flags = flagged{of: of, find: find, bits: 64}
	if isWord(register) {
		m.flags.bits = 32
	}
}

// found are the flags on this path.
func (m *machine) found() flags {
	if m.flags.find == nil {
		return flags{}
	}
	return m.flags.find(m.know(m.flags.of[0]), m.know(m.flags.of[1]), m.flags.bits)
}

func (m *machine) aarch64(mnemonic string, operands []string) error {
	if m.fences(strings.TrimSpace(mnemonic + " " + strings.ToLower(strings.Join(operands, " ")))) {
		return nil
	}
	if a, ok := emit.AArch64.Access(mnemonic); ok {
		return m.armAccess(access{Access: a}, operands)
	}
	n := len(operands)
	condition := conditions[strings.TrimPrefix(mnemonic, "b.")]
	switch {
	case strings.HasPrefix(mnemonic, "b.") && condition != nil && n == 1:
		return m.branch(operands[0], condition, m.found, m.flags.of...)
	case mnemonic == "b" && n == 1:
		return m.jump(operands[0])
	case mnemonic == "cbz" && n == 2:
		return m.compared(operands[1], "eq", m.get(operands[0]), value{})
	case mnemonic == "cbnz" && n == 2:
		return m.compared(operands[1], "ne", m.get(operands[0]), value{})
	case (mnemonic == "tbz" || mnemonic == "tbnz") && n == 3:
		v := m.get(operands[0])
		bit := m.computed(shiftRight, v, m.constant(operands[1]))
		return m.compared(operands[2], map[string]string{"tbz": "eq", "tbnz": "ne"}[mnemonic], m.computed(arithmetic["and"], bit, value{n: 1}), value{})
	case chosen[mnemonic] != nil && n == 4:
		m.to(operands[0], m.choice(m.get(operands[1]), m.get(operands[2]), operands[3], chosen[mnemonic]))
	case mnemonic == "cset" && n == 2:
		m.to(operands[0], m.choice(value{n: 1}, value{}, operands[1], chosen["csel"]))
	case mnemonic == "csetm" && n == 2:
		m.to(operands[0], m.choice(value{n: -1}, value{}, operands[1], chosen["csel"]))
	case (mnemonic == "mov" || mnemonic == "movz") && n >= 2:
		m.to(operands[0], m.operand(operands[1:]))
	case extensions[mnemonic] != width{} && n == 2:
		m.to(operands[0], m.extended(extensions[mnemonic], m.get(operands[1])))
	case mnemonic == "mvn" && n >= 2:
		m.to(operands[0], m.computed(arithmetic["orn"], value{}, m.operand(operands[1:])))
	case mnemonic == "neg" && n >= 2:
		m.to(operands[0], m.computed(arithmetic["sub"], value{}, m.operand(operands[1:])))
	case mnemonic == "cmp" && n >= 2:
		m.compare(operands[0], subtracted, m.get(operands[0]), m.operand(operands[1:]))
	case mnemonic == "cmn" && n >= 2:
		m.compare(operands[0], added, m.get(operands[0]), m.operand(operands[1:]))
	case mnemonic == "tst" && n >= 2:
		m.compare(operands[0], bitwise, m.get(operands[0]), m.operand(operands[1:]))
	default:
		name := mnemonic
		find := map[string]func(a, b int64, bits int) flags{"adds": added, "subs": subtracted, "ands": bitwise, "bics": bitwiseNot}[mnemonic]
		if find != nil {
			name = strings.TrimSuffix(mnemonic, "s")
		}
		f := arithmetic[name]
		if f == nil || n < 3 || strings.HasPrefix(name, "sl") {
			return fmt.Errorf("%s with %d operands %w", strings.ToUpper(mnemonic), n, errUnsupported)
		}
		if isWord(operands[0]) {
			f = m.inWords(name)
		}
		v := m.get(operands[1]).nothing()
		if !strings.EqualFold(operands[1], operands[2]) || n > 3 || name != "eor" && name != "sub" {
			v = m.computed(f, m.get(operands[1]), m.operand(operands[2:]))
		}
		if find != nil {
			m.compare(operands[0], find, m.get(operands[1]), m.operand(operands[2:]))
		}
		m.to(operands[0], v)
	}
	return nil
}

func bitwise(a, b int64, bits int) flags    { return logical(a&b, bits) }
func bitwiseNot(a, b int64, bits int) flags { return logical(a&^b, bits) }

// chosen maps instructions to what they make of the second value that it may choose.
var chosen = map[string]func(n int64) int64{
	"csel":  func(n int64) int64 { return n },
	"csinc": func(n int64) int64 { return n + 1 },
	"csinv": func(n int64) int64 { return ^n },
	"csneg": func(n int64) int64 { return -n },
}

// extensions of registers are instructions and ends of operands.
var extensions = map[string]width{
	"sxtb": {bytes: 1, signed: true}, "sxth": {bytes: 2, signed: true}, "sxtw": {bytes: 4, signed: true}, "sxtx": {bytes: 8},
	"uxtb": {bytes: 1}, "uxth": {bytes: 2}, "uxtw": {bytes: 4}, "uxtx": {bytes: 8}, "lsl": {bytes: 8},
}

// extended is a value in a width; what loads return stays unknown where it fits anyway.
func (m *machine) extended(w width, v value) value {
	if from := v.from; from != nil {
		fits := !w.signed && (!from.width.signed || from.width.word) && 0 < from.width.bytes && from.width.bytes <= w.bytes
		if w.bytes == 0 || w.bytes == 8 || from.status || fits {
			return v
		}
	}
	return m.computed(func(n, _ int64) int64 { return m.r.t.narrow(n, w) }, v, value{})
}

// fences executes a fence of the dialect, if the text is one.
func (m *machine) fences(text string) bool {
	list := m.r.arch.dialect.Fences
	i := slices.IndexFunc(list, func(f emit.Fence) bool { return f.Text == text })
	if i >= 0 {
		m.add(gen.Op{Kind: list[i].Kind, Value: list[i].Pair}, 0)
	}
	return i >= 0
}

// condition is one by its name.
func (m *machine) condition(name string) func(flags) bool {
	holds := conditions[strings.ToLower(name)]
	if holds == nil {
		m.fault = cmp.Or(m.fault, fmt.Errorf("condition %q is not supported", name))
		return conditions["eq"]
	}
	return holds
}

// choice is what CSEL and its kin choose by the flags, which do not become its data.
func (m *machine) choice(yes, no value, condition string, otherwise func(n int64) int64) value {
	chosen := yes
	if !m.condition(condition)(m.found()) {
		if chosen = no; otherwise(0) != 0 || otherwise(1) != 1 {
			chosen = m.computed(func(a, _ int64) int64 { return otherwise(a) }, no, value{})
		}
	}
	for _, f := range m.flags.of {
		chosen.picks = union(chosen.picks, union(f.reads, f.picks))
	}
	return chosen
}

// operand is a register or a constant, and what it is shifted or extended by.
func (m *machine) operand(words []string) value {
	var v value
	if strings.HasPrefix(words[0], "#") {
		v = m.constant(words[0])
	} else if _, ok := m.r.arch.register(words[0]); ok {
		v = m.get(words[0])
	} else {
		m.fault = cmp.Or(m.fault, fmt.Errorf("operand %q is not supported", words[0]))
	}
	if len(words) == 1 {
		return v
	}
	kind, amount, _ := strings.Cut(strings.ToLower(strings.Join(words[1:], " ")), " ")
	by := value{}
	if amount = strings.TrimSpace(amount); amount != "" {
		by = m.constant(amount)
	}
	if w, ok := extensions[kind]; ok {
		v = m.extended(w, v)
		kind = "lsl"
	}
	f := arithmetic[kind]
	if f == nil || kind != "lsl" && kind != "lsr" && kind != "asr" {
		m.fault = cmp.Or(m.fault, fmt.Errorf("operand %q is not supported", strings.Join(words, ",")))
		return v
	}
	if isWord(words[0]) && kind != "lsl" {
		f = m.inWords(kind)
	}
	if by.n != 0 {
		v = m.computed(f, v, by)
	}
	return v
}

// armAccess completes an access by its operands: status of a
// store-conditional, data, register to load, address.
func (m *machine) armAccess(a access, operands []string) error {
	var data string
	registers := []*string{&a.to}
	switch {
	case a.Kind == gen.StoreConditional, a.Compare:
		registers = []*string{&a.to, &data}
	case a.NoReturn, a.Kind == gen.Store:
		registers = []*string{&data}
	case a.Kind.Writes():
		registers = []*string{&data, &a.to}
	}
	if len(operands) < len(registers)+1 || len(operands) > len(registers)+2 {
		return fmt.Errorf("%d operands: want %d", len(operands), len(registers)+1)
	}
	for i, at := range registers {
		*at = m.register(operands[i])
		if at == &data {
			a.data = m.get(operands[i])
		}
		if at == &a.to {
			a.operand = operands[i]
		}
	}
	if last := operands[len(registers)-1]; a.Bytes == 0 {
		a.Bytes = 8
		if isWord(last) {
			a.Bytes = 4
		}
	}
	rest := operands[len(registers):]
	inner, ok := strings.CutPrefix(rest[0], "[")
	inner, before := strings.CutSuffix(inner, "!")
	if !ok || !strings.HasSuffix(inner, "]") {
		return fmt.Errorf("operand %q: want an address", rest[0])
	}
	words := strings.Split(strings.TrimSuffix(inner, "]"), ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	base := m.get(words[0])
	a.address = base
	if len(words) > 1 {
		a.address = m.computed(arithmetic["add"], base, m.operand(words[1:]))
	}
	moved := a.address // by addressing before or after the access
	if len(rest) == 2 {
		moved = m.computed(arithmetic["add"], base, m.operand(rest[1:]))
	}
	err := m.perform(a)
	if before || len(rest) == 2 {
		m.to(words[0], moved)
	}
	return err
}
