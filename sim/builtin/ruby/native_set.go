package ruby

import (
	"fmt"
	"math/bits"

	"ordeal/sim/slicc/types"
)

// A NetDest is a word of bits for each type of machine that is instantiated;
// a Set is one word.

// setMethod is a method that works on the words of a set.
func setMethod(f func(s []uint64) uint64) native {
	return func(cc *compiler, x *types.Call) wordExpr {
		set := cc.vector(x.X)
		return func(c *controller) uint64 { return f(set(c)) }
	}
}

// setsMethod is a method that works on two sets.
func setsMethod(f func(s, t []uint64) uint64) native {
	return func(cc *compiler, x *types.Call) wordExpr {
		set, other := cc.vector(x.X), cc.vector(x.Args[0])
		return func(c *controller) uint64 { return f(set(c), other(c)) }
	}
}

// elementMethod is a method that works on the bit of a machine in its word.
func elementMethod(f func(s *uint64, bit uint64) uint64) native {
	return func(cc *compiler, x *types.Call) wordExpr {
		set, id, pos := cc.vector(x.X), cc.word(x.Args[0]), x.At
		return func(c *controller) uint64 {
			typ, number := splitMachineID(id(c))
			if number >= c.system.count(uint64(typ)) {
				c.fail(fmt.Sprintf("NetDest: no such machine at %s", pos), "%s", c.system.program.machineName(id(c)))
			}
			return f(&set(c)[c.system.program.dense[typ]], 1<<number)
		}
	}
}

// nodeMethod is a method that works on the bit of a number in a Set.
func nodeMethod(f func(s *uint64, bit uint64) uint64) native {
	return func(cc *compiler, x *types.Call) wordExpr {
		set, id, pos := cc.vector(x.X), cc.word(x.Args[0]), x.At
		return func(c *controller) uint64 {
			number := id(c)
			if number >= 64 {
				c.fail(fmt.Sprintf("Set: no such number at %s", pos), "%d", int64(number))
			}
			return f(&set(c)[0], 1<<number)
		}
	}
}

func addBit(s *uint64, bit uint64) uint64    { *s |= bit; return 0 }
func removeBit(s *uint64, bit uint64) uint64 { *s &^= bit; return 0 }
func hasBit(s *uint64, bit uint64) uint64    { return truth(*s&bit != 0) }

func clearSet(s []uint64) uint64 { clear(s); return 0 }

func countSet(s []uint64) uint64 {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return uint64(n)
}

func addSet(s, t []uint64) uint64 {
	for i := range s {
		s[i] |= t[i]
	}
	return 0
}

func removeSet(s, t []uint64) uint64 {
	for i := range s {
		s[i] &^= t[i]
	}
	return 0
}

func superset(s, t []uint64) uint64 {
	for i := range s {
		if t[i]&^s[i] != 0 {
			return 0
		}
	}
	return 1
}

func disjoint(s, t []uint64) uint64 {
	for i := range s {
		if s[i]&t[i] != 0 {
			return 0
		}
	}
	return 1
}

func isEmptySet(s []uint64) uint64 { return truth(countSet(s) == 0) }

var setMethods map[string]native

