package litmus

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ordeal/gen"
)

// dialect is an architecture whose accesses have their addresses in registers.
type dialect struct {
	name      string
	registers []int // numbers of those that are free
	// Names that are registers: these letters with a number behind, and others.
	numbered string
	named    string
	// address is the name of register n in conditions.
	address func(n int) string
	// move has a register hold a constant; clear, 0 computed from another;
	// increase adds a constant, and displace the 64 bits of a register.
	move     func(to int, value gen.Value) string
	clear    func(to, from int) string
	increase func(to int, value gen.Value) string
	displace func(to, address, offset int) string
	branch   func(on int, label string) string // if it is not 0
	fence    func(op gen.Op) string
	// access is an operation on the location whose address is in register at,
	// with its data and its result, if it has them, in data and to.
	access func(op gen.Op, to, data, at int) string
}

// isRegister reports whether a name is that of a register.
func (d *dialect) isRegister(name string) bool {
	name = strings.ToLower(name)
	stem := strings.TrimRight(name, "0123456789")
	return slices.Contains(strings.Fields(d.named), name) || stem != name && len(stem) == 1 && strings.Contains(d.numbered, stem)
}

// dialects are those of other instruction sets than x86-64.
var dialects = map[gen.ISA]*dialect{gen.AArch64: &aarch64, gen.RISCV64: &riscv, gen.RISCV64A: &riscv}

// count lists the numbers from first to last.
func count(first, last int) (list []int) {
	for ; first <= last; first++ {
		list = append(list, first)
	}
	return list
}

// allocation gives registers to a thread: one for each location and result, and
// three that are used again and again.
type allocation struct {
	free      []int
	locations map[gen.LocID]int
	scratch   [3]int // offset, data, address
}

// take is the next free register, -1 if there is none.
func (a *allocation) take() int {
	if len(a.free) == 0 {
		return -1
	}
	n := a.free[0]
	a.free = a.free[1:]
	return n
}

// other writes the code of a thread of another architecture than X86_64.
func (e *emitter) other(t gen.ThreadID) {
	d := e.dialect
	a := &allocation{free: d.registers, locations: map[gen.LocID]int{}}
	for i := range a.scratch {
		a.scratch[i] = a.take()
	}
	var code []string
	var reads []result
	results := make([]int, len(e.p.Threads[t])) // operation → register of its result
	line := func(text string) { code = append(code, text) }
	for i, op := range e.p.Threads[t] {
		if op.Kind == gen.Delay {
			continue
		}
		source := 0
		if op.Dep != 0 {
			source = results[i-int(op.Back)]
		}
		if op.Dep&gen.DepControl != 0 {
			label := fmt.Sprintf("LC%02d", e.labels) // labels of a test differ, also those of two threads
			e.labels++
			line(d.branch(source, label))
			line(label + ":")
		}
		if !op.Kind.Reads() && !op.Kind.Writes() {
			line(d.fence(op))
			continue
		}
		offset, data, address := a.scratch[0], a.scratch[1], a.scratch[2]
		at, known := a.locations[op.Loc]
		if !known {
			at = a.take()
			a.locations[op.Loc] = at
			fmt.Fprintf(&e.initial, "%d:%s=%s;\n", t, d.address(at), e.p.Locations[op.Loc])
		}
		if op.Attr&gen.Retry != 0 {
			e.refuse("thread %d operation %d (%s): litmus tests have no further attempts", t, i, e.p.OpText(op))
		}
		if op.Kind.Writes() {
			value := op.Value
			if op.Kind == gen.FetchAdd {
				value *= e.unit
			}
			if value > math.MaxInt32 {
				e.refuse("thread %d operation %d (%s): value %d does not fit 31 bits", t, i, e.p.OpText(op), value)
			}
			if op.Dep&gen.DepData != 0 {
				line(d.clear(data, source))
				line(d.increase(data, value))
			} else {
				line(d.move(data, value))
			}
		}
		if op.Dep&gen.DepAddress != 0 {
			line(d.clear(offset, source))
			line(d.displace(address, at, offset))
			at = address
		}
		if op.Kind.Reads() {
			to := a.take()
			if to < 0 {
				e.refuse("thread %d operation %d (%s): more than %d locations and results", t, i, e.p.OpText(op), len(d.registers)-len(a.scratch))
				break
			}
			results[i] = to
			reads = append(reads, result{register: d.address(to)})
		}
		line(d.access(op, results[i], data, at))
	}
	e.code, e.reads = append(e.code, code), append(e.reads, reads)
}

