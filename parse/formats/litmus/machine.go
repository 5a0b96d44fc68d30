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

// architecture is a dialect of litmus tests.
type architecture struct {
	name string // in the first line of a test
	isa  gen.ISA
	// dialect has accesses and fences; nil: those of X86_64.
	dialect *emit.Dialect
	// register returns the name that a register has in conditions.
	register func(text string) (string, bool)
	// instruction executes one of a thread.
	instruction func(m *machine, mnemonic string, operands []string) error
	// zero is the register that is 0 whatever it was set to.
	zero string
}

func architectures() []*architecture { return []*architecture{&x86, &aarch64, &riscv} }

// instruction is one of a thread, without its labels.
type instruction struct {
	line int
	text string
}

// thread is the code of one thread.
type thread struct {
	code   []instruction
	labels map[string]int // to the index of the instruction that follows
}

// value is what a register holds.
type value struct {
	n int64 // addresses as location's has them
	// from is the read whose result it is; nil: n.
	from *result
	// reads are the operations of the thread that it was computed from, ascending;
	// picks those that chose it among others, by CSEL, or by CAS among what it writes
	// (pick dependencies of herd7's aarch64deps.cat).
	reads, picks []int
}

// result is what an operation returns: the value is chosen where the path of the
// thread depends on it.
type result struct {
	source // index is which of the thread's reads
	chosen bool
	n      int64 // that memory held
}

// assumption is a result that a path was chosen for.
type assumption struct {
	read   int
	n      int64
	status bool
	loc    gen.LocID
}

// path is what a thread does, if its reads return what is assumed.
type path struct {
	ops       []gen.Op // but for constants of stores
	lines     []int    // of the operations
	stored    []int64  // what they write, of the test
	deps      []gen.Dependency
	noReturn  []int // operations whose result no register has, of Arm
	assumed   []assumption
	registers map[string]source
	kept      map[string]source // locations, as Test.kept
	reads     int
}

// machine executes a thread along one of its paths, which decisions select.
type machine struct {
	r       *reader
	number  int // of the thread
	thread  *thread
	at      int // next instruction
	line    int // of the current one
	holds   map[string]value
	flags   flagged       // what set the flags
	control []int         // reads that the next operation depends on by branches
	picked  map[int][]int // location → what chose the value last stored there
	path
	decisions []decision
	next      int
	fault     error // the first operand that is not supported
}

// decision is one of several ways to go on.
type decision struct{ taken, of int }

// Bounds of what is tried: tests of the literature have some tens of paths.
const (
	maxPaths = 1 << 12 // of a thread
	maxCases = 1 << 14 // of a test
)

// paths executes a thread along all its paths.
func (r *reader) paths(number int) (list []path) {
	var decisions []decision
	for {
		m := &machine{r: r, number: number, thread: r.threads[number], holds: map[string]value{}, picked: map[int][]int{}, decisions: decisions}
		m.registers, m.kept = map[string]source{}, map[string]source{}
		for v, n := range r.points {
			if v.Thread == number {
				m.set(v.Name, value{n: n})
			}
		}
		for m.at < len(m.thread.code) {
			i := m.thread.code[m.at]
			m.at, m.line = m.at+1, i.line
			mnemonic, operands := splitInstruction(i.text)
			err := r.arch.instruction(m, mnemonic, operands)
			if err = cmp.Or(m.fault, err); err != nil {
				r.fault(i.line, "thread %d: instruction %q: %v", number, i.text, err)
				return nil
			}
		}
		for name, v := range m.holds {
			m.registers[name] = v.source()
		}
		list = append(list, m.path)
		decisions = m.decisions
		for len(decisions) > 0 && decisions[len(decisions)-1].taken+1 == decisions[len(decisions)-1].of {
			decisions = decisions[:len(decisions)-1]
		}
		if len(decisions) == 0 {
			return list
		}
		if decisions[len(decisions)-1].taken++; len(list) == maxPaths {
			r.fault(m.line, "thread %d: more than %d paths by what loads return: not supported", number, maxPaths)
			return nil
		}
	}
}

// choose is a decision between a number of ways.
func (m *machine) choose(of int) int {
	if m.next == len(m.decisions) {
		m.decisions = append(m.decisions, decision{0, of})
	}
	m.next++
	return m.decisions[m.next-1].taken
}

