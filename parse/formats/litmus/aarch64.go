package litmus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ordeal/gen"
)

// aarch64 reads loads and stores of words and double words, plain, acquiring and
// releasing, exclusive ones, SWP, barriers, arithmetic on what is known, and
// branches that jump nowhere.
var aarch64 = architecture{name: "AArch64", isa: gen.AArch64, register: aarch64Register, instruction: (*reader).aarch64Instruction}

// aarch64Register is the 64-bit name of a register.
func aarch64Register(text string) (string, bool) {
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

// Instructions of AArch64 by mnemonic.
var (
	aarch64Accesses = map[string]access{
		"ldr":   {kind: gen.Load},
		"ldar":  {kind: gen.Load, attr: gen.Acquire},
		"ldapr": {kind: gen.Load, attr: gen.AcquirePC},
		"str":   {kind: gen.Store},
		"stlr":  {kind: gen.Store, attr: gen.Release},
		"ldxr":  {kind: gen.LoadLinked},
		"ldaxr": {kind: gen.LoadLinked, attr: gen.Acquire},
		"stxr":  {kind: gen.StoreConditional},
		"stlxr": {kind: gen.StoreConditional, attr: gen.Release},
		"swp":   {kind: gen.Exchange},
		"swpa":  {kind: gen.Exchange, attr: gen.Acquire},
		"swpl":  {kind: gen.Exchange, attr: gen.Release},
		"swpal": {kind: gen.Exchange, attr: gen.Acquire | gen.Release},
	}
	aarch64Fences = map[string]access{
		"dmb sy": {kind: gen.FullFence}, "dmb ish": {kind: gen.FullFence},
		"dsb sy": {kind: gen.FullFence}, "dsb ish": {kind: gen.FullFence},
		"dmb ld": {kind: gen.PartialFence, fence: 3}, "dmb ishld": {kind: gen.PartialFence, fence: 3},
		"dmb st": {kind: gen.PartialFence, fence: 8}, "dmb ishst": {kind: gen.PartialFence, fence: 8},
		"isb": {kind: gen.PartialFence, fence: gen.InstructionBarrier},
	}
	aarch64Arithmetic = map[string]func(a, b int64) int64{"add": add, "orr": or, "and": and}
)

func (r *reader) aarch64Instruction(t *thread, text string) error {
	if text = t.label(text); text == "" {
		return nil
	}
	if len(t.labels) > 0 {
		return fmt.Errorf("instruction %q between a branch and its label %s: not supported", text, t.labels[0])
	}
	if err := r.aarch64Of(t, text); err != nil {
		return fmt.Errorf("instruction %q: %w", text, err)
	}
	return nil
}

func (r *reader) aarch64Of(t *thread, text string) error {
	mnemonic, operands := splitInstruction(text)
	if a, ok := aarch64Fences[strings.ToLower(strings.Join(append([]string{mnemonic}, operands...), " "))]; ok {
		return r.perform(t, a)
	}
	if a, ok := aarch64Accesses[mnemonic]; ok {
		return r.aarch64Access(t, a, operands)
	}
	operation, arithmetic := aarch64Arithmetic[mnemonic]
	if len(operands) == 0 || !arithmetic && !slices.Contains([]string{"cbz", "cbnz", "mov", "eor"}, mnemonic) {
		return fmt.Errorf("%s is not supported", strings.ToUpper(mnemonic))
	}
	to, _ := aarch64Register(operands[0])
	values := make([]value, len(operands)-1)
	for i, o := range operands[1:] {
		if mnemonic == "cbz" || mnemonic == "cbnz" {
			break // the rest is a label
		}
		v, err := t.aarch64Operand(o)
		if err != nil {
			return err
		}
		values[i] = v
	}
	var err error
	var v value
	switch {
	case to == "":
		return fmt.Errorf("no register %q", operands[0])
	case (mnemonic == "cbz" || mnemonic == "cbnz") && len(values) == 1:
		t.branch(operands[1], t.aarch64Value(to))
		return nil
	case mnemonic == "mov" && len(values) == 1:
		if v = values[0]; v.read {
			t.values[to], t.registers[to] = v, t.registers[t.aarch64Name(operands[1])]
			return nil
		}
	case mnemonic == "eor" && len(values) == 2:
		v, err = xor(values[0], values[1], t.aarch64Name(operands[1]) == t.aarch64Name(operands[2]) && operands[1] != "")
	case arithmetic && len(values) == 2:
		v, err = computed(operation, values[0], values[1])
	default:
		return fmt.Errorf("%s with %d operands is not supported", strings.ToUpper(mnemonic), len(operands))
	}
	t.set(to, v)
	return err
}

// aarch64Name is the name of a register, empty for what is none.
func (t *thread) aarch64Name(text string) string {
	if name, ok := aarch64Register(text); ok {
		return name
	}
	return ""
}

// aarch64Operand is what a register holds, or a constant.
func (t *thread) aarch64Operand(text string) (value, error) {
	if digits, ok := strings.CutPrefix(text, "#"); ok {
		n, err := number(digits)
		return value{n: n}, err
	}
	name, ok := aarch64Register(text)
	if !ok {
		return value{}, fmt.Errorf("operand %q is not supported", text)
	}
	return t.aarch64Value(name), nil
}

func (t *thread) aarch64Value(register string) value {
	if register == "XZR" {
		return value{}
	}
	return t.values[register]
}

// aarch64Access completes an access by its operands: status of a
// store-conditional, data, register to load, address.
func (r *reader) aarch64Access(t *thread, a access, operands []string) error {
	var names []string
	if a.kind == gen.StoreConditional {
		names = append(names, "status")
	}
	if a.kind.Writes() {
		names = append(names, "data")
	}
	if a.kind.Reads() && a.kind != gen.StoreConditional {
		names = append(names, "to")
	}
	if len(operands) != len(names)+1 {
		return fmt.Errorf("%d operands: want %d", len(operands), len(names)+1)
	}
	for i, name := range names {
		register, ok := aarch64Register(operands[i])
		if !ok {
			return fmt.Errorf("no register %q", operands[i])
		}
		switch name {
		case "status":
			a.status = register
		case "data":
			a.data = t.aarch64Value(register)
		default:
			a.to = register
		}
	}
	if a.kind == gen.Exchange && a.to == "XZR" {
		return fmt.Errorf("an atomic instruction to the zero register orders less: not supported")
	}
	inner, ok := strings.CutPrefix(operands[len(names)], "[")
	if !ok || !strings.HasSuffix(inner, "]") {
		return fmt.Errorf("operand %q: want an address", operands[len(names)])
	}
	words := strings.Split(strings.TrimSuffix(inner, "]"), ",")
	var err error
	if a.address, err = t.aarch64Operand(strings.TrimSpace(words[0])); err == nil && len(words) > 1 {
		var offset value
		if offset, err = t.aarch64Operand(strings.TrimSpace(words[1])); err == nil {
			a.address, err = computed(add, a.address, offset)
		}
	}
	if err != nil {
		return err
	}
	if len(words) > 3 || len(words) == 3 && !strings.EqualFold(strings.TrimSpace(words[2]), "SXTW") && !strings.EqualFold(strings.TrimSpace(words[2]), "UXTW") {
		return fmt.Errorf("operand %q is not supported", operands[len(names)])
	}
	return r.perform(t, a)
}
