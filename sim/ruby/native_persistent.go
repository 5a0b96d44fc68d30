package ruby

import (
	"errors"

	"ordeal/sim/ruby/code"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/syntax"
)

// persistentNatives are the methods of a PersistentTable.
var persistentNatives = map[string]nativeWord{
	"PersistentTable.persistentRequestLock": effect(3, func(c *controller, k *code.Call) {
		write := c.word(k, 2) == c.word(k, 3)
		c.broken(c.persistents[k.Part].Lock(int64(c.word(k, 0)), c.machineIndex(c.word(k, 1), k.At), write), k.At)
	}),
	"PersistentTable.persistentRequestUnlock": ofPersistent(2, func(_ *controller, t *structure.Persistent, line int64, machine int) (uint64, error) {
		return 0, t.Unlock(line, machine)
	}),
	"PersistentTable.okToIssueStarving": ofPersistent(2, func(_ *controller, t *structure.Persistent, line int64, machine int) (uint64, error) {
		return truth(t.MayStarve(line, machine)), nil
	}),
	"PersistentTable.findSmallest": ofPersistent(1, func(c *controller, t *structure.Persistent, line int64, _ int) (uint64, error) {
		machine, _, err := t.Smallest(line)
		return c.machineAt(machine), err
	}),
	"PersistentTable.typeOfSmallest": {1, func(c *controller, k *code.Call) uint64 {
		_, writes, err := c.persistents[k.Part].Smallest(int64(c.word(k, 0)))
		c.broken(err, k.At)
		if writes {
			return c.word(k, 2)
		}
		return c.word(k, 1)
	}},
	"PersistentTable.markEntries": ofPersistent(1, func(_ *controller, t *structure.Persistent, line int64, _ int) (uint64, error) {
		return 0, t.Mark(line)
	}),
	"PersistentTable.isLocked": ofPersistent(1, func(_ *controller, t *structure.Persistent, line int64, _ int) (uint64, error) {
		return truth(t.Locked(line)), nil
	}),
	"PersistentTable.countStarvingForAddress": ofPersistent(1, func(_ *controller, t *structure.Persistent, line int64, _ int) (uint64, error) {
		return uint64(t.Count(line, false)), nil
	}),
	"PersistentTable.countReadStarvingForAddress": ofPersistent(1, func(_ *controller, t *structure.Persistent, line int64, _ int) (uint64, error) {
		return uint64(t.Count(line, true)), nil
	}),
}

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
	typ, number := code.SplitMachineID(id)
	if number >= c.system.count(uint64(typ)) {
		c.failAt(pos, "no such machine", "%s", c.system.program.MachineName(id))
	}
	return MaxCores*c.system.program.Dense[typ] + number
}

// machineAt is the inverse of machineIndex.
func (c *controller) machineAt(index int) uint64 {
	return code.MachineID(c.system.program.Codes[index/MaxCores].Decl.Ordinal, index%MaxCores)
}

// ofPersistent is a method of a PersistentTable that takes a line and, with two arguments, a
// machine.
func ofPersistent(args int, f func(c *controller, t *structure.Persistent, line int64, machine int) (uint64, error)) nativeWord {
	return nativeWord{args, func(c *controller, k *code.Call) uint64 {
		machine := 0
		if args == 2 {
			machine = c.machineIndex(c.word(k, 1), k.At)
		}
		v, err := f(c, c.persistents[k.Part], int64(c.word(k, 0)), machine)
		c.broken(err, k.At)
		return v
	}}
}