// know is the number that a value is, on this path.
func (m *machine) know(v value) int64 {
	f := v.from
	if f == nil {
		return v.n
	}
	if !f.chosen {
		values := []int64{0, 1}
		if !f.status {
			values = m.r.candidates[f.loc]
		}
		f.chosen, f.n = true, values[m.choose(len(values))]
		m.assumed = append(m.assumed, assumption{f.index, f.n, f.status, f.loc})
	}
	return m.r.t.narrow(f.n, f.width)
}

// source is where a value comes from at the end of a path.
func (v value) source() source {
	if v.from == nil {
		return source{index: -1, value: v.n}
	}
	return v.from.source
}

func union(a, b []int) []int {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// computed is f of two values.
func (m *machine) computed(f func(a, b int64) int64, a, b value) value {
	return value{n: f(m.know(a), m.know(b)), reads: union(a.reads, b.reads), picks: union(a.picks, b.picks)}
}

// nothing is 0 that depends on a value.
func (v value) nothing() value { return value{reads: v.reads, picks: v.picks} }

// set makes a register hold a value.
func (m *machine) set(register string, v value) {
	if register != m.r.arch.zero {
		m.holds[register] = v
	}
}

// register is the name of the register that an operand is.
func (m *machine) register(operand string) string {
	name, ok := m.r.arch.register(operand)
	if !ok {
		m.fault = cmp.Or(m.fault, fmt.Errorf("no register %q", operand))
	}
	return name
}

// get is what the register of an operand holds.
func (m *machine) get(operand string) value {
	v := m.holds[m.register(operand)]
	if isWord(operand) && v.from == nil {
		v.n = m.r.t.narrow(v.n, width{bytes: 4})
	} else if isWord(operand) {
		v = m.extended(width{bytes: 4}, v)
	}
	return v
}

// isWord reports whether an operand is a register W of AArch64, the lower half of X.
func isWord(operand string) bool { return operand != "" && operand[0]|' ' == 'w' }

// constant is a number that an operand is.
func (m *machine) constant(text string) value {
	n, err := number(strings.TrimPrefix(text, "#"))
	m.fault = cmp.Or(m.fault, err)
	return value{n: n}
}

// to has the register of an operand hold a value.
func (m *machine) to(operand string, v value) {
	if isWord(operand) {
		v.n = m.r.t.narrow(v.n, width{bytes: 4})
	}
	m.set(m.register(operand), v)
}

// Addresses are numbers that tests do not use otherwise: number refuses them.
const (
	firstAddress = 0x6f72646561 << 23
	addressStep  = 1 << 16
)

// address is the number that stands for the address of a location.
func address(loc gen.LocID) int64 { return firstAddress + addressStep*int64(loc) }

// isAddress reports whether a number is one of those.
func isAddress(n int64) bool {
	return n >= firstAddress && n < firstAddress+addressStep*gen.MaxLocations
}

// pointed is the location that a number is the address of.
func (t *Test) pointed(n int64) (gen.LocID, bool) {
	loc := gen.LocID((n - firstAddress) / addressStep)
	return loc, isAddress(n) && int(loc) < len(t.names) && address(loc) == n
}

// access is an instruction with its operands.
type access struct {
	emit.Access
	address, data value
	to            string // register of the result, empty for none
	operand       string // which it is
}

// perform executes an access.
func (m *machine) perform(a access) error {
	n := m.know(a.address)
	loc, ok := m.r.t.pointed(n)
	if !ok && isAddress(n) {
		return errors.New("the address lies within a location, or behind it: not supported")
	} else if !ok {
		return errors.New("the address is none of a location")
	}
	if err := m.r.sized(loc, a.Bytes); err != nil {
		return err
	}
	op := gen.Op{Kind: a.Kind, Attr: a.Attr, Loc: loc}
	if op.Kind == gen.FetchAdd {
		op.Kind = gen.Exchange
	}
	var written int64
	in := width{bytes: a.Bytes, signed: a.Signed, word: a.Signed && isWord(a.operand)}
	returned := value{from: &result{source: source{index: m.reads, loc: loc, width: in, status: a.Kind == gen.StoreConditional}}, reads: []int{len(m.ops)}, picks: m.picked[int(loc)]}
	data := a.data
	switch {
	case a.Kind == gen.StoreConditional:
		if err := m.linked(loc); err != nil {
			return err
		}
		if m.r.arch.isa == gen.AArch64 {
			returned.reads, returned.picks = nil, nil // the status register depends on nothing
		}
		written = m.know(data)
	case a.Compare:
		expected := m.holds[a.to]
		if m.know(returned) == m.r.t.narrow(m.know(expected), in) {
			written = m.know(data)
			compared := union(expected.reads, expected.picks)
			data.picks = union(data.picks, compared)
			// The result is what the register holds, which the comparison chose, or what
			// memory returned (aarch64_cas_ok of herd7): both are the same value.
			if len(compared) == 0 || m.choose(2) == 0 {
				returned.picks = union(union(returned.reads, returned.picks), compared)
				returned.reads = expected.reads
			}
		} else {
			op.Kind, op.Attr, data = gen.Load, op.Attr&gen.Acquire, value{}
		}
	case a.Apply != nil:
		signed := width{bytes: a.Bytes, signed: true} // which keeps the order of unsigned ones, too
		written = a.Apply(m.r.t.narrow(m.know(returned), signed), m.r.t.narrow(m.know(data), signed))
	case a.Kind.Writes():
		written = m.know(data)
	}
	if op.Kind.Writes() {
		written = m.r.t.narrow(written, width{bytes: a.Bytes})
		if err := m.r.fits(loc, a.Bytes, written); err != nil {
			return err
		}
	}
	if m.r.arch.isa == gen.AArch64 && a.Kind.Writes() && a.Kind.Reads() && a.Kind != gen.StoreConditional && (a.NoReturn || a.to == m.r.arch.zero) {
		m.noReturn = append(m.noReturn, len(m.ops))
		op.Attr &^= gen.Acquire
	}
	m.depends(a.address.reads, gen.DepAddress)
	m.depends(a.address.picks, gen.DepControl) // of this and all later stores
	m.depends(data.reads, gen.DepData)
	m.depends(data.picks, gen.DepPick)
	if op.Kind == gen.Load || op.Kind == gen.LoadLinked {
		m.depends(m.picked[int(loc)], gen.DepPick) // through memory, of stores that it orders
	}
	m.add(op, written)
	if op.Kind.Writes() {
		m.picked[int(loc)] = union(data.picks, nil)
	}
	if op.Kind.Reads() {
		m.reads++
		if a.to != "" {
			m.set(a.to, returned)
		}
	}
	return nil
}

// linked demands the load-linked of a store-conditional.
func (m *machine) linked(loc gen.LocID) error {
	for _, op := range slices.Backward(m.ops) {
		if op.Kind == gen.LoadLinked && op.Loc == loc {
			return nil
		}
		if op.Kind.Reads() || op.Kind.Writes() {
			return fmt.Errorf("%s of %s between it and its load-linked: not supported", op.Kind, m.r.t.names[op.Loc])
		}
	}
	return errors.New("no load-linked of the location before it: not supported")
}

// depends notes that the next operation depends on others.
func (m *machine) depends(on []int, kind gen.DepKind) {
	if m.r.arch.isa == gen.X86 {
		return // which keeps the order of what a dependency could lead to
	}
	for _, from := range on {
		m.deps = append(m.deps, gen.Dependency{Thread: gen.ThreadID(m.number), From: from, To: len(m.ops), Kind: kind})
	}
}

// add adds an operation, which branches lead to.
func (m *machine) add(op gen.Op, written int64) {
	m.depends(m.control, gen.DepControl)
	m.control = nil
	m.ops, m.lines, m.stored = append(m.ops, op), append(m.lines, m.line), append(m.stored, written)
}

// jump goes to a label.
func (m *machine) jump(label string) error {
	to, ok := m.thread.labels[label]
	switch {
	case !ok:
		return fmt.Errorf("no label %s", label)
	case to < m.at:
		return fmt.Errorf("label %s stands before it: loops are not supported", label)
	}
	m.at = to
	return nil
}

// branch goes to a label if a condition holds of flags. What follows depends on what they
// were computed from; one that leads to the next instruction decides nothing.
func (m *machine) branch(label string, condition func(flags) bool, f func() flags, of ...value) error {
	for _, v := range of {
		m.control = union(m.control, union(v.reads, v.picks))
	}
	if to, ok := m.thread.labels[label]; ok && to == m.at || ok && !condition(f()) {
		return nil
	}
	return m.jump(label)
}

// compared is a branch by what a comparison of values finds, signed as they are.
func (m *machine) compared(label, condition string, a, b value) error {
	return m.branch(label, conditions[condition], func() flags { return subtracted(m.know(a), m.know(b), 64) }, a, b)
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
