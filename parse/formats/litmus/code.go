package litmus

import (
	"errors"
	"fmt"
	"strings"

	"ordeal/gen"
)

// x86 reads moves, exchanges and fences in AT&T syntax.
var x86 = architecture{name: "X86_64", isa: gen.X86, register: x86Register, instruction: (*reader).x86Instruction}

func (r *reader) x86Instruction(t *thread, text string) error {
	mnemonic, operands, _ := strings.Cut(strings.TrimSpace(text), " ")
	mnemonic = strings.ToLower(mnemonic)
	if mnemonic == "mfence" {
		t.ops = append(t.ops, gen.Op{Kind: gen.FullFence})
		return nil
	}
	base := strings.TrimRight(mnemonic, "lq")
	if base != "mov" && base != "xchg" || len(mnemonic) > len(base)+1 {
		return fmt.Errorf("instruction %q is not supported", text)
	}
	from, to, ok := strings.Cut(operands, ",")
	if !ok {
		return fmt.Errorf("instruction %q: want two operands", text)
	}
	a, err := r.operand(t, from)
	if err != nil {
		return fmt.Errorf("instruction %q: %w", text, err)
	}
	b, err := r.operand(t, to)
	if err != nil {
		return fmt.Errorf("instruction %q: %w", text, err)
	}
	if base == "xchg" {
		err = r.exchange(t, a, b)
	} else {
		err = r.move(t, a, b)
	}
	if err != nil {
		return fmt.Errorf("instruction %q: %w", text, err)
	}
	return nil
}

type operand struct {
	constant bool
	value    int64
	register string
	memory   bool
	loc      gen.LocID
}

func (r *reader) operand(t *thread, text string) (operand, error) {
	text = strings.TrimSpace(text)
	if digits, ok := strings.CutPrefix(text, "$"); ok {
		n, err := number(digits)
		return operand{constant: true, value: n}, err
	}
	if strings.HasPrefix(text, "%") {
		name, ok := x86Register(strings.TrimPrefix(text, "%"))
		if !ok {
			return operand{}, fmt.Errorf("register %q is not supported", text)
		}
		if at := r.points[Variable{t.number, name}]; at != "" {
			return operand{}, fmt.Errorf("register %s holds an address", text)
		}
		return operand{register: name}, nil
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	if strings.HasPrefix(text, "[") {
		inner = strings.TrimSuffix(text[1:], "]")
	} else if !strings.HasPrefix(text, "(") {
		return operand{}, fmt.Errorf("operand %q is not supported", text)
	}
	if strings.HasPrefix(inner, "%") {
		name, _ := x86Register(strings.TrimPrefix(inner, "%"))
		at := r.points[Variable{t.number, name}]
		if at == "" {
			return operand{}, fmt.Errorf("register %s holds no address in the initial state", inner)
		}
		inner = at
	}
	if !isName(inner) {
		return operand{}, fmt.Errorf("operand %q is not supported", text)
	}
	return operand{memory: true, loc: r.locate(inner)}, nil
}

var errLoaded = errors.New("what a load returned is stored: not supported")

// loaded reports whether an operand is a register with what a load returned.
func (t *thread) loaded(o operand) bool {
	s, ok := t.registers[o.register]
	return ok && s.index >= 0
}

// keep notes that a location keeps what a load returned.
func (r *reader) keep(t *thread, from, to operand) error {
	name := r.t.Program.Locations[to.loc]
	if _, twice := r.t.kept[name]; twice {
		return errLoaded
	}
	r.t.kept[name] = kept{thread: t.number, from: t.registers[from.register], line: r.at}
	return nil
}

// dropKept takes the locations that keep what loads returned out of the
// program, and refuses those that are accessed otherwise.
func (r *reader) dropKept() {
	p := r.t.Program
	number := make([]gen.LocID, len(p.Locations))
	var names []string
	var initial []int64
	for l, name := range p.Locations {
		number[l] = gen.LocID(len(names))
		if _, ok := r.t.kept[name]; !ok {
			names, initial = append(names, name), append(initial, r.t.initial[l])
		}
	}
	for _, ops := range p.Threads {
		for i := range ops {
			if !ops[i].Kind.Reads() && !ops[i].Kind.Writes() {
				continue
			}
			name := p.Locations[ops[i].Loc]
			if k, ok := r.t.kept[name]; ok {
				r.fault(k.line, "thread %d: %s, which is accessed otherwise: %v", k.thread, name, errLoaded)
				return
			}
			ops[i].Loc = number[ops[i].Loc]
		}
	}
	for v, from := range r.t.registers {
		if from.index >= 0 {
			from.loc = number[from.loc]
			r.t.registers[v] = from
		}
	}
	for name, k := range r.t.kept {
		k.from.loc = number[k.from.loc]
		r.t.kept[name] = k
	}
	p.Locations, r.t.initial = names, initial
}

// constantOf is the value that a register or constant has for certain.
func (t *thread) constantOf(o operand) (int64, error) {
	if o.constant {
		return o.value, nil
	}
	s, ok := t.registers[o.register]
	if ok && s.index >= 0 {
		return 0, errLoaded
	}
	return s.value, nil // registers start at 0
}

// store gives a store of the test a constant of its own.
func (r *reader) store(value int64) gen.Value {
	r.stored++
	r.t.values[r.stored] = value
	return r.stored
}

func (r *reader) move(t *thread, from, to operand) error {
	switch {
	case to.constant:
		return errors.New("a constant is no destination")
	case from.memory && to.memory:
		return errors.New("two operands in memory")
	case from.memory:
		t.ops = append(t.ops, gen.Op{Kind: gen.Load, Loc: from.loc})
		t.registers[to.register] = source{index: t.reads, loc: from.loc}
		t.reads++
	case to.memory && t.loaded(from):
		return r.keep(t, from, to)
	case to.memory:
		value, err := t.constantOf(from)
		if err != nil {
			return err
		}
		t.ops = append(t.ops, gen.Op{Kind: gen.Store, Loc: to.loc, Value: r.store(value)})
	case from.constant:
		t.registers[to.register] = source{index: -1, value: from.value}
	default:
		t.registers[to.register] = t.held(from.register)
	}
	return nil
}

func (t *thread) held(name string) source {
	if s, ok := t.registers[name]; ok {
		return s
	}
	return source{index: -1}
}

func (r *reader) exchange(t *thread, a, b operand) error {
	if b.memory {
		a, b = b, a
	}
	if !a.memory || b.register == "" {
		return errors.New("want a register and a location")
	}
	value, err := t.constantOf(b)
	if err != nil {
		return err
	}
	t.ops = append(t.ops, gen.Op{Kind: gen.Exchange, Loc: a.loc, Value: r.store(value)})
	t.registers[b.register] = source{index: t.reads, loc: a.loc}
	t.reads++
	return nil
}

// x86Register is the 64-bit name of a register.
func x86Register(name string) (string, bool) {
	name = strings.ToLower(name)
	for _, r := range []string{"ax", "bx", "cx", "dx", "si", "di", "bp"} {
		if name == "r"+r || name == "e"+r {
			return "r" + r, true
		}
	}
	for _, n := range []string{"8", "9", "10", "11", "12", "13", "14", "15"} {
		if name == "r"+n || name == "r"+n+"d" {
			return "r" + n, true
		}
	}
	return "", false
}