func init() {
	setMethods = map[string]native{
		"NetDest.setSize(int)":                 nothing,
		"NetDest.setSize(int, int)":            nothing,
		"NetDest.add(MachineID)":               elementMethod(addBit),
		"NetDest.remove(MachineID)":            elementMethod(removeBit),
		"NetDest.isElement(MachineID)":         elementMethod(hasBit),
		"NetDest.clear()":                      setMethod(clearSet),
		"NetDest.count()":                      setMethod(countSet),
		"NetDest.isEmpty()":                    setMethod(isEmptySet),
		"NetDest.addNetDest(NetDest)":          setsMethod(addSet),
		"NetDest.removeNetDest(NetDest)":       setsMethod(removeSet),
		"NetDest.isSuperset(NetDest)":          setsMethod(superset),
		"NetDest.intersectionIsEmpty(NetDest)": setsMethod(disjoint),
		"NetDest.broadcast(MachineType)":       broadcast,
		"NetDest.broadcast()":                  broadcastAll,
		"NetDest.setNetDest(MachineType, Set)": setNetDest,
		"NetDest.smallestElement()":            smallest,
		"NetDest.smallestElement(MachineType)": smallest,

		"Set.setSize(int)":             nothing,
		"Set.add(NodeID)":              nodeMethod(addBit),
		"Set.remove(NodeID)":           nodeMethod(removeBit),
		"Set.isElement(NodeID)":        nodeMethod(hasBit),
		"Set.addSet(Set)":              setsMethod(addSet),
		"Set.removeSet(Set)":           setsMethod(removeSet),
		"Set.isSuperset(Set)":          setsMethod(superset),
		"Set.intersectionIsEmpty(Set)": setsMethod(disjoint),
		"Set.clear()":                  setMethod(clearSet),
		"Set.count()":                  setMethod(countSet),
		"Set.isEqual(Set)":             setsMethod(func(s, t []uint64) uint64 { return truth(s[0] == t[0]) }),
	}
}

// all is the bits of all controllers of a type.
func (s *System) all(typ uint64) uint64 { return 1<<s.count(typ) - 1 }

func broadcast(cc *compiler, x *types.Call) wordExpr {
	set, typ := cc.vector(x.X), cc.word(x.Args[0])
	return func(c *controller) uint64 {
		t := typ(c)
		if k := c.system.dense(t); k >= 0 {
			set(c)[k] = c.system.all(t)
		}
		return 0
	}
}

func broadcastAll(cc *compiler, x *types.Call) wordExpr {
	set := cc.vector(x.X)
	return func(c *controller) uint64 {
		s := set(c)
		for k, code := range c.system.program.codes {
			s[k] = c.system.all(uint64(code.machine.Ordinal))
		}
		return 0
	}
}

func setNetDest(cc *compiler, x *types.Call) wordExpr {
	set, typ, from := cc.vector(x.X), cc.word(x.Args[0]), cc.vector(x.Args[1])
	return func(c *controller) uint64 {
		if k := c.system.dense(typ(c)); k >= 0 {
			set(c)[k] = from(c)[0]
		}
		return 0
	}
}

// smallest is the first machine in a NetDest, of a type if one is given.
func smallest(cc *compiler, x *types.Call) wordExpr {
	set, pos := cc.vector(x.X), x.At
	typ := wordExpr(nil)
	if len(x.Args) > 0 {
		typ = cc.word(x.Args[0])
	}
	return func(c *controller) uint64 {
		s := set(c)
		for k, code := range c.system.program.codes {
			if s[k] != 0 && (typ == nil || typ(c) == uint64(code.machine.Ordinal)) {
				return machineID(code.machine.Ordinal, bits.TrailingZeros64(s[k]))
			}
		}
		c.fail(fmt.Sprintf("smallest element of an empty NetDest at %s", pos), "")
		return 0
	}
}

// builtinVector compiles the builtins whose result is several words.
func (cc *compiler) builtinVector(x *types.Call) vectorExpr {
	var combine func(s, t uint64) uint64
	switch x.Func.Builtin.Key {
	case "NetDest.OR(NetDest)":
		combine = func(s, t uint64) uint64 { return s | t }
	case "NetDest.AND(NetDest)":
		combine = func(s, t uint64) uint64 { return s & t }
	default:
		cc.unsupported(x.At, "builtin %s", x.Func.Builtin.Key)
		return func(*controller) []uint64 { return nil }
	}
	set, other, size := cc.vector(x.X), cc.vector(x.Args[0]), cc.size(x.Type())
	at := cc.newWords(make([]uint64, size))
	return func(c *controller) []uint64 {
		s, t, result := set(c), other(c), c.words[at:at+size]
		for i := range result {
			result[i] = combine(s[i], t[i])
		}
		return result
	}
}

