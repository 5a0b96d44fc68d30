package ruby

import (
	"fmt"
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

func clock(*generator, *types.Call) wordExpr {
	return func(c *controller) uint64 { return uint64(c.now) }
}

func numberOf(_ *controller, id uint64) uint64 { return id & (1<<numberBits - 1) }

func raise(g *generator, x *types.Call) wordExpr {
	msg, pos := g.text(x.Args[0]), x.At
	return func(c *controller) uint64 {
		c.failAt(pos, fmt.Sprintf("error(%q)", msg(c)), "the protocol gave up")
		return 0
	}
}

func wakeUpAll(*generator, *types.Call) wordExpr {
	return func(c *controller) uint64 {
		c.wakeUpAllBuffers()
		return 0
	}
}

func dequeueAnswer(g *generator, x *types.Call) wordExpr {
	if !g.code.home {
		g.unsupported(x.At, "dequeueMemRespQueue in a machine without memory")
	}
	return func(c *controller) uint64 {
		c.dequeue(c.memory.answers)
		return 0
	}
}

// home is the controller of a type that a line belongs to.
func home(g *generator, x *types.Call) wordExpr {
	line, typ, pos := g.word(x.Args[0]), g.word(x.Args[1]), x.At
	return func(c *controller) uint64 {
		t := typ(c)
		n := c.system.count(t)
		if n == 0 {
			c.failAt(pos, "mapAddressToMachine without such a machine", "machine type %d", t)
		}
		return machineID(int(t), int(line(c)/types.BlockBytes%uint64(n)))
	}
}

// homeInRange is the controller of a type that some bits of an address name.
func homeInRange(g *generator, x *types.Call) wordExpr {
	line, typ, low, n := g.word(x.Args[0]), g.word(x.Args[1]), g.word(x.Args[2]), g.word(x.Args[3])
	return func(c *controller) uint64 {
		number := line(c) >> min(low(c), 63) & (1<<min(n(c), 62) - 1)
		return machineID(int(typ(c)), int(number))
	}
}

func modulo(g *generator, x *types.Call) wordExpr {
	return g.divide(&types.Binary{Node: x.Node, Op: syntax.Mod}, g.word(x.Args[0]), g.word(x.Args[1]))
}

// kindIn reports whether a type of request is one of those named.
func kindIn(names ...string) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		kind := g.word(x.Args[0])
		var set uint64
		for i, e := range x.Args[0].Type().Enums {
			if slices.Contains(names, e.Name) {
				set |= 1 << i
			}
		}
		if len(x.Args[0].Type().Enums) > 64 {
			g.unsupported(x.At, "a %s of more than 64 values", x.Args[0].Type())
		}
		return func(c *controller) uint64 { return set >> min(kind(c), 63) & 1 }
	}
}
