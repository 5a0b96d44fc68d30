package ruby

import (
	"fmt"
	"strings"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// native compiles the call of a builtin whose result is one word or nothing.
type native func(g *generator, x *types.Call) wordExpr

// builtinWord compiles the call of a builtin.
func (g *generator) builtinWord(x *types.Call) wordExpr {
	key := x.Func.Builtin.Key
	for _, table := range []map[string]native{functions, portMethods, setMethods, maskMethods, cacheMethods, perfectMethods, timerMethods} {
		if compile, ok := table[key]; ok {
			return compile(g, x)
		}
	}
	switch recv, _, _ := strings.Cut(key, "."); recv {
	case "Sequencer":
		return g.sequencerMethod(x)
	case "RubyPrefetcher", "RubyPrefetcherProxy":
		return zero
	}
	g.unsupported(x.At, "builtin %s", key)
	return zero
}

// unary1 is a native that computes with its argument.
func unary1(f func(uint64) uint64) native {
	return func(g *generator, x *types.Call) wordExpr {
		arg := g.word(x.Args[0])
		return func(c *controller) uint64 { return f(arg(c)) }
	}
}

// binary2 is a native that computes with its two arguments.
func binary2(f func(a, b uint64) uint64) native {
	return func(g *generator, x *types.Call) wordExpr {
		a, b := g.word(x.Args[0]), g.word(x.Args[1])
		return func(c *controller) uint64 { return f(a(c), b(c)) }
	}
}

// same is a native that is its argument: one tick is one cycle.
func same(g *generator, x *types.Call) wordExpr { return g.word(x.Args[0]) }

// nothing is a native that only counts.
func nothing(*generator, *types.Call) wordExpr { return zero }

// always is a native with a constant result.
func always(v uint64) native {
	return func(*generator, *types.Call) wordExpr { return func(*controller) uint64 { return v } }
}

func now(*generator, *types.Call) wordExpr {
	return func(c *controller) uint64 { return uint64(c.now) }
}

// functions are the builtins that are no methods.
var functions map[string]native

// The table refers to functions that refer to the table.
func init() {
	functions = map[string]native{
		"error(std::string)": raise,
		"assert(bool)":       assert,
		"to_permission(*)":   permission,

		"clockEdge()":           now,
		"curCycle()":            now,
		"zero_time()":           always(0),
		"cyclesToTicks(Cycles)": same,
		"ticksToCycles(Tick)":   same,
		"intToCycles(int)":      same,
		"intToTick(int)":        same,
		"clockEdge(Cycles)": func(g *generator, x *types.Call) wordExpr {
			arg := g.word(x.Args[0])
			return func(c *controller) uint64 { return uint64(c.now) + arg(c) }
		},

		"set_tbe(TBE)":                        setPointer(tbePointer),
		"set_cache_entry(AbstractCacheEntry)": setPointer(entryPointer),
		"unset_tbe()":                         unsetPointer(tbePointer),
		"unset_cache_entry()":                 unsetPointer(entryPointer),

		"wakeUpBuffers(Addr)":          wakeUpBuffers(false),
		"wakeUpAllBuffers(Addr)":       wakeUpBuffers(true),
		"wakeUpAllBuffers()":           wakeUpAll,
		"profileMsgDelay(int, Cycles)": nothing,
		"dequeueMemRespQueue()":        dequeueAnswer,

		"mapAddressToMachine(Addr, MachineType)":                 home,
		"mapAddressToRange(Addr, MachineType, int, int)":         homeInRange,
		"mapAddressToRange(Addr, MachineType, int, int, NodeID)": homeInRange,
		"machineIDToMachineType(MachineID)":                      unary1(func(id uint64) uint64 { return id >> numberBits }),
		"machineIDToNodeID(MachineID)":                           unary1(numberOf),
		"machineIDToVersion(MachineID)":                          unary1(numberOf),
		"createMachineID(MachineType, NodeID)":                   binary2(func(t, n uint64) uint64 { return machineID(int(t), int(n)) }),
		"machineCount(MachineType)":                              machineCount,
		"mod(int, int)":                                          modulo,
		"intToID(int)":                                           same,
		"IDToInt(NodeID)":                                        same,
		"addressToInt(Addr)":                                     same,
		"intToAddress(int)":                                      same,
		"addressOffset(Addr, Addr)":                              binary2(func(a, b uint64) uint64 { return a - b }),
		"makeLineAddress(Addr)":                                  unary1(func(a uint64) uint64 { return a &^ (types.BlockBytes - 1) }),
		"getOffset(Addr)":                                        unary1(func(a uint64) uint64 { return a & (types.BlockBytes - 1) }),
		"maskLowOrderBits(Addr, int)":                            binary2(func(a, n uint64) uint64 { return a >> min(n, 63) << min(n, 63) }),
	}
}

func numberOf(id uint64) uint64 { return id & (1<<numberBits - 1) }

func raise(g *generator, x *types.Call) wordExpr {
	msg, pos := g.text(x.Args[0]), x.At
	return func(c *controller) uint64 {
		c.fail(fmt.Sprintf("error(%q) at %s", msg(c), pos), "the protocol gave up")
		return 0
	}
}

func assert(g *generator, x *types.Call) wordExpr {
	cond, pos := g.word(x.Args[0]), x.At
	return func(c *controller) uint64 {
		if cond(c) == 0 {
			c.fail(fmt.Sprintf("failed assertion at %s", pos), "the condition is false")
		}
		return 0
	}
}

func permission(g *generator, x *types.Call) wordExpr {
	arg, pos := g.word(x.Args[0]), x.At
	var table []uint64
	for _, e := range x.Func.Enum.Enums {
		table = append(table, uint64(max(e.Permission, 0)))
	}
	return func(c *controller) uint64 {
		v := arg(c)
		if v >= uint64(len(table)) {
			c.fail(fmt.Sprintf("permission of an unset state at %s", pos), "state %d", v)
		}
		return table[v]
	}
}

func setPointer(at int) native {
	return func(g *generator, x *types.Call) wordExpr {
		arg := g.object(x.Args[0])
		return func(c *controller) uint64 {
			c.pointers[at] = arg(c)
			return 0
		}
	}
}

func unsetPointer(at int) native {
	return func(*generator, *types.Call) wordExpr {
		return func(c *controller) uint64 {
			c.pointers[at] = nil
			return 0
		}
	}
}

func wakeUpBuffers(all bool) native {
	return func(g *generator, x *types.Call) wordExpr {
		arg := g.word(x.Args[0])
		return func(c *controller) uint64 {
			limit := c.code.ports[c.port].rank
			if all {
				limit = c.code.ranks
			}
			c.wakeUpBuffers(memory.Addr(arg(c)), limit)
			return 0
		}
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
		c.pop(c.memory.answers)
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
			c.fail(fmt.Sprintf("mapAddressToMachine without such a machine at %s", pos), "machine type %d", t)
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

func machineCount(g *generator, x *types.Call) wordExpr {
	typ := g.word(x.Args[0])
	return func(c *controller) uint64 { return uint64(c.system.count(typ(c))) }
}

func modulo(g *generator, x *types.Call) wordExpr {
	return g.divide(&types.Binary{Node: x.Node, Op: syntax.Mod}, g.word(x.Args[0]), g.word(x.Args[1]))
}
