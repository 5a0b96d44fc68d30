package ruby

import (
	"slices"

	"ordeal/sim"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/types"
)

// functionNatives are functions of words, and those about the machine.
var functionNatives = map[string]nativeWord{
	"error": effect(0, raise),
	"assert": effect(0, func(c *controller, k *code.Call) {
		c.failAt(k.At, sim.KindAssertion, "the condition is false")
	}),
	"never": effect(0, func(c *controller, k *code.Call) {
		c.failStatement(k.At, sim.Failure{Kind: sim.KindUnsupplied, Text: c.textOf(k)}, "no core makes such a request")
	}),

	"<<": binary(func(a, b uint64) uint64 { return a << min(b, 64) }),
	">>": binary(func(a, b uint64) uint64 { return a >> min(b, 64) }),
	"*":  binary(func(a, b uint64) uint64 { return a * b }),
	"/": {2, func(c *controller, k *code.Call) uint64 {
		l, r := c.divisible(k)
		return uint64(l / r)
	}},
	"%": {2, func(c *controller, k *code.Call) uint64 {
		l, r := c.divisible(k)
		return uint64(l % r)
	}},
	"words ==":   {2, func(c *controller, k *code.Call) uint64 { return truth(slices.Equal(c.vector(k, 0), c.vector(k, 1))) }},
	"words !=":   {2, func(c *controller, k *code.Call) uint64 { return truth(!slices.Equal(c.vector(k, 0), c.vector(k, 1))) }},
	"objects ==": {2, func(c *controller, k *code.Call) uint64 { return truth(c.pointer(k, 0) == c.pointer(k, 1)) }},
	"objects !=": {2, func(c *controller, k *code.Call) uint64 { return truth(c.pointer(k, 0) != c.pointer(k, 1)) }},

	"clockEdge(Cycles)": unary(func(c *controller, cycles uint64) uint64 { return uint64(c.now) + cycles }),

	"curTransitionEvent":     {0, func(c *controller, _ *code.Call) uint64 { return uint64(c.event) }},
	"curTransitionNextState": {0, func(c *controller, _ *code.Call) uint64 { return c.next }},
	code.ToPermission: {1, func(c *controller, k *code.Call) uint64 {
		v, table := c.word(k, 0), c.vector(k, 1)
		if v >= uint64(len(table)) {
			c.failAt(k.At, "permission of an unset state", "state %d", v)
		}
		return table[v]
	}},
	"kind of request": {2, func(c *controller, k *code.Call) uint64 { return c.word(k, 1) >> min(c.word(k, 0), 63) & 1 }},

	"mapAddressToDownstreamMachine": {1, func(c *controller, k *code.Call) uint64 { return c.downstream(c.line(k, 0)) }},
	"respondsTo":                    {1, func(c *controller, k *code.Call) uint64 { return truth(c.system.isHome(c, c.line(k, 0))) }},
	"mapAddressToMachine":           {2, home},
	"mapAddressToRange":             {5, homeInRange},
	"machineIDToMachineType":        unary(func(_ *controller, id uint64) uint64 { return id >> code.NumberBits }),
	"machineIDToNodeID":             unary(numberOf),
	"machineIDToVersion":            unary(numberOf),
	"createMachineID":               binary(func(typ, n uint64) uint64 { return code.MachineID(int(typ), int(n)) }),
	"machineCount":                  unary(func(c *controller, typ uint64) uint64 { return uint64(c.system.count(typ)) }),

	"addressOffset(Addr)":        unary(func(_ *controller, a uint64) uint64 { return a & (types.BlockBytes - 1) }),
	"addressOffset(Addr, Addr)":  binary(func(a, b uint64) uint64 { return a - b }),
	"makeLineAddress(Addr, int)": {2, lowBits},
	"makeLineAddress(Addr)":      unary(func(_ *controller, a uint64) uint64 { return a &^ (types.BlockBytes - 1) }),
	"getOffset":                  unary(func(_ *controller, a uint64) uint64 { return a & (types.BlockBytes - 1) }),
	"maskLowOrderBits":           binary(func(a, n uint64) uint64 { return a >> min(n, 63) << min(n, 63) }),
}

func numberOf(_ *controller, id uint64) uint64 { return id & (1<<code.NumberBits - 1) }

// divisible is the operands of a division, of which the second is not zero.
func (c *controller) divisible(k *code.Call) (l, r int64) {
	l, r = int64(c.word(k, 0)), int64(c.word(k, 1))
	if r == 0 {
		c.failAt(k.At, "division by zero", "%d / 0", l)
	}
	return l, r
}

// home is the controller of a type that a line belongs to.
func home(c *controller, k *code.Call) uint64 {
	line, typ := c.word(k, 0), c.word(k, 1)
	if c.system.count(typ) == 0 {
		c.absent(code.MachineID(int(typ), 0), k.At)
	}
	n := c.system.home(c.system.dense(typ), memory.Addr(line))
	if n < 0 {
		c.failAt(k.At, "address in no range of a machine", "%#x", line)
	}
	return code.MachineID(int(typ), n)
}

// homeInRange is the controller of a type that some bits of an address name.
func homeInRange(c *controller, k *code.Call) uint64 {
	line, typ, low, n := c.word(k, 0), c.word(k, 1), c.word(k, 2), min(c.word(k, 3), 62)
	number := line >> min(low, 63) & (1<<n - 1)
	if len(k.Args) > 4 { // with the cluster
		number += c.word(k, 4) << n
	}
	return code.MachineID(int(typ), int(number))
}

// lowBits takes a number of bits from an address, fewer than it has (gem5's Address.cc,
// makeLineAddress).
func lowBits(c *controller, k *code.Call) uint64 {
	addr, n := c.word(k, 0), c.word(k, 1)
	if n >= 64 {
		c.failAt(k.At, "makeLineAddress of all bits", "%d", int64(n))
	}
	return addr >> n << n
}
