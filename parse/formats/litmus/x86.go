package litmus

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/gen"
	emit "ordeal/gen/emit/litmus"
)

// x86 reads moves, exchanges and fences in AT&T syntax.
var x86 = architecture{name: "X86_64", isa: gen.X86, register: x86Register, instruction: (*machine).x86}

// x86Registers are the 64-bit names.
var x86Registers = strings.Fields("rax rbx rcx rdx rsi rdi rbp r8 r9 r10 r11 r12 r13 r14 r15")

// x86Register is the 64-bit name of a register.
func x86Register(name string) (string, bool) {
	name = strings.ToLower(strings.TrimPrefix(name, "%"))
	if rest, ok := strings.CutPrefix(name, "e"); ok {
		name = "r" + rest
	} else if rest, ok := strings.CutSuffix(name, "d"); ok && strings.HasPrefix(name, "r") && name != "rd" {
		name = rest
	}
	return name, slices.Contains(x86Registers, name)
}

func (m *machine) x86(mnemonic string, operands []string) error {
	base := strings.TrimRight(mnemonic, "lq")
	switch {
	case mnemonic == "mfence" && len(operands) == 0:
		m.add(gen.Op{Kind: gen.FullFence}, 0)
		return nil
	case base != "mov" && base != "xchg" || len(mnemonic) > len(base)+1:
		return fmt.Errorf("%s %w", mnemonic, errUnsupported)
	case len(operands) != 2:
		return errors.New("want two operands")
	}
	from, to := m.x86Operand(operands[0]), m.x86Operand(operands[1])
	a := emit.Access{Kind: gen.Load}
	switch suffix := mnemonic[len(base):]; {
	case suffix == "l", suffix == "" && slices.ContainsFunc(operands, isHalf):
		a.Bytes = 4
	case suffix == "q", from.register != "", to.register != "":
		a.Bytes = 8
	}
	if base == "xchg" && to.memory {
		from, to = to, from
	}
	switch {
	case base == "xchg" && (!from.memory || to.register == ""):
		return errors.New("want a register and a location")
	case !to.memory && to.register == "":
		return errors.New("a constant is no destination")
	case from.memory && to.memory:
		return errors.New("two operands in memory")
	case base == "xchg":
		a.Kind = gen.Exchange
		return m.perform(access{Access: a, address: from.value, data: to.value, to: to.register})
	case from.memory:
		return m.perform(access{Access: a, address: from.value, to: to.register})
	case to.memory && from.value.from != nil && m.r.mentions[to.name] == 1:
		m.kept[to.name] = from.value.source() // threads run out of registers
	case to.memory:
		if to.name != "" {
			to.value.n = address(m.r.locate(to.name))
		}
		a.Kind = gen.Store
		return m.perform(access{Access: a, address: to.value, data: from.value})
	default:
		m.set(to.register, m.extended(width{bytes: a.Bytes}, from.value))
	}
	return nil
}

// isHalf reports whether an operand is a register of 32 bits.
func isHalf(operand string) bool {
	name := strings.ToLower(operand)
	return strings.HasPrefix(name, "%e") || strings.HasPrefix(name, "%r") && strings.HasSuffix(name, "d")
}

// x86Operand is a constant, a register with what it holds, or memory with its address.
type x86Operand struct {
	memory   bool
	register string
	name     string // of a location that is named and not pointed at
	value    value
}

func (m *machine) x86Operand(text string) x86Operand {
	name := x86Location(text)
	switch {
	case strings.HasPrefix(text, "$"):
		return x86Operand{value: m.constant(text[1:])}
	case strings.HasPrefix(text, "%"):
		return x86Operand{register: m.register(text), value: m.get(text)}
	case strings.HasPrefix(name, "%"):
		v := m.get(name)
		if _, points := m.r.t.pointed(m.know(v)); !points {
			m.fault = cmp.Or(m.fault, fmt.Errorf("register %s holds no address", name))
		}
		return x86Operand{memory: true, value: v}
	case !isName(name):
		m.fault = cmp.Or(m.fault, fmt.Errorf("operand %q is not supported", text))
	}
	return x86Operand{memory: true, name: name, value: value{n: address(m.r.t.location(name))}}
}

// x86Location is what stands in the parentheses or brackets of an operand in memory; empty
// for another one.
func x86Location(text string) string {
	for _, marks := range []string{"()", "[]"} {
		if inner, ok := strings.CutPrefix(text, marks[:1]); ok && strings.HasSuffix(inner, marks[1:]) {
			return inner[:len(inner)-1]
		}
	}
	return ""
}