// aarch64 has words in registers W, addresses in registers X. Conditions name
// registers X.
var aarch64 = dialect{
	name: "AArch64", registers: count(0, 29), numbered: "xwvsqdhbpz", named: "sp wsp xzr wzr nzcv",
	address: func(n int) string { return fmt.Sprintf("X%d", n) },
	move:    func(to int, value gen.Value) string { return fmt.Sprintf("MOV W%d,#%d", to, value) },
	clear:   func(to, from int) string { return fmt.Sprintf("EOR X%d,X%d,X%d", to, from, from) },
	increase: func(to int, value gen.Value) string {
		return fmt.Sprintf("ADD W%d,W%d,#%d", to, to, value)
	},
	displace: func(to, address, offset int) string {
		return fmt.Sprintf("ADD X%d,X%d,X%d", to, address, offset)
	},
	branch: func(on int, label string) string { return fmt.Sprintf("CBNZ W%d,%s", on, label) },
	fence: func(op gen.Op) string {
		switch {
		case op.Kind == gen.FullFence:
			return "DMB ISH"
		case op.Value == gen.InstructionBarrier:
			return "ISB"
		case op.Value == gen.FenceByName("w.w"):
			return "DMB ISHST"
		}
		return "DMB ISHLD"
	},
	access: func(op gen.Op, to, data, at int) string {
		has := func(attr gen.Attr, letter string) string {
			if op.Attr&attr != 0 {
				return letter
			}
			return ""
		}
		switch acquire, release := has(gen.Acquire, "A"), has(gen.Release, "L"); op.Kind {
		case gen.Load:
			name := "LDR"
			if op.Attr&gen.AcquirePC != 0 {
				name = "LDAPR"
			} else if acquire != "" {
				name = "LDAR"
			}
			return fmt.Sprintf("%s W%d,[X%d]", name, to, at)
		case gen.Store:
			return fmt.Sprintf("ST%sR W%d,[X%d]", strings.Repeat("L", len(release)), data, at)
		case gen.LoadLinked:
			return fmt.Sprintf("LD%sXR W%d,[X%d]", acquire, to, at)
		case gen.StoreConditional:
			return fmt.Sprintf("ST%sXR W%d,W%d,[X%d]", release, to, data, at)
		case gen.Exchange:
			return fmt.Sprintf("SWP%s%s W%d,W%d,[X%d]", acquire, release, data, to, at)
		default:
			return fmt.Sprintf("LDADD%s%s W%d,W%d,[X%d]", acquire, release, data, to, at)
		}
	},
}

// riscv leaves ra, sp, gp and tp alone.
var riscv = dialect{
	name: "RISCV", registers: count(5, 31), numbered: "xtsaf", named: "zero ra sp gp tp fp",
	address:  func(n int) string { return fmt.Sprintf("x%d", n) },
	move:     func(to int, value gen.Value) string { return fmt.Sprintf("ori x%d,x0,%d", to, value) },
	clear:    func(to, from int) string { return fmt.Sprintf("xor x%d,x%d,x%d", to, from, from) },
	increase: func(to int, value gen.Value) string { return fmt.Sprintf("ori x%d,x%d,%d", to, to, value) },
	displace: func(to, address, offset int) string {
		return fmt.Sprintf("add x%d,x%d,x%d", to, address, offset)
	},
	branch: func(on int, label string) string { return fmt.Sprintf("bne x%d,x0,%s", on, label) },
	fence: func(op gen.Op) string {
		switch name := gen.FenceName(op.Value); {
		case op.Kind == gen.FullFence:
			return "fence rw,rw"
		case name == "tso":
			return "fence.tso"
		default:
			return "fence " + strings.Replace(name, ".", ",", 1)
		}
	},
	access: func(op gen.Op, to, data, at int) string {
		suffix := ""
		if op.Attr&gen.Acquire != 0 {
			suffix = ".aq"
		}
		if op.Attr&gen.Release != 0 {
			suffix += ".rl"
		}
		switch op.Kind {
		case gen.Load:
			return fmt.Sprintf("lw%s x%d,0(x%d)", suffix, to, at)
		case gen.Store:
			return fmt.Sprintf("sw%s x%d,0(x%d)", suffix, data, at)
		case gen.LoadLinked:
			return fmt.Sprintf("lr.w%s x%d,0(x%d)", suffix, to, at)
		case gen.StoreConditional:
			return fmt.Sprintf("sc.w%s x%d,x%d,0(x%d)", suffix, to, data, at)
		case gen.Exchange:
			return fmt.Sprintf("amoswap.w%s x%d,x%d,(x%d)", suffix, to, data, at)
		default:
			return fmt.Sprintf("amoadd.w%s x%d,x%d,(x%d)", suffix, to, data, at)
		}
	},
}