// maskMethods are those of WriteMask, a bit for each byte of a line, and of
// DataBlock.
var maskMethods map[string]native

func init() {
	maskMethods = map[string]native{
		"WriteMask.clear()":           setMethod(clearSet),
		"WriteMask.isEmpty()":         setMethod(isEmptySet),
		"WriteMask.isFull()":          setMethod(func(s []uint64) uint64 { return truth(^s[0] == 0) }),
		"WriteMask.fillMask()":        setMethod(func(s []uint64) uint64 { s[0] = ^uint64(0); return 0 }),
		"WriteMask.orMask(WriteMask)": setsMethod(addSet),
		"WriteMask.andMask(WriteMask)": setsMethod(func(s, t []uint64) uint64 {
			s[0] &= t[0]
			return 0
		}),
		"WriteMask.setInvertedMask(WriteMask)": setsMethod(func(s, t []uint64) uint64 {
			s[0] = ^t[0]
			return 0
		}),
		"WriteMask.containsMask(WriteMask)": setsMethod(superset),
		"WriteMask.isOverlap(WriteMask)":    setsMethod(func(s, t []uint64) uint64 { return disjoint(s, t) ^ 1 }),
		"WriteMask.count()":                 setMethod(countSet),
		"WriteMask.setMask(int, int)":       setMask,

		"DataBlock.clear()":                                     setMethod(clearSet),
		"DataBlock.copyPartial(DataBlock, WriteMask)":           copyMasked,
		"DataBlock.copyPartial(DataBlock, int, int)":            copyRange,
		"DataBlock.atomicPartial(DataBlock, WriteMask)":         never,
		"DataBlock.atomicPartial(DataBlock, WriteMask, bool)":   never,
		"DataBlock.clearAtomicLogEntries()":                     nothing,
		"DataBlock.numAtomicLogEntries()":                       always(0),
		"AbstractCacheEntry.setInHtmReadSet(bool)":              nothing,
		"AbstractCacheEntry.setInHtmWriteSet(bool)":             nothing,
		"AbstractCacheEntry.getInHtmReadSet()":                  always(0),
		"AbstractCacheEntry.getInHtmWriteSet()":                 always(0),
		"AbstractCacheEntry.changePermission(AccessPermission)": changePermission,
	}
}

// never is a native that only requests reach which no core makes.
func never(_ *compiler, x *types.Call) wordExpr {
	pos, name := x.At, x.Func.Name
	return func(c *controller) uint64 {
		c.fail(fmt.Sprintf("%s is not simulated, at %s", name, pos), "")
		return 0
	}
}

// byteRange is the mask of n bytes from the first one.
func byteRange(first, n uint64) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return (1<<n - 1) << min(first, 64)
}

func setMask(cc *compiler, x *types.Call) wordExpr {
	set, first, n := cc.vector(x.X), cc.word(x.Args[0]), cc.word(x.Args[1])
	return func(c *controller) uint64 {
		set(c)[0] |= byteRange(first(c), n(c))
		return 0
	}
}

// merge copies the bytes of a mask.
func merge(to, from []uint64, mask uint64) {
	for i := range to {
		var m uint64
		for b := range 8 {
			if mask>>(8*i+b)&1 != 0 {
				m |= 0xff << (8 * b)
			}
		}
		to[i] = to[i]&^m | from[i]&m
	}
}

func copyMasked(cc *compiler, x *types.Call) wordExpr {
	to, from, mask := cc.vector(x.X), cc.vector(x.Args[0]), cc.vector(x.Args[1])
	return func(c *controller) uint64 {
		merge(to(c), from(c), mask(c)[0])
		return 0
	}
}

func copyRange(cc *compiler, x *types.Call) wordExpr {
	to, from, first, n := cc.vector(x.X), cc.vector(x.Args[0]), cc.word(x.Args[1]), cc.word(x.Args[2])
	return func(c *controller) uint64 {
		merge(to(c), from(c), byteRange(first(c), n(c)))
		return 0
	}
}
