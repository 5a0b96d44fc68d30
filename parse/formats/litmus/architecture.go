package litmus

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/gen"
)

// architecture is a dialect of litmus tests.
type architecture struct {
	name string // in the first line of a test
	isa  gen.ISA
	// register returns the name that a register has in conditions.
	register func(text string) (string, bool)
	// instruction adds what an instruction does to a thread.
	instruction func(r *reader, t *thread, text string) error
}

func architectures() []*architecture { return []*architecture{&x86, &aarch64, &riscv} }

type thread struct {
	number    int
	ops       []gen.Op
	reads     int
	registers map[string]source // what they hold

	// Of AArch64 and RISCV:
	values  map[string]value // what they hold, and where that is from
	control []int            // reads that the next operation depends on by branches
	labels  []string         // that branches lead to and that are not placed
}

func (r *reader) newThread(number int) *thread {
	t := &thread{number: number, registers: map[string]source{}, values: map[string]value{}}
	for v, s := range r.t.registers {
		if v.Thread == number {
			t.registers[v.Name] = s
			t.values[v.Name] = value{n: s.value}
		}
	}
	for v, at := range r.points {
		if v.Thread == number {
			t.values[v.Name] = value{at: at}
		}
	}
	return t
}

// value is what a register holds: a constant, the address of a location plus a
// constant of 0, or what a load returned.
type value struct {
	n     int64
	at    string
	read  bool  // not known: what the last of reads returned
	reads []int // operations of the thread that it was computed from, ascending
}

// computed is f of values that are known.
func computed(f func(a, b int64) int64, a, b value) (value, error) {
	v := value{at: a.at + b.at, n: f(a.n, b.n), reads: union(a.reads, b.reads)}
	if a.read || b.read || a.at != "" && b.at != "" || v.at != "" && v.n != 0 {
		return v, errors.New("the result is not known before the test runs")
	}
	return v, nil
}

func union(a, b []int) []int {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// xor is computed, of the same register twice also for what a load returned.
func xor(a, b value, same bool) (value, error) {
	if same && a.at == "" {
		return value{reads: a.reads}, nil
	}
	return computed(func(a, b int64) int64 { return a ^ b }, a, b)
}

func add(a, b int64) int64 { return a + b }
func or(a, b int64) int64  { return a | b }
func and(a, b int64) int64 { return a & b }

// set makes a register hold a value that no load returned.
func (t *thread) set(register string, v value) {
	t.values[register] = v
	t.registers[register] = source{index: -1, value: v.n}
}

// access is an operation of AArch64 or RISCV.
type access struct {
	kind    gen.OpKind
	attr    gen.Attr
	fence   gen.Value
	address value
	data    value
	// to holds what is read, empty for none; status the result of a
	// store-conditional.
	to, status string
}

func (r *reader) perform(t *thread, a access) error {
	op := gen.Op{Kind: a.kind, Attr: a.attr, Value: a.fence}
	reads := map[int]gen.DepKind{}
	for _, from := range t.control {
		reads[from] |= gen.DepControl
	}
	if access := a.kind.Reads() || a.kind.Writes(); access {
		if a.address.at == "" {
			return errors.New("the address is none of a location")
		}
		op.Loc = r.locate(a.address.at)
		for _, from := range a.address.reads {
			reads[from] |= gen.DepAddress
		}
	}
	if a.kind.Writes() {
		if a.data.read {
			return errLoaded
		}
		if a.data.at != "" {
			return errors.New("an address is stored: not supported")
		}
		for _, from := range a.data.reads {
			reads[from] |= gen.DepData
		}
		op.Value = r.store(a.data.n)
	}
	if len(reads) > 1 {
		return fmt.Errorf("%s depends on %d reads: want one", op.Kind, len(reads))
	}
	for from, kind := range reads {
		if t.ops[from].Kind == gen.StoreConditional {
			return fmt.Errorf("%s depends on the result of a store-conditional: not supported", op.Kind)
		}
		if len(t.ops)-from > gen.MaxBack {
			return fmt.Errorf("%s depends on a read more than %d operations before", op.Kind, gen.MaxBack)
		}
		op.Dep, op.Back = kind, uint8(len(t.ops)-from)
	}
	t.control = nil
	t.ops = append(t.ops, op)
	if !a.kind.Reads() {
		return nil
	}
	to := a.to
	if a.kind == gen.StoreConditional {
		to = a.status
	}
	if to != "" {
		t.registers[to] = source{index: t.reads, loc: op.Loc, status: a.kind == gen.StoreConditional}
		t.values[to] = value{read: true, reads: []int{len(t.ops) - 1}}
	}
	t.reads++
	return nil
}

// branch makes what follows depend on what registers hold. The label has to come
// before the next operation, so that the branch only depends.
func (t *thread) branch(label string, on ...value) {
	for _, v := range on {
		t.control = union(t.control, v.reads)
	}
	t.labels = append(t.labels, label)
}

// label places a label, if the text is one, and returns what follows it.
func (t *thread) label(text string) string {
	name, rest, ok := strings.Cut(text, ":")
	if !ok || !isName(name) {
		return strings.TrimSpace(text)
	}
	t.labels = slices.DeleteFunc(t.labels, func(l string) bool { return l == name })
	return strings.TrimSpace(rest)
}

// finish checks that the labels of all branches are placed.
func (t *thread) finish() error {
	if len(t.labels) > 0 {
		return fmt.Errorf("no label %s behind the branch to it", t.labels[0])
	}
	return nil
}

// splitInstruction splits an instruction into its mnemonic, in lower case, and
// its operands; brackets hold commas.
func splitInstruction(text string) (mnemonic string, operands []string) {
	mnemonic, rest, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\t", " ")), " ")
	depth, from := 0, 0
	for i, c := range rest + "," {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth > 0 {
				continue
			}
			if o := strings.TrimSpace((rest + ",")[from:i]); o != "" {
				operands = append(operands, o)
			}
			from = i + 1
		}
	}
	return strings.ToLower(mnemonic), operands
}
