package ruby

import (
	"fmt"

	"ordeal/sim/slicc/types"
)

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
func never(_ *generator, x *types.Call) wordExpr {
	pos, name := x.At, x.Func.Name
	return func(c *controller) uint64 {
		c.fail(fmt.Sprintf("%s is not simulated, at %s", name, pos), "")
		return 0
	}
}

// byteRange is the mask of n bytes from the first one.
func byteRange(first, n uint64) uint64 {
	if n >= 64 {
		return ^uint64(0) << min(first, 64)
	}
	return (1<<n - 1) << min(first, 64)
}

func setMask(g *generator, x *types.Call) wordExpr {
	set, first, n := g.vector(x.X), g.word(x.Args[0]), g.word(x.Args[1])
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

func copyMasked(g *generator, x *types.Call) wordExpr {
	to, from, mask := g.vector(x.X), g.vector(x.Args[0]), g.vector(x.Args[1])
	return func(c *controller) uint64 {
		merge(to(c), from(c), mask(c)[0])
		return 0
	}
}

func copyRange(g *generator, x *types.Call) wordExpr {
	to, from, first, n := g.vector(x.X), g.vector(x.Args[0]), g.word(x.Args[1]), g.word(x.Args[2])
	return func(c *controller) uint64 {
		merge(to(c), from(c), byteRange(first(c), n(c)))
		return 0
	}
}
