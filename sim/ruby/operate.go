package ruby

import (
	"strings"
	"unsafe"

	"ordeal/sim"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/syntax"
)

// execMany executes the instruction before at, one about several words.
func (c *controller) execMany(in *code.Instruction, at unsafe.Pointer) {
	n := uint32(in.N)
	switch in.Op {
	case code.OpCopyAll:
		copy(c.words[in.A:in.A+n], c.words[in.B:])
	case code.OpLoadAll:
		copy(c.words[in.A:in.A+n], c.object(in.B, at).words[in.C:])
	case code.OpStoreAll:
		copy(c.object(in.A, at).words[in.C:in.C+n], c.words[in.B:])
	case code.OpVector:
		c.natives.vectors[in.B](c, &c.code.Calls[in.B], c.words[in.A:in.A+n])
	}
}

// object is the one at a pointer, which the instruction before at uses.
func (c *controller) object(i uint32, at unsafe.Pointer) *object {
	o := c.pointers[i]
	if o == nil || o.dead {
		c.stale(o, at)
	}
	return o
}

// placeOf is where a machine is in a set of machines: the word and the number of its bit; false if there is no such machine.
func (c *controller) placeOf(id uint64) (word, number int, ok bool) {
	typ, number := code.SplitMachineID(id)
	at := c.system.dense(uint64(typ))
	return at*c.system.program.SetWords + number/64, number % 64, at >= 0 && number < len(c.system.controllers[at])
}

// absent is the fault of naming a machine that does not exist: the simulated machine's, where it has none
// of that type.
func (c *controller) absent(id uint64, pos syntax.Pos) {
	if typ, _ := code.SplitMachineID(id); c.system.count(uint64(typ)) == 0 && id != c.system.program.NoMachine() {
		name, _, _ := strings.Cut(c.system.program.MachineName(id), "-")
		c.failStatement(pos, sim.Failure{Kind: sim.KindUnsupplied, Text: "a machine of type " + name}, "the simulated machine has none, and the protocol asks for one")
	}
	c.failAt(pos, "NetDest: no such machine", "%s", c.system.program.MachineName(id))
}
