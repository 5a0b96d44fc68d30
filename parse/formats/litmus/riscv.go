package litmus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ordeal/gen"
	emit "ordeal/gen/emit/litmus"
)

// riscv reads the accesses and fences of its dialect, arithmetic, and branches forward.
// fence.i, which orders fetches of instructions alone, is left out.
var riscv = architecture{
	name: "RISCV", isa: gen.RISCV64A, dialect: &emit.RISCV, register: emit.RISCV.Register,
	instruction: (*machine).riscv, zero: "x0",
}

// riscvBranches are the branches by comparison.
var riscvBranches = map[string]string{"beq": "eq", "bne": "ne", "blt": "lt", "bge": "ge", "bltu": "lo", "bgeu": "hs", "bgt": "gt", "ble": "le"}

// riscvAliases are instructions of two operands as those of three that they stand for.
var riscvAliases = map[string][3]string{
	"mv": {"addi", "", "0"}, "not": {"xori", "", "-1"}, "neg": {"sub", "x0", ""}, "negw": {"subw", "x0", ""},
	"sext.w": {"addiw", "", "0"}, "seqz": {"sltiu", "", "1"}, "snez": {"sltu", "x0", ""},
}

func (m *machine) riscv(mnemonic string, operands []string) error {
	refused := fmt.Errorf("%s of these operands %w", mnemonic, errUnsupported)
	if a, ok := emit.RISCV.Access(mnemonic); ok {
		return m.riscvAccess(access{Access: a}, operands, refused)
	}
	if strings.HasPrefix(mnemonic, "fence") {
		return m.riscvFence(mnemonic, operands)
	}
	if base, ok := strings.CutSuffix(mnemonic, "z"); ok && riscvBranches[base] != "" && len(operands) == 2 {
		mnemonic, operands = base, []string{operands[0], "x0", operands[1]}
	}
	switch n := len(operands); {
	case mnemonic == "j" && n == 1:
		return m.jump(operands[0])
	case riscvBranches[mnemonic] != "" && n == 3:
		return m.compared(operands[2], riscvBranches[mnemonic], m.get(operands[0]), m.get(operands[1]))
	case mnemonic == "li" && n == 2:
		m.to(operands[0], m.constant(operands[1]))
		return nil
	case mnemonic == "mv" && n == 2:
		m.to(operands[0], m.get(operands[1]))
		return nil
	case mnemonic == "lui" && n == 2:
		m.to(operands[0], m.computed(func(a, _ int64) int64 { return m.r.t.narrow(a<<12, width{bytes: 4, signed: true}) }, m.constant(operands[1]), value{}))
		return nil
	case riscvAliases[mnemonic][0] != "" && n == 2:
		alias := riscvAliases[mnemonic]
		mnemonic, operands = alias[0], []string{operands[0], cmp.Or(alias[1], operands[1]), cmp.Or(alias[2], operands[1])}
	}
	name, words := strings.CutSuffix(mnemonic, "w")
	name, immediate := strings.CutSuffix(name, "i")
	if mnemonic == "sltiu" {
		name, immediate = "sltu", true
	}
	f := arithmetic[name]
	if f == nil || len(operands) != 3 || strings.HasSuffix(name, "s") {
		return refused
	}
	if words && !slices.Contains(append(shifts, "add", "sub", "mul"), name) {
		return refused
	}
	if words {
		unsigned := m.inWords(name)
		f = func(a, b int64) int64 { return m.r.t.narrow(unsigned(a, b), width{bytes: 4, signed: true}) }
	}
	switch {
	case immediate:
		m.to(operands[0], m.computed(f, m.get(operands[1]), m.constant(operands[2])))
	case operands[1] == operands[2] && (name == "xor" || name == "sub"):
		m.to(operands[0], m.get(operands[1]).nothing())
	default:
		m.to(operands[0], m.computed(f, m.get(operands[1]), m.get(operands[2])))
	}
	return nil
}

// riscvAccess completes an access by its operands: the result, the data, and the address in
// parentheses.
func (m *machine) riscvAccess(a access, operands []string, refused error) error {
	last := 1
	if a.Kind.Reads() && a.Kind.Writes() || a.Kind == gen.StoreConditional {
		last = 2
	}
	if len(operands) != last+1 || !strings.HasSuffix(operands[last], ")") {
		return refused
	}
	if a.Kind.Reads() {
		a.to, a.operand = m.register(operands[0]), operands[0]
	}
	if a.Kind.Writes() {
		a.data = m.get(operands[last-1])
	}
	offset, register, _ := strings.Cut(strings.TrimSuffix(operands[last], ")"), "(")
	a.address = m.get(strings.TrimSpace(register))
	if offset = strings.TrimSpace(offset); offset != "" && offset != "0" {
		a.address = m.computed(arithmetic["add"], a.address, m.constant(offset))
	}
	return m.perform(a)
}

// riscvFence reads a fence. Its bits i and o order accesses of devices, of which a test
// has none: a fence without r or w before or after it orders nothing.
func (m *machine) riscvFence(mnemonic string, operands []string) error {
	text := strings.TrimSpace(mnemonic + " " + strings.Join(operands, ","))
	sets := slices.Clone(operands)
	for i, set := range operands {
		if set == "" || strings.Trim(set, "iorw") != "" {
			return fmt.Errorf("%s is not supported", text)
		}
		sets[i] = strings.Trim(set, "io") // i and o stand before r and w
	}
	if text == "fence.i" || len(sets) == 2 && (sets[0] == "" || sets[1] == "") {
		return nil
	}
	if !m.fences(strings.TrimSpace(mnemonic + " " + strings.Join(sets, ","))) {
		return fmt.Errorf("%s is not supported", text)
	}
	return nil
}
