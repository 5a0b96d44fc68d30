package ruby

import (
	"unsafe"

	"ordeal/sim/builtin/memory"
)

// execMany executes the instruction before at, one about several words.
func (c *controller) execMany(in *instruction, at unsafe.Pointer) {
	n := uint32(in.n)
	switch in.op {
	case opCopyAll:
		copy(c.words[in.a:in.a+n], c.words[in.b:])
	case opLoadAll:
		copy(c.words[in.a:in.a+n], c.object(in.b, at).words[in.c:])
	case opStoreAll:
		copy(c.object(in.a, at).words[in.c:in.c+n], c.words[in.b:])
	case opMoveAll:
		from, to := in.c>>16, in.c&0xffff
		copy(c.object(in.a, at).words[to:to+n], c.object(in.b, at).words[from:])
	case opVector:
		copy(c.words[in.a:in.a+n], c.code.closures.vectors[in.b](c))
	}
}

// apart asserts that a line is not in two caches at once, and what else of this kind
// follows. It gives the next instruction: the failure of an assertion if one fails.
func (c *controller) apart(in *instruction, at unsafe.Pointer) unsafe.Pointer {
	of := in.a
	set := c.holders(memory.Addr(c.words[of]))
	for in.op == opApart {
		one := in
		in, at = second(at)
		if one.a != of || in.a != of {
			of = in.a
			set = c.holders(memory.Addr(c.words[of]))
			if c.holders(memory.Addr(c.words[one.a]))>>one.n&(set>>in.n)&1 != 0 {
				return at
			}
		} else if set>>one.n&(set>>in.n)&1 != 0 {
			return at
		}
		_, at = second(at)
		in = (*instruction)(at)
		if in.op == opApart {
			_, at = second(at)
		}
	}
	return at
}

// holders are the caches that hold a line, a bit for each.
func (c *controller) holders(line memory.Addr) (set uint64) {
	for i, held := range c.caches {
		o, ok := held.Recall(line)
		if !ok {
			o = held.Search(line)
		}
		if o != nil {
			set |= 1 << i
		}
	}
	return set
}

// tagged reports whether the line in word a is in cache n.
func (c *controller) tagged(in *instruction) bool {
	line := memory.Addr(c.words[in.a])
	o, ok := c.caches[in.n].Recall(line)
	if !ok {
		o = c.caches[in.n].Search(line)
	}
	return o != nil
}

// permit gives an entry the permission of a state, for the instruction before at.
func (c *controller) permit(in *instruction, at unsafe.Pointer) {
	o, state, list := c.pointers[in.a], c.words[in.b], c.code.closures.permits[in.c]
	if state >= uint64(len(list)) {
		c.failAt(c.pos(at), "permission of an unset state", "state %d", state)
	}
	if o == nil || o.dead {
		c.stale(o, at)
	}
	o.header.Permission = list[state]
}

// object is the one at a pointer, which the instruction before at uses.
func (c *controller) object(i uint32, at unsafe.Pointer) *object {
	o := c.pointers[i]
	if o == nil || o.dead {
		c.stale(o, at)
	}
	return o
}

// placeOf is where a machine is in a set of machines: the word of its type and the
// number of its bit.
func (c *controller) placeOf(id uint64, at unsafe.Pointer) (word, number int) {
	s := c.system
	typ, number := splitMachineID(id)
	word = s.dense(uint64(typ))
	if word < 0 || number >= len(s.controllers[word]) {
		c.failAt(c.pos(at), "NetDest: no such machine", "%s", s.program.machineName(id))
	}
	return word, number
}
