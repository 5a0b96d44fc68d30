package ruby

import (
	"math/bits"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/bytemask"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// A NetDest is a word of bits for each type of machine that is instantiated; a
// Set is one word. A WriteMask is a word with a bit for each byte of a line, and
// the number, from 1, of the core whose atomic access it carries, 0 for none.

func setMethod(f func(s []uint64) uint64) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		set := g.vector(x.X)
		return func(c *controller) uint64 { return f(set(c)) }
	}
}

func setsMethod(f func(s, t []uint64) uint64) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		set, other := g.vector(x.X), g.vector(x.Args[0])
		return func(c *controller) uint64 { return f(set(c), other(c)) }
	}
}

// nodeBit is a method that works on the bit of a number in a Set.
func nodeBit(f func(s *uint64, bit uint64) uint64) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		set, id, pos := g.vector(x.X), g.word(x.Args[0]), x.At
		return func(c *controller) uint64 {
			number := id(c)
			if number >= 64 {
				c.failAt(pos, "Set: no such number", "%d", int64(number))
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
		c.failAt(pos, "smallest element of an empty NetDest", "")
		return 0
	}
}

func combine(f func(s, t uint64) uint64) native[vectorExpr] {
	return func(g *generator, x *types.Call) vectorExpr {
		set, other, size := g.vector(x.X), g.vector(x.Args[0]), g.size(x.Type())
		at := g.newWords(make([]uint64, size))
		return func(c *controller) []uint64 {
			s, t, result := set(c), other(c), c.words[at:at+size]
			for i := range result {
				result[i] = f(s[i], t[i])
			}
			return result
		}
	}
}

// setMask sets a number of bytes, or clears them.
func setMask(g *generator, x *types.Call) wordExpr {
	set, first, n, value, pos := g.vector(x.X), g.word(x.Args[0]), g.word(x.Args[1]), wordExpr(nil), x.At
	if len(x.Args) > 2 {
		value = g.word(x.Args[2])
	}
	return func(c *controller) uint64 {
		mask := c.byteRange(first(c), n(c), pos)
		if value != nil && value(c) == 0 {
			set(c)[0] &^= mask
		} else {
			set(c)[0] |= mask
		}
		return 0
	}
}

// getMask reports whether a number of bytes are all set.
func getMask(g *generator, x *types.Call) wordExpr {
	set, first, n, pos := g.vector(x.X), g.word(x.Args[0]), g.word(x.Args[1]), x.At
	return func(c *controller) uint64 {
		mask := c.byteRange(first(c), n(c), pos)
		return truth(set(c)[0]&mask == mask)
	}
}

// firstByte is the first byte, from an offset on, that is set or not set.
func firstByte(g *generator, x *types.Call) wordExpr {
	set, value, from := g.vector(x.X), g.word(x.Args[0]), zero
	if len(x.Args) > 1 {
		from = g.word(x.Args[1])
	}
	return func(c *controller) uint64 {
		mask := set(c)[0]
		if value(c) == 0 {
			mask = ^mask
		}
		return uint64(bits.TrailingZeros64(mask & bytemask.Range(from(c), types.BlockBytes)))
	}
}

func testMask(g *generator, x *types.Call) wordExpr {
	set, at, pos := g.vector(x.X), g.word(x.Args[0]), x.At
	return func(c *controller) uint64 {
		return truth(set(c)[0]&c.byteRange(at(c), 1, pos) != 0)
	}
}

// byteRange is the mask of n bytes from the first one, which are in the line.
func (c *controller) byteRange(first, n uint64, pos syntax.Pos) uint64 {
	if first > types.BlockBytes || n > types.BlockBytes-first {
		c.failAt(pos, "bytes outside of the line", "%d from %d", int64(n), int64(first))
	}
	return bytemask.Range(first, n)
}

// withAtomic gives a mask the atomic access of another, if that has one
// (gem5's WriteMask.hh).
func withAtomic(s, t []uint64) uint64 {
	if t[1] != 0 {
		s[1] = t[1]
	}
	return 0
}

// atomicPartial copies a block and performs the atomic access of a mask on it.
func atomicPartial(g *generator, x *types.Call) wordExpr {
	to, from, mask := g.vector(x.X), g.vector(x.Args[0]), g.vector(x.Args[1])
	return func(c *controller) uint64 {
		block := to(c)
		copy(block, from(c))
		if core := mask(c)[1]; core != 0 {
			c.system.ports[core-1].PerformAtomic(memory.Addr(c.words[addressWord]), (*memory.Block)(block))
		}
		return 0
	}
}

func copyMasked(g *generator, x *types.Call) wordExpr {
	to, from, mask := g.vector(x.X), g.vector(x.Args[0]), g.vector(x.Args[1])
	return func(c *controller) uint64 {
		bytemask.Merge(to(c), from(c), mask(c)[0])
		return 0
	}
}

func copyRange(g *generator, x *types.Call) wordExpr {
	to, from, first, n := g.vector(x.X), g.vector(x.Args[0]), g.word(x.Args[1]), g.word(x.Args[2])
	return func(c *controller) uint64 {
		bytemask.Merge(to(c), from(c), bytemask.Range(first(c), n(c)))
		return 0
	}
}
