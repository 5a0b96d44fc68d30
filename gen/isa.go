package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ordeal/gen/option"
)

// ISA is the instruction set of a program.
type ISA uint8

// The instruction sets.
const (
	X86      ISA = iota // x86-64, and every form of output that knows no other
	AArch64             // Armv8 with its atomic instructions (LSE) and LDAPR
	RISCV64             // RV64GC
	RISCV64A            // RV64GC with Zalasr: loads that acquire, stores that release
)

var isaNames = option.Names[ISA]{"x86-64", "aarch64", "riscv64", "riscv64-zalasr"}

// ISAs lists the instruction sets.
func ISAs() []ISA { return []ISA{X86, AArch64, RISCV64, RISCV64A} }

// String is the name in the text form and as an option.
func (i ISA) String() string { return isaNames.Of(i) }

// ParseISA is the inverse of String.
func ParseISA(name string) (ISA, error) {
	for _, i := range ISAs() {
		if name == i.String() {
			return i, nil
		}
	}
	return X86, fmt.Errorf("unknown instruction set %q: want x86-64, aarch64, riscv64 or riscv64-zalasr", name)
}

// MarshalText is String.
func (i ISA) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText is ParseISA.
func (i *ISA) UnmarshalText(text []byte) (err error) {
	*i, err = ParseISA(string(text))
	return err
}

// Attr is a set of annotations of an operation.
type Attr uint8

// The annotations.
const (
	Acquire   Attr = 1 << iota // before everything that follows (LDAR, .aq)
	AcquirePC                  // the same, but not behind a Release before it (LDAPR)
	Release                    // behind everything before it (STLR, .rl)
	// Retry is of a load-linked and a store-conditional behind another pair of the
	// location and constant: one more attempt, made if the one before it failed.
	// The log has 0 for such a load-linked that was not needed, and Skipped for its
	// store-conditional.
	Retry
)

// Skipped is what the log has for a store-conditional that was not needed.
const Skipped Value = 2

var attrNames = []string{"acquire", "acquirepc", "release", "retry"}

// DepKind is a set of kinds of dependencies.
type DepKind uint8

// The kinds of dependencies.
const (
	DepAddress DepKind = 1 << iota // the address is computed from what was read
	DepData                        // the stored value is
	DepControl                     // the operation stands behind a branch on it
	DepPick                        // it chose the stored value among others; no operation of a program has it
)

// Dependency says that an operation of a thread depends on an earlier one, by index: for litmus
// tests, whose operations may depend on more than one. DepControl is of all that follow, too.
type Dependency struct {
	Thread   ThreadID
	From, To int
	Kind     DepKind
}

var depNames = []string{"addr", "data", "ctrl"}

// Fences that order less than FullFence, as Values of PartialFence: sets of the
// pairs load-load, load-store, store-load and store-store that they order (1, 2,
// 4, 8), or InstructionBarrier, which orders what depends on branches and
// addresses before it with all that follows (ISB).
const InstructionBarrier Value = 16

// fenceKinds are the partial fences by name: what precedes and what follows.
var fenceKinds = []struct {
	name  string
	value Value
}{
	{"r.r", 1}, {"r.w", 2}, {"w.r", 4}, {"w.w", 8}, {"r.rw", 3}, {"w.rw", 12}, {"rw.r", 5}, {"rw.w", 10},
	{"tso", 11}, {"isync", InstructionBarrier},
}

// FenceName is the name of a partial fence, empty if there is none.
func FenceName(v Value) string {
	for _, k := range fenceKinds {
		if k.value == v {
			return k.name
		}
	}
	return ""
}

// FenceByName is the inverse of FenceName; 0 if there is none.
func FenceByName(name string) Value {
	for _, k := range fenceKinds {
		if k.name == name {
			return k.value
		}
	}
	return 0
}

// abilities are what an instruction set has: everything has the operations of
// the text form without annotations.
type abilities struct {
	attrs        map[OpKind]Attr // operations, and their annotations; others have none
	fences       []string        // partial fences
	dependencies bool
}

