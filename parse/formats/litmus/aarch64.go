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
	"bic": func(a, b int64) int64 { return a &^ b },
	"orn": func(a, b int64) int64 { return a | ^b },
	"lsl": shiftLeft, "sll": shiftLeft, "slli": shiftLeft,
	"lsr": shiftRight, "srl": shiftRight, "srli": shiftRight,
	"mul": func(a, b int64) int64 { return a * b },
}

func shiftLeft(a, b int64) int64  { return a << (b & 63) }
func shiftRight(a, b int64) int64 { return int64(uint64(a) >> (b & 63)) }

// conditions are those of Arm, of the values that were compared.
var conditions = map[string]func(a, b int64) bool{
	"eq": func(a, b int64) bool { return a == b }, "ne": func(a, b int64) bool { return a != b },
	"lt": func(a, b int64) bool { return a < b }, "ge": func(a, b int64) bool { return a >= b },
	"gt": func(a, b int64) bool { return a > b }, "le": func(a, b int64) bool { return a <= b },
	"lo": func(a, b int64) bool { return uint64(a) < uint64(b) }, "cc": func(a, b int64) bool { return uint64(a) < uint64(b) },
	"hs": func(a, b int64) bool { return uint64(a) >= uint64(b) }, "cs": func(a, b int64) bool { return uint64(a) >= uint64(b) },
	"hi": func(a, b int64) bool { return uint64(a) > uint64(b) }, "ls": func(a, b int64) bool { return uint64(a) <= uint64(b) },
	"mi": func(a, b int64) bool { return a-b < 0 }, "pl": func(a, b int64) bool { return a-b >= 0 },
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
		return m.branch(operands[0], condition, m.flags[0], m.flags[1])
	case mnemonic == "b" && n == 1:
		return m.jump(operands[0])
	case mnemonic == "cbz" && n == 2:
		return m.branch(operands[1], conditions["eq"], m.get(operands[0]), value{})
	case mnemonic == "cbnz" && n == 2:
		return m.branch(operands[1], conditions["ne"], m.get(operands[0]), value{})
	case (mnemonic == "tbz" || mnemonic == "tbnz") && n == 3:
		bit := m.constant(operands[1]).n & 63
		return m.branch(operands[2], func(a, _ int64) bool { return a>>bit&1 == 1 == (mnemonic == "tbnz") }, m.get(operands[0]), value{})
	case (mnemonic == "csel" || mnemonic == "csinc") && n == 4:
		m.to(operands[0], m.choice(m.get(operands[1]), m.get(operands[2]), operands[3], int64(len(mnemonic)-4)))
	case mnemonic == "cset" && n == 2:
		m.to(operands[0], m.choice(value{n: 1}, value{}, operands[1], 0))
	case (mnemonic == "mov" || mnemonic == "sxtw" || mnemonic == "uxtw") && n == 2:
		m.to(operands[0], m.operand(operands[1:]))
	case mnemonic == "mvn" && n == 2:
		m.to(operands[0], m.computed(arithmetic["orn"], value{}, m.operand(operands[1:])))
	case mnemonic == "cmp" && n >= 2:
		m.flags = [2]value{m.get(operands[0]), m.operand(operands[1:])}
	case mnemonic == "cmn" && n >= 2:
		m.flags = [2]value{m.get(operands[0]), m.computed(arithmetic["sub"], value{}, m.operand(operands[1:]))}
	case mnemonic == "tst" && n >= 2:
		m.flags = [2]value{m.computed(arithmetic["and"], m.get(operands[0]), m.operand(operands[1:])), {}}
	default:
		name, flags := mnemonic, false
		if arithmetic[name] == nil {
			name, flags = strings.CutSuffix(mnemonic, "s")
		}
		if arithmetic[name] == nil || n < 3 {
			return fmt.Errorf("%s with %d operands is not supported", strings.ToUpper(mnemonic), n)
		}
		v := m.get(operands[1]).nothing()
		if !strings.EqualFold(operands[1], operands[2]) || n > 3 || name != "eor" && name != "sub" {
			v = m.computed(arithmetic[name], m.get(operands[1]), m.operand(operands[2:]))
		}
		if flags {
			m.flags = [2]value{v, {}}
		}
		m.to(operands[0], v)
	}
	return nil
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
func (m *machine) condition(name string) func(a, b int64) bool {
	holds := conditions[strings.ToLower(name)]
	if holds == nil {
		m.fault = cmp.Or(m.fault, fmt.Errorf("condition %q is not supported", name))
		return conditions["eq"]
	}
	return holds
}

// choice is what CSEL and its kin choose by the flags, which do not become its data.
func (m *machine) choice(yes, no value, condition string, increment int64) value {
	chosen := yes
	if !m.condition(condition)(m.know(m.flags[0]), m.know(m.flags[1])) {
		if chosen = no; increment != 0 {
			chosen = m.computed(arithmetic["add"], no, value{n: increment})
		}
	}
	for _, f := range m.flags {
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
	switch kind {
	case "sxtw", "uxtw", "sxtx", "uxtx", "lsl":
		if by.n != 0 {
			v = m.computed(shiftLeft, v, by)
		}
	case "lsr":
		v = m.computed(shiftRight, v, by)
	default:
		m.fault = cmp.Or(m.fault, fmt.Errorf("operand %q is not supported", strings.Join(words, ",")))
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
	}
	a.data = m.holds[data]
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
