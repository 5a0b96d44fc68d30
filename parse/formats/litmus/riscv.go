package litmus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ordeal/gen"
)

// riscv reads loads and stores of words and double words, also with .aq and .rl (of
// the extension Zalasr), lr and sc, amoswap, fences, arithmetic on what is known,
// and branches that jump nowhere. fence.i, which orders fetches of instructions
// alone, is left out.
var riscv = architecture{name: "RISCV", isa: gen.RISCV64A, register: riscvRegister, instruction: (*reader).riscvInstruction}

// riscvNames are the names of the registers of the calling convention, by
// number.
var riscvNames = strings.Fields("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6")

func riscvRegister(text string) (string, bool) {
	text = strings.ToLower(text)
	if i := slices.Index(riscvNames, text); i >= 0 {
		return "x" + strconv.Itoa(i), true
	}
	n, err := strconv.Atoi(strings.TrimPrefix(text, "x"))
	return "x" + strconv.Itoa(n), err == nil && strings.HasPrefix(text, "x") && n >= 0 && n < len(riscvNames)
}

// riscvArithmetic are instructions of registers, and with i behind the name of a
// register and a constant.
var riscvArithmetic = map[string]func(a, b int64) int64{"add": add, "or": or, "and": and}

func (r *reader) riscvInstruction(t *thread, text string) error {
	if text = t.label(text); text == "" {
		return nil
	}
	if len(t.labels) > 0 {
		return fmt.Errorf("instruction %q between a branch and its label %s: not supported", text, t.labels[0])
	}
	if err := r.riscvOf(t, text); err != nil {
		return fmt.Errorf("instruction %q: %w", text, err)
	}
	return nil
}

func (r *reader) riscvOf(t *thread, text string) error {
	mnemonic, operands := splitInstruction(text)
	parts := strings.Split(mnemonic, ".")
	name := parts[0]
	var attr gen.Attr
	width := ""
	for _, part := range parts[1:] {
		switch part {
		case "aq":
			attr |= gen.Acquire
		case "rl":
			attr |= gen.Release
		default:
			width += "." + part
		}
	}
	registers := make([]string, len(operands)) // empty where the operand is none
	for i, o := range operands {
		if name, ok := riscvRegister(o); ok {
			registers[i] = name
		}
	}
	form := func(want string) bool { // r: register, m: memory, c: anything else
		if len(want) != len(operands) {
			return false
		}
		for i, k := range want {
			if k == 'r' != (registers[i] != "") || k == 'm' != strings.HasSuffix(operands[i], ")") {
				return false
			}
		}
		return true
	}
	memory := func(text string) (value, error) {
		offset, register, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
		if offset = strings.TrimSpace(offset); offset != "" && offset != "0" {
			return value{}, fmt.Errorf("offset %s: want 0", offset)
		}
		at, ok := riscvRegister(strings.TrimSpace(register))
		if !ok {
			return value{}, fmt.Errorf("no register %q", register)
		}
		return t.riscvValue(at), nil
	}
	plain := width == "" && attr == 0
	operation, arithmetic := riscvArithmetic[strings.TrimSuffix(name, "i")]
	switch {
	case name == "fence" && attr == 0:
		return r.riscvFence(t, width, operands)
	case (name == "lw" || name == "ld") && width == "" && form("rm"):
		at, err := memory(operands[1])
		if err != nil {
			return err
		}
		return r.perform(t, access{kind: gen.Load, attr: attr, address: at, to: registers[0]})
	case (name == "sw" || name == "sd") && width == "" && form("rm"):
		at, err := memory(operands[1])
		if err != nil {
			return err
		}
		return r.perform(t, access{kind: gen.Store, attr: attr, address: at, data: t.riscvValue(registers[0])})
	case name == "lr" && (width == ".w" || width == ".d") && form("rm"):
		at, err := memory(operands[1])
		if err != nil {
			return err
		}
		return r.perform(t, access{kind: gen.LoadLinked, attr: attr, address: at, to: registers[0]})
	case (name == "sc" || name == "amoswap") && (width == ".w" || width == ".d") && form("rrm"):
		at, err := memory(operands[2])
		if err != nil {
			return err
		}
		a := access{kind: gen.Exchange, attr: attr, address: at, data: t.riscvValue(registers[1]), to: registers[0]}
		if name == "sc" {
			a.kind, a.to, a.status = gen.StoreConditional, "", registers[0]
		}
		return r.perform(t, a)
	case plain && name == "xor" && form("rrr"):
		v, err := xor(t.riscvValue(registers[1]), t.riscvValue(registers[2]), registers[1] == registers[2])
		t.set(registers[0], v)
		return err
	case plain && arithmetic && form("rrr") && !strings.HasSuffix(name, "i"):
		v, err := computed(operation, t.riscvValue(registers[1]), t.riscvValue(registers[2]))
		t.set(registers[0], v)
		return err
	case plain && arithmetic && form("rrc") && strings.HasSuffix(name, "i"):
		n, err := number(operands[2])
		if err != nil {
			return err
		}
		v, err := computed(operation, t.riscvValue(registers[1]), value{n: n})
		t.set(registers[0], v)
		return err
	case plain && name == "li" && form("rc"):
		n, err := number(operands[1])
		t.set(registers[0], value{n: n})
		return err
	case plain && (name == "bne" || name == "beq") && form("rrc"):
		t.branch(operands[2], t.riscvValue(registers[0]), t.riscvValue(registers[1]))
		return nil
	}
	return fmt.Errorf("%s of these operands is not supported", mnemonic)
}

// riscvValue is what a register holds; x0 is 0 whatever it was set to.
func (t *thread) riscvValue(register string) value {
	if register == "x0" {
		return value{}
	}
	return t.values[register]
}

// riscvFence reads a fence. Its bits i and o order accesses of devices, of which a test
// has none: a fence without r or w before or after it orders nothing.
func (r *reader) riscvFence(t *thread, width string, operands []string) error {
	if width == "" && len(operands) == 2 {
		written := strings.Join(operands, ",")
		for i, set := range operands {
			bits := strings.Map(func(c rune) rune {
				if c == 'i' || c == 'o' {
					return -1
				}
				return c
			}, set)
			if set == "" || strings.Trim(set, "iorw") != "" {
				return fmt.Errorf("fence %s is not supported", written)
			}
			operands[i] = bits
		}
		if operands[0] == "" || operands[1] == "" {
			return nil
		}
	}
	switch {
	case width == ".i" && len(operands) == 0:
		return nil
	case width == ".tso" && len(operands) == 0:
		return r.perform(t, access{kind: gen.PartialFence, fence: gen.FenceByName("tso")})
	case width != "" || len(operands) != 2 && len(operands) != 0:
	case len(operands) == 0 || operands[0] == "rw" && operands[1] == "rw":
		return r.perform(t, access{kind: gen.FullFence})
	default:
		if fence := gen.FenceByName(operands[0] + "." + operands[1]); fence != 0 {
			return r.perform(t, access{kind: gen.PartialFence, fence: fence})
		}
	}
	return fmt.Errorf("fence %s%s is not supported", width, strings.Join(operands, ","))
}