// instructionSets says what the instruction sets have.
var instructionSets = [...]abilities{
	X86: {attrs: map[OpKind]Attr{Load: 0, Store: 0, Exchange: 0, FetchAdd: 0}},
	AArch64: {
		attrs: map[OpKind]Attr{
			Load: Acquire | AcquirePC, Store: Release, Exchange: Acquire | Release, FetchAdd: Acquire | Release,
			LoadLinked: Acquire | Retry, StoreConditional: Release | Retry,
		},
		fences: []string{"r.rw", "w.w", "isync"}, dependencies: true, // DMB LD, DMB ST, ISB
	},
	RISCV64: {
		attrs: map[OpKind]Attr{
			Load: 0, Store: 0, Exchange: Acquire | Release, FetchAdd: Acquire | Release,
			LoadLinked: Acquire | Release | Retry, StoreConditional: Acquire | Release | Retry,
		},
		fences: riscvFences, dependencies: true,
	},
	RISCV64A: {
		attrs: map[OpKind]Attr{
			Load: Acquire, Store: Release, Exchange: Acquire | Release, FetchAdd: Acquire | Release,
			LoadLinked: Acquire | Release | Retry, StoreConditional: Acquire | Release | Retry,
		},
		fences: riscvFences, dependencies: true,
	},
}

var riscvFences = []string{"r.r", "r.w", "w.r", "w.w", "r.rw", "w.rw", "rw.r", "rw.w", "tso"}

// checkISA reports operations that the instruction set of p lacks, dependencies
// on what is no read, and store-conditionals without their load.
func (p *Program) checkISA(report func(t ThreadID, i int, err error)) {
	if int(p.ISA) >= len(instructionSets) {
		report(0, 0, fmt.Errorf("unknown instruction set %d", p.ISA))
		return
	}
	for t, ops := range p.Threads {
		for i := range ops {
			if err := p.checkInstruction(ops, i); err != nil {
				report(ThreadID(t), i, fmt.Errorf("%s: %w", p.OpText(ops[i]), err))
			}
		}
	}
}

func (p *Program) checkInstruction(ops []Op, i int) error {
	op, has := ops[i], &instructionSets[p.ISA]
	attrs, known := has.attrs[op.Kind]
	switch {
	case (op.Kind.Reads() || op.Kind.Writes()) && !known:
		return fmt.Errorf("%s has no %s", p.ISA, op.Kind)
	case op.Attr&^attrs != 0:
		return fmt.Errorf("%s has no %s with %s", p.ISA, op.Kind, setText(uint8(op.Attr&^attrs), attrNames))
	case op.Attr&Acquire != 0 && op.Attr&AcquirePC != 0:
		return fmt.Errorf("acquire and acquirepc exclude each other")
	case op.Kind == PartialFence && !slices.Contains(has.fences, FenceName(op.Value)):
		return fmt.Errorf("%s has no fence %s", p.ISA, FenceName(op.Value))
	case op.Attr&Retry != 0:
		return p.checkRetry(ops, i)
	case op.Dep == 0 && op.Back == 0:
	case !has.dependencies:
		return fmt.Errorf("programs of %s have no dependencies", p.ISA)
	case op.Dep == 0 || op.Back == 0 || int(op.Back) > i || op.Dep&^(DepAddress|DepData|DepControl) != 0:
		return fmt.Errorf("dependency on %d operations before: want kinds, and 1 to %d", op.Back, min(i, MaxBack))
	case ops[i-int(op.Back)].Attr&Retry != 0:
		return fmt.Errorf("dependency on %s, which need not happen", p.OpText(ops[i-int(op.Back)]))
	case !ops[i-int(op.Back)].Kind.Reads() || ops[i-int(op.Back)].Kind == StoreConditional:
		return fmt.Errorf("dependency on %s, which returns no value of memory", p.OpText(ops[i-int(op.Back)]))
	case op.Dep&DepAddress != 0 && !op.Kind.Reads() && !op.Kind.Writes(), op.Dep&DepData != 0 && !op.Kind.Writes(), op.Kind == Delay:
		return fmt.Errorf("a %s has no such dependency", op.Kind)
	}
	if op.Kind != StoreConditional {
		return nil
	}
	for k := i - 1; k >= 0; k-- {
		switch before := ops[k]; {
		case before.Kind == LoadLinked && before.Loc == op.Loc:
			return nil
		case before.Kind.Reads() || before.Kind.Writes():
			return fmt.Errorf("%s between it and its load-linked", p.OpText(before))
		}
	}
	return fmt.Errorf("no load-linked of the location before it")
}

// checkRetry reports what is wrong with operation i, which has Retry: two such
// operations directly follow a store-conditional, and are like it and its
// load-linked but for annotations.
func (p *Program) checkRetry(ops []Op, i int) error {
	op, first := ops[i], i
	if op.Kind == StoreConditional {
		first = i - 1
	}
	pair := func(at int) bool {
		return at >= 0 && at+1 < len(ops) && ops[at].Kind == LoadLinked && ops[at+1].Kind == StoreConditional &&
			ops[at].Attr&Retry != 0 && ops[at+1].Attr&Retry != 0
	}
	switch {
	case op.Dep != 0 || op.Back != 0:
		return fmt.Errorf("a further attempt has no dependency")
	case !pair(first) || first == 0 || ops[first-1].Kind != StoreConditional:
		return fmt.Errorf("a further attempt is a load-linked and a store-conditional directly behind another pair")
	case ops[first-1].Loc != op.Loc || ops[first].Loc != ops[first+1].Loc || ops[first-1].Value != ops[first+1].Value:
		return fmt.Errorf("a further attempt has the location and the value of the one before it")
	}
	return nil
}

