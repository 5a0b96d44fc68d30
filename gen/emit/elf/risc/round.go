package risc

import (
	"fmt"

	"ordeal/gen"
	"ordeal/gen/emit/elf/x86"
)

// Access is an operation of a program in the terms of an emitter.
type Access struct {
	Op gen.Op
	At x86.Mem
	// Data has the value that is written; To takes what is read, or the result
	// of a store-conditional.
	Data, To x86.Reg
}

// Round keeps the values of one round that later operations depend on, in
// registers.
type Round struct {
	a    *Assembler
	kept map[int]reg // by operation
	last map[int]int // operation → the last one that depends on it
	free []reg
}

// NewRound begins a round of operations. It fails if more values have to be kept
// at a time than there are registers.
func (a *Assembler) NewRound(ops []gen.Op) (*Round, error) {
	r := &Round{a: a, kept: map[int]reg{}, last: map[int]int{}, free: append([]reg(nil), a.set.keep...)}
	for i, op := range ops {
		if op.Back > 0 {
			r.last[i-int(op.Back)] = i
		}
	}
	live := 0
	for i := range ops {
		for _, last := range r.last {
			if last == i-1 {
				live--
			}
		}
		if _, needed := r.last[i]; needed {
			if live++; live > len(a.set.keep) {
				return nil, fmt.Errorf("operation %d: more than %d reads at a time that later operations depend on", i, len(a.set.keep))
			}
		}
	}
	return r, nil
}

// Keep keeps what operation i has read, which is in r, while others depend on it.
func (r *Round) Keep(i int, from x86.Reg) {
	if _, needed := r.last[i]; !needed {
		return
	}
	to := r.free[0]
	r.free = r.free[1:]
	r.kept[i] = to
	r.a.set.addImm(r.a, to, r.a.role(from), 0)
}

// Perform generates operation i, with what it depends on.
func (r *Round) Perform(i int, x Access) {
	a := r.a
	address, data := a.set.scratch[0], a.role(x.Data)
	from, depends := r.kept[i-int(x.Op.Back)]
	depends = depends && x.Op.Back > 0
	zero := a.set.scratch[1] // from ^ from
	if depends && x.Op.Dep&gen.DepControl != 0 {
		a.set.branchToNext(a, from)
	}
	if x.Op.Kind.Reads() || x.Op.Kind.Writes() {
		a.address(address, x.At)
		if depends && x.Op.Dep&(gen.DepAddress|gen.DepData) != 0 {
			a.set.three(a, opXor, zero, from, from)
		}
		if depends && x.Op.Dep&gen.DepAddress != 0 {
			a.set.three(a, opAdd, address, address, zero)
		}
		if depends && x.Op.Dep&gen.DepData != 0 {
			a.set.three(a, opAdd, zero, zero, data)
			data = zero
		}
	}
	switch x.Op.Kind {
	case gen.FullFence:
		a.set.fence(a, 15)
	case gen.PartialFence:
		a.set.fence(a, x.Op.Value)
	default:
		a.set.memory(a, x.Op.Kind, x.Op.Attr, a.role(x.To), data, address)
	}
	if depends && r.last[i-int(x.Op.Back)] == i {
		delete(r.kept, i-int(x.Op.Back))
		r.free = append(r.free, from)
	}
}

// Fence orders everything before with everything after.
func (a *Assembler) Fence() { a.set.fence(a, 15) }
