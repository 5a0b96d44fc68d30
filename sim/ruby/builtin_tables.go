package ruby

import (
	"errors"

	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// broken is the fault of breaking a rule of a structure.
func (c *controller) broken(err error, pos syntax.Pos) {
	if err == nil {
		return
	}
	if fault, ok := errors.AsType[structure.Fault](err); ok {
		c.failAt(pos, string(fault), "in %s", c.name())
	}
	panic(err)
}

// firstOf is the first element of a list.
func (c *controller) firstOf(list int, pos syntax.Pos) []uint64 {
	element, err := c.lists[list].First()
	c.broken(err, pos)
	return element
}

// machineIndex is the number of a machine among all that sets of machines can
// hold.
func (c *controller) machineIndex(id uint64, pos syntax.Pos) int {
	typ, number := splitMachineID(id)
	if number >= c.system.count(uint64(typ)) {
		c.failAt(pos, "no such machine", "%s", c.system.program.machineName(id))
	}
	return MaxCores*c.system.program.dense[typ] + number
}

// machineAt is the inverse of machineIndex.
func (c *controller) machineAt(index int) uint64 {
	return machineID(c.system.program.codes[index/MaxCores].machine.Ordinal, index%MaxCores)
}

// ofPersistent is a method of a PersistentTable that takes a line and perhaps a
// machine.
func ofPersistent(f func(c *controller, t *structure.Persistent, line int64, machine int) (uint64, error)) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		at, line, pos := g.partOf(x), g.word(x.Args[0]), x.At
		machine := wordExpr(nil)
		if len(x.Args) > 1 {
			machine = g.word(x.Args[1])
		}
		return func(c *controller) uint64 {
			index := 0
			if machine != nil {
				index = c.machineIndex(machine(c), pos)
			}
			v, err := f(c, c.persistents[at], int64(line(c)), index)
			c.broken(err, pos)
			return v
		}
	}
}

func lockPersistent(g *generator, x *types.Call) wordExpr {
	at, line, machine, kind, pos := g.partOf(x), g.word(x.Args[0]), g.word(x.Args[1]), g.word(x.Args[2]), x.At
	write := g.accessType(x.Args[2].Type(), "Write", pos)
	return func(c *controller) uint64 {
		c.broken(c.persistents[at].Lock(int64(line(c)), c.machineIndex(machine(c), pos), kind(c) == write), pos)
		return 0
	}
}

func (g *generator) accessType(t *types.Type, name string, pos syntax.Pos) uint64 {
	e := t.Enum(name)
	if e == nil {
		g.unsupported(pos, "%s without a value %s", t, name)
		return 0
	}
	return uint64(e.Ordinal)
}

func typeOfSmallest(g *generator, x *types.Call) wordExpr {
	at, line, pos := g.partOf(x), g.word(x.Args[0]), x.At
	read, write := g.accessType(x.Type(), "Read", pos), g.accessType(x.Type(), "Write", pos)
	return func(c *controller) uint64 {
		_, writes, err := c.persistents[at].Smallest(int64(line(c)))
		c.broken(err, pos)
		if writes {
			return write
		}
		return read
	}
}
