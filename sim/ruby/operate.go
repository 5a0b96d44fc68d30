package ruby

import (
	"unsafe"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/syntax"
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
		c.code.natives.vectors[in.b](c, &c.code.calls[in.b], c.words[in.a:in.a+n])
	}
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
	o, state, list := c.pointers[in.a], c.words[in.b], c.code.permits[in.c]
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
// number of its bit; false if there is no such machine.
func (c *controller) placeOf(id uint64) (word, number int, ok bool) {
	typ, number := splitMachineID(id)
	word = c.system.dense(uint64(typ))
	return word, number, word >= 0 && number < len(c.system.controllers[word])
}

// absent is the fault of a set of machines that is to have one that does not exist.
func (c *controller) absent(id uint64, pos syntax.Pos) {
	c.failAt(pos, "NetDest: no such machine", "%s", c.system.program.machineName(id))
}