// Linked is the load-linked that a store-conditional of a valid program belongs
// to, by its index.
func Linked(ops []Op, conditional int) int {
	for k := conditional - 1; ; k-- {
		if ops[k].Kind == LoadLinked {
			return k
		}
	}
}

// MaxBack bounds how far back a dependency goes.
const MaxBack = 255

// X86Only reports a program of another instruction set: a fault for everything
// that runs or writes x86-64 programs only.
func (p *Program) X86Only() error {
	if p.ISA != X86 {
		return fmt.Errorf("the program is of instruction set %s: only x86-64 here", p.ISA)
	}
	return nil
}

// setText lists the names of a set, with spaces between them.
func setText(set uint8, names []string) (text string) {
	for i, name := range names {
		if set>>i&1 != 0 {
			if text != "" {
				text += " "
			}
			text += name
		}
	}
	return text
}

// Repair makes a program of another instruction set than x86-64 valid again after
// operations were changed or left out: it drops annotations and dependencies that
// have become wrong, and makes a plain store of a store-conditional without its
// load, and a delay of one whose constant another one has. It changes the threads'
// operations in place.
func (p *Program) Repair() {
	if p.ISA == X86 {
		return
	}
	for _, ops := range p.Threads {
		for i := range ops {
			op := &ops[i]
			if op.Attr&Retry != 0 && p.checkInstruction(ops, i) != nil {
				op.Attr &^= Retry
				if op.Kind == StoreConditional && slices.ContainsFunc(ops[:i], func(o Op) bool { return o.Kind.Constant() && o.Value == op.Value }) {
					*op = Op{Kind: Delay, Value: 1}
				}
			}
			if p.checkInstruction(ops, i) != nil {
				op.Dep, op.Back = 0, 0
			}
			if p.checkInstruction(ops, i) != nil && op.Kind == StoreConditional {
				op.Kind = Store
			}
			if p.checkInstruction(ops, i) != nil {
				op.Attr = 0
			}
		}
	}
}

// Pick lists operations of a thread by their indexes, ascending, among those of
// rounds that follow one another. A dependency on an operation that is left out,
// or that has come too far away, is dropped.
func Pick(ops []Op, indexes []int) []Op {
	list := make([]Op, 0, len(indexes))
	for n, i := range indexes {
		op := ops[i%len(ops)]
		if op.Back > 0 {
			from, ok := slices.BinarySearch(indexes, i-int(op.Back))
			if op.Back = uint8(n - from); !ok || n-from > MaxBack {
				op.Dep, op.Back = 0, 0
			}
		}
		list = append(list, op)
	}
	return list
}

// annotate gives operations of random code annotations and dependencies, and
// fences kinds, as the options say.
func (p *Program) annotate(rng *rand.Rand, o *Options) {
	has := &instructionSets[p.ISA]
	for _, ops := range p.Threads {
		for i := range ops {
			op := &ops[i]
			if attrs := has.attrs[op.Kind]; attrs != 0 && rng.Float64() < o.Annotations && op.Attr == 0 {
				op.Attr = Attr(1<<rng.IntN(3)) & attrs
			}
			if op.Kind == FullFence && len(has.fences) > 0 && rng.Float64() < o.PartialFences {
				op.Kind, op.Value = PartialFence, FenceByName(has.fences[rng.IntN(len(has.fences))])
			}
			if i == 0 || op.Kind == Delay || rng.Float64() >= o.Dependencies || op.Dep != 0 {
				continue
			}
			op.Back = uint8(1 + rng.IntN(min(i, dependencyReach)))
			op.Dep = DepAddress << rng.IntN(3)
			if p.checkInstruction(ops, i) != nil { // no read there, or no such dependency
				op.Dep, op.Back = 0, 0
			}
		}
	}
}

// dependencyReach is how far back the dependencies of random code go.
const dependencyReach = 4

// Exclusives reports whether a program has load-linkeds.
func (p *Program) Exclusives() bool {
	return slices.ContainsFunc(p.Threads, func(ops []Op) bool {
		return slices.ContainsFunc(ops, func(op Op) bool { return op.Kind == LoadLinked })
	})
}
