package core

import (
	"ordeal/gen"
	"ordeal/sim/builtin/memory"
)

// Operation is an operation of a thread that an agent other than a core runs:
// a load, a store or a delay.
type Operation struct{ in instruction }

// Kind is what the operation does.
func (o *Operation) Kind() gen.OpKind { return o.in.kind }

// Addr is the address of the word that the operation accesses.
func (o *Operation) Addr() memory.Addr {
	return o.in.line + memory.Addr(o.in.word)*gen.WordBytes
}

// Value is what a store writes, and how long a delay is.
func (o *Operation) Value() uint64 { return o.in.value }

// Next is the next operation of the thread; false at its end.
func (t *Thread) Next() (Operation, bool) {
	if t.exhausted() {
		return Operation{}, false
	}
	return Operation{t.fetch()}, true
}

// Performed records that a load has read its line, or that a store is known to
// have written its word: the order of such stores among others is not known.
func (t *Thread) Performed(o *Operation, b *memory.Block) {
	in := &o.in
	a := Access{Thread: t.id, Number: in.number, Loc: in.loc, Kind: in.kind}
	if in.kind == gen.Store {
		a.Written = gen.Value(in.value)
	} else {
		a.Read = gen.Value(b[in.word])
		t.reads = append(t.reads, a.Read)
	}
	if t.accesses != nil {
		t.accesses(a)
	}
}
