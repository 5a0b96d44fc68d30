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
	return func(g *generator, x *types.Call) wordExpr {
		set := g.vector(x.X)
		return func(c *controller) uint64 { return f(set(c)) }
	}
}

// setsMethod is a method that works on two sets.
func setsMethod(f func(s, t []uint64) uint64) native {
	return func(g *generator, x *types.Call) wordExpr {
		set, other := g.vector(x.X), g.vector(x.Args[0])
		return func(c *controller) uint64 { return f(set(c), other(c)) }
	}
}

// elementMethod is a method that works on the bit of a machine in its word.
func elementMethod(f func(s *uint64, bit uint64) uint64) native {
	return func(g *generator, x *types.Call) wordExpr {
		set, id, pos := g.vector(x.X), g.word(x.Args[0]), x.At
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
	return func(g *generator, x *types.Call) wordExpr {
		set, id, pos := g.vector(x.X), g.word(x.Args[0]), x.At
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

func broadcast(g *generator, x *types.Call) wordExpr {
	set, typ := g.vector(x.X), g.word(x.Args[0])
	return func(c *controller) uint64 {
		t := typ(c)
		if k := c.system.dense(t); k >= 0 {
			set(c)[k] = c.system.all(t)
		}
		return 0
	}
}

func broadcastAll(g *generator, x *types.Call) wordExpr {
	set := g.vector(x.X)
	return func(c *controller) uint64 {
		s := set(c)
		for k, code := range c.system.program.codes {
			s[k] = c.system.all(uint64(code.machine.Ordinal))
		}
		return 0
	}
}

func setNetDest(g *generator, x *types.Call) wordExpr {
	set, typ, from := g.vector(x.X), g.word(x.Args[0]), g.vector(x.Args[1])
	return func(c *controller) uint64 {
		if k := c.system.dense(typ(c)); k >= 0 {
			set(c)[k] = from(c)[0]
		}
		return 0
	}
}

// smallest is the first machine in a NetDest, of a type if one is given.
func smallest(g *generator, x *types.Call) wordExpr {
	set, pos := g.vector(x.X), x.At
	typ := wordExpr(nil)
	if len(x.Args) > 0 {
		typ = g.word(x.Args[0])
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
func (g *generator) builtinVector(x *types.Call) vectorExpr {
	var combine func(s, t uint64) uint64
	switch x.Func.Builtin.Key {
	case "NetDest.OR(NetDest)":
		combine = func(s, t uint64) uint64 { return s | t }
	case "NetDest.AND(NetDest)":
		combine = func(s, t uint64) uint64 { return s & t }
	default:
		g.unsupported(x.At, "builtin %s", x.Func.Builtin.Key)
		return func(*controller) []uint64 { return nil }
	}
	set, other, size := g.vector(x.X), g.vector(x.Args[0]), g.size(x.Type())
	at := g.newWords(make([]uint64, size))
	return func(c *controller) []uint64 {
		s, t, result := set(c), other(c), c.words[at:at+size]
		for i := range result {
			result[i] = combine(s[i], t[i])
		}
		return result
	}
}
