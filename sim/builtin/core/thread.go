package core

import (
	"ordeal/gen"
	"ordeal/sim/builtin/memory"
)

// instruction is an operation with everything that its execution needs.
type instruction struct {
	kind   gen.OpKind
	whole  gen.OpKind // of the second half of a read-modify-write
	attr   gen.Attr
	dep    gen.DepKind // on the operation back before it
	back   uint8
	pair   bool // an atomic instruction whose read and write are ordered one by one
	word   uint8
	loc    gen.LocID
	number uint32 // among the thread's operations, round after round
	line   memory.Addr
	second memory.Addr // a line that it takes as well, 0 for none
	// value is what a store or exchange writes, what an addition adds, and
	// how long a delay is; of a store in this round.
	value uint64
}

// Thread is the code that one core runs, and the record of its execution.
type Thread struct {
	code   []instruction
	stride uint64
	rounds int // that it may execute
	writes WriteOrder

	next  int    // index in code
	round int    // rounds that were fetched to the end
	base  uint64 // round·stride

	reads    []gen.Value
	id       gen.ThreadID
	steps    *Steps       // nil unless recorded
	accesses func(Access) // nil unless observed
	// locations are the names of the program's.
	locations []string
}

// Access is an access to memory as it is performed: Read is the value that a
// load or a read-modify-write read, Written the one that it or a store wrote.
// A load that was squashed performs again.
type Access struct {
	Thread        gen.ThreadID
	Number        uint32 // of the operation among the thread's, round after round
	Loc           gen.LocID
	Kind          gen.OpKind
	Read, Written gen.Value
}

// Observe has f called with every access, nil for none.
func (t *Thread) Observe(f func(Access)) { t.accesses = f }

// WriteOrder collects the values written to each location in the order in
// which the writes performed.
type WriteOrder [][]gen.Value

// NewWriteOrder has capacity for all writes of a run.
func NewWriteOrder(p *gen.Program, rounds int) WriteOrder {
	w := make(WriteOrder, len(p.Locations))
	for l, n := range p.Writes() {
		w[l] = make([]gen.Value, 0, n*rounds)
	}
	return w
}

// NewThread prepares one thread of a program. All threads of a run share the
// write order.
func NewThread(p *gen.Program, id gen.ThreadID, rounds int, writes WriteOrder) *Thread {
	t := &Thread{
		stride: uint64(p.Stride()), rounds: rounds, writes: writes, id: id, locations: p.Locations,
		reads: make([]gen.Value, 0, rounds*p.Reads(id)),
	}
	for _, op := range p.Threads[id] {
		in := instruction{kind: op.Kind, attr: op.Attr, dep: op.Dep, back: op.Back, loc: op.Loc, value: uint64(op.Value)}
		in.pair = p.ISA == gen.AArch64 && in.isRMW()
		if op.Kind.Reads() || op.Kind.Writes() {
			addr := memory.Base + memory.Addr(p.Offset(op.Loc))
			in.line, in.word = addr.Line(), uint8(addr.Word())
		}
		if op.Kind == gen.FetchAdd {
			in.value *= uint64(gen.AddUnit)
		}
		t.code = append(t.code, in)
	}
	return t
}

// Permit has the thread end after a number of rounds, at most those that it was made
// with. A thread that has ended goes on if there are more; see Core.Resume.
func (t *Thread) Permit(rounds int) { t.rounds = rounds }

// Reads are the values returned by the completed reads, in program order, round
// after round.
func (t *Thread) Reads() []gen.Value { return t.reads }

func (t *Thread) exhausted() bool { return len(t.code) == 0 || t.round == t.rounds }

// fetch is the next operation of a thread that is not exhausted.
func (t *Thread) fetch() instruction {
	in := t.code[t.next]
	in.number = uint32(t.round*len(t.code) + t.next)
	if in.kind.Constant() {
		in.value += t.base
	}
	if t.next++; t.next == len(t.code) {
		t.next = 0
		t.round++
		t.base += t.stride
	}
	return in
}

func (t *Thread) finish(value uint64) { t.reads = append(t.reads, gen.Value(value)) }

// apply performs an operation on its line and returns what the word held
// before.
func (t *Thread) apply(in *instruction, b *memory.Block) uint64 {
	w := &b[in.word]
	old := *w
	switch in.kind {
	case gen.Store, gen.Exchange, gen.StoreConditional:
		*w = in.value
	case gen.FetchAdd:
		*w += in.value
	}
	if t.accesses != nil {
		t.accesses(Access{Thread: t.id, Number: in.number, Loc: in.loc, Kind: in.kind, Read: gen.Value(old), Written: gen.Value(*w)})
	}
	if !in.kind.Writes() {
		return old
	}
	t.writes[in.loc] = append(t.writes[in.loc], gen.Value(*w))
	return old
}

// readFirst notes the first half of a read-modify-write, which read old.
func (t *Thread) readFirst(in *instruction, old uint64) {
	if t.accesses != nil {
		t.accesses(Access{Thread: t.id, Number: in.number, Loc: in.loc, Kind: gen.Load, Read: gen.Value(old), Written: gen.Value(old)})
	}
}

func (in *instruction) isRMW() bool { return in.kind == gen.Exchange || in.kind == gen.FetchAdd }

func (in *instruction) isFence() bool {
	return in.kind == gen.FullFence || in.kind == gen.PartialFence
}
