package ruby

import (
	"math/bits"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/bytemask"
	"ordeal/sim/ruby/code"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// A NetDest is some words of bits, usually one, for each type of machine that is instantiated;
// a Set is one word. A WriteMask is a word with a bit for each byte of a line, and
// the number, from 1, of the core whose atomic access it carries, 0 for none.

// setNatives are the methods of sets, masks and blocks, whose first argument is the receiver.
var setNatives = map[string]nativeWord{
	"NetDest.add(MachineID)":               machineBit(addBit),
	"NetDest.remove(MachineID)":            machineBit(removeBit),
	"NetDest.isElement(MachineID)":         machineBit(hasBit),
	"NetDest.clear":                        setMethod(clearSet),
	"NetDest.count":                        setMethod(countSet),
	"NetDest.isEmpty":                      setMethod(isEmptySet),
	"NetDest.addNetDest":                   setsMethod(addSet),
	"NetDest.removeNetDest":                setsMethod(removeSet),
	"NetDest.isSuperset(NetDest)":          setsMethod(superset),
	"NetDest.intersectionIsEmpty(NetDest)": setsMethod(disjoint),
	"NetDest.broadcast(MachineType)":       effect(1, broadcast),
	"NetDest.broadcast()":                  effect(0, broadcastAll),
	"NetDest.setNetDest":                   effect(2, setNetDest),
	"NetDest.smallestElement":              {1, smallest},

	"Set.add":                 nodeBit(addBit),
	"Set.remove":              nodeBit(removeBit),
	"Set.isElement":           nodeBit(hasBit),
	"Set.addSet":              setsMethod(addSet),
	"Set.removeSet":           setsMethod(removeSet),
	"Set.isSuperset":          setsMethod(superset),
	"Set.intersectionIsEmpty": setsMethod(disjoint),
	"Set.clear":               setMethod(clearSet),
	"Set.count":               setMethod(countSet),
	"Set.isEqual":             setsMethod(func(s, t []uint64) uint64 { return truth(s[0] == t[0]) }),

	"WriteMask.clear":                   setMethod(clearSet),
	"WriteMask.isEmpty":                 setMethod(func(s []uint64) uint64 { return truth(s[0] == 0) }),
	"WriteMask.isFull":                  setMethod(func(s []uint64) uint64 { return truth(^s[0] == 0) }),
	"WriteMask.fillMask":                setMethod(func(s []uint64) uint64 { s[0] = ^uint64(0); return 0 }),
	"WriteMask.orMask":                  setsMethod(func(s, t []uint64) uint64 { s[0] |= t[0]; return withAtomic(s, t) }),
	"WriteMask.andMask":                 setsMethod(func(s, t []uint64) uint64 { s[0] &= t[0]; return withAtomic(s, t) }),
	"WriteMask.setInvertedMask":         setsMethod(func(s, t []uint64) uint64 { s[0] = ^t[0]; return 0 }),
	"WriteMask.containsMask":            setsMethod(func(s, t []uint64) uint64 { return truth(t[0]&^s[0] == 0) }),
	"WriteMask.cmpMask":                 setsMethod(func(s, t []uint64) uint64 { return truth(t[0]&^s[0] == 0) }),
	"WriteMask.isOverlap":               setsMethod(func(s, t []uint64) uint64 { return truth(s[0]&t[0] != 0) }),
	"WriteMask.count()":                 setMethod(func(s []uint64) uint64 { return uint64(bits.OnesCount64(s[0])) }),
	"WriteMask.setMask(int, int)":       effect(2, setMask),
	"WriteMask.setMask(int, int, bool)": effect(3, setMask),
	"WriteMask.getMask":                 {2, getMask},
	"WriteMask.test":                    {1, testMask},
	"WriteMask.firstBitSet":             {2, firstByte},

	"DataBlock.clear": setMethod(clearSet),
	"DataBlock.copyPartial(DataBlock, WriteMask)": effect(2, copyMasked),
	"DataBlock.copyPartial(DataBlock, int, int)":  effect(3, copyRange),
	"DataBlock.atomicPartial":                     effect(2, atomicPartial),

	"ExpectedMap.clear":               ofExpected(func(e structure.Expected, n uint64) (uint64, error) { e.Clear(n); return 0, nil }),
	"ExpectedMap.addExpectedRespType": ofExpected(func(e structure.Expected, typ uint64) (uint64, error) { e.ExpectResponse(typ); return 0, nil }),
	"ExpectedMap.addExpectedDataType": ofExpected(func(e structure.Expected, typ uint64) (uint64, error) { e.ExpectData(typ); return 0, nil }),
	"ExpectedMap.setExpectedCount":    ofExpected(func(e structure.Expected, n uint64) (uint64, error) { e.SetCount(n); return 0, nil }),
	"ExpectedMap.addExpectedCount":    ofExpected(func(e structure.Expected, n uint64) (uint64, error) { e.AddCount(n); return 0, nil }),
	"ExpectedMap.hasExpected":         ofExpected(func(e structure.Expected, _ uint64) (uint64, error) { return truth(e.Left() != 0), nil }),
	"ExpectedMap.hasReceivedResp":     ofExpected(func(e structure.Expected, _ uint64) (uint64, error) { return truth(e.HasResponse()), nil }),
	"ExpectedMap.hasReceivedData":     ofExpected(func(e structure.Expected, _ uint64) (uint64, error) { return truth(e.HasData()), nil }),
	"ExpectedMap.expected":            ofExpected(func(e structure.Expected, _ uint64) (uint64, error) { return e.Left(), nil }),
	"ExpectedMap.received":            ofExpected(func(e structure.Expected, _ uint64) (uint64, error) { return e.Received(), nil }),
	"ExpectedMap.receivedRespType":    ofExpected(func(e structure.Expected, typ uint64) (uint64, error) { return truth(e.ResponseOf(typ)), nil }),
	"ExpectedMap.receivedDataType":    ofExpected(func(e structure.Expected, typ uint64) (uint64, error) { return truth(e.DataOf(typ)), nil }),
	"ExpectedMap.receiveResp": ofExpected(func(e structure.Expected, typ uint64) (uint64, error) {
		ok, err := e.Response(typ)
		return truth(ok), err
	}),
	"ExpectedMap.receiveData": ofExpected(func(e structure.Expected, typ uint64) (uint64, error) {
		ok, err := e.Data(typ)
		return truth(ok), err
	}),
}

// setVectors are the natives whose result is a set.
var setVectors = map[string]nativeVector{
	"NetDest.OR":  combine(func(s, t uint64) uint64 { return s | t }),
	"NetDest.AND": combine(func(s, t uint64) uint64 { return s & t }),
}

func setMethod(f func(s []uint64) uint64) nativeWord {
	return nativeWord{0, func(c *controller, k *code.Call) uint64 { return f(c.vector(k, 0)) }}
}

func setsMethod(f func(s, t []uint64) uint64) nativeWord {
	return nativeWord{1, func(c *controller, k *code.Call) uint64 { return f(c.vector(k, 0), c.vector(k, 1)) }}
}

// nodeBit is a method that works on the bit of a number in a Set.
func nodeBit(f func(s *uint64, bit uint64) uint64) nativeWord {
	return nativeWord{1, func(c *controller, k *code.Call) uint64 {
		number := c.word(k, 1)
		if number >= 64 {
			c.failAt(k.At, "Set: no such number", "%d", int64(number))
		}
		return f(&c.vector(k, 0)[0], 1<<number)
	}}
}

// machineBit is a method of a NetDest that works on the bit of a machine in its word.
func machineBit(f func(s *uint64, bit uint64) uint64) nativeWord {
	return nativeWord{1, func(c *controller, k *code.Call) uint64 {
		word, number, ok := c.placeOf(c.word(k, 1))
		if !ok {
			c.absent(c.word(k, 1), k.At)
		}
		return f(&c.vector(k, 0)[word], 1<<number)
	}}
}

// ofExpected is a method of an ExpectedMap that perhaps takes a number or a type
// of message.
func ofExpected(f func(e structure.Expected, v uint64) (uint64, error)) nativeWord {
	return nativeWord{1, func(c *controller, k *code.Call) uint64 {
		arg := uint64(0)
		if len(k.Args) > 1 {
			arg = c.word(k, 1)
		}
		v, err := f(c.vector(k, 0), arg)
		c.broken(err, k.At)
		return v
	}}
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

// membersOf are the words of a NetDest for the type of machine with an index.
func (s *System) membersOf(set []uint64, index int) []uint64 {
	n := s.program.SetWords
	return set[index*n : (index+1)*n]
}

// addAll puts all controllers of the type with an index into a NetDest.
func (s *System) addAll(set []uint64, index int) {
	words := s.membersOf(set, index)
	for n := range s.controllers[index] {
		words[n/64] |= 1 << (n % 64)
	}
}

func broadcast(c *controller, k *code.Call) {
	if i := c.system.dense(c.word(k, 1)); i >= 0 {
		c.system.addAll(c.vector(k, 0), i)
	}
}

func broadcastAll(c *controller, k *code.Call) {
	for i := range c.system.program.Codes {
		c.system.addAll(c.vector(k, 0), i)
	}
}

func setNetDest(c *controller, k *code.Call) {
	if i := c.system.dense(c.word(k, 1)); i >= 0 {
		words := c.system.membersOf(c.vector(k, 0), i)
		clear(words)
		words[0] = c.vector(k, 2)[0]
	}
}

// smallest is the first machine in a NetDest, of a type if one is given.
func smallest(c *controller, k *code.Call) uint64 {
	s := c.vector(k, 0)
	for i, mc := range c.system.program.Codes {
		if len(k.Args) > 1 && c.word(k, 1) != uint64(mc.Decl.Ordinal) {
			continue
		}
		for n, word := range c.system.membersOf(s, i) {
			if word != 0 {
				return code.MachineID(mc.Decl.Ordinal, 64*n+bits.TrailingZeros64(word))
			}
		}
	}
	c.failAt(k.At, "smallest element of an empty NetDest", "")
	return 0
}

func combine(f func(s, t uint64) uint64) nativeVector {
	return nativeVector{1, func(c *controller, k *code.Call, result []uint64) {
		s, t := c.vector(k, 0), c.vector(k, 1)
		for i := range result {
			result[i] = f(s[i], t[i])
		}
	}}
}

// setMask sets a number of bytes, or clears them.
func setMask(c *controller, k *code.Call) {
	mask := c.byteRange(c.word(k, 1), c.word(k, 2), k.At)
	if set := c.vector(k, 0); len(k.Args) > 3 && c.word(k, 3) == 0 {
		set[0] &^= mask
	} else {
		set[0] |= mask
	}
}

// getMask reports whether a number of bytes are all set.
func getMask(c *controller, k *code.Call) uint64 {
	mask := c.byteRange(c.word(k, 1), c.word(k, 2), k.At)
	return truth(c.vector(k, 0)[0]&mask == mask)
}

// firstByte is the first byte, from an offset on, that is set or not set.
func firstByte(c *controller, k *code.Call) uint64 {
	mask, from := c.vector(k, 0)[0], uint64(0)
	if c.word(k, 1) == 0 {
		mask = ^mask
	}
	if len(k.Args) > 2 {
		from = c.word(k, 2)
	}
	return uint64(bits.TrailingZeros64(mask & bytemask.Range(from, types.BlockBytes)))
}

func testMask(c *controller, k *code.Call) uint64 {
	return truth(c.vector(k, 0)[0]&c.byteRange(c.word(k, 1), 1, k.At) != 0)
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
func atomicPartial(c *controller, k *code.Call) {
	block := c.vector(k, 0)
	copy(block, c.vector(k, 1))
	if core := c.vector(k, 2)[1]; core != 0 {
		c.system.ports[core-1].PerformAtomic(memory.Addr(c.words[code.AddressWord]), (*memory.Block)(block))
	}
}

func copyMasked(c *controller, k *code.Call) {
	bytemask.Merge(c.vector(k, 0), c.vector(k, 1), c.vector(k, 2)[0])
}

func copyRange(c *controller, k *code.Call) {
	bytemask.Merge(c.vector(k, 0), c.vector(k, 1), bytemask.Range(c.word(k, 2), c.word(k, 3)))
}
