package ruby

import (
	"ordeal/sim/ruby/cache"
	"ordeal/sim/slicc/types"
)

// emitters are the builtins that have instructions of their own, by the keys of
// implement. They put a result into a place, of a word or of a pointer; at is
// negative where it is not wanted.
var emitters map[string]func(g *generator, x *types.Call, at int)

// isTagPresent is the key of the builtin that finds whether a line is in a cache.
const isTagPresent = "CacheMemory.isTagPresent"

// toPermission is the key of those that give the access permission of a state.
const toPermission = "to_permission"

func init() {
	emitters = map[string]func(g *generator, x *types.Call, at int){
		"set_tbe":           setPointer(tbePointer),
		"set_cache_entry":   setPointer(entryPointer),
		"unset_tbe":         unsetPointer(tbePointer),
		"unset_cache_entry": unsetPointer(entryPointer),

		"CacheMemory.lookup":     lookUp(opCached),
		"TBETable.lookup":        lookUp(opTransaction),
		"DirectoryMemory.lookup": lookUp(opDirectory),
		"InPort.dequeue": func(g *generator, x *types.Call, _ int) {
			g.emit(x.At, instruction{op: opDequeue, b: uint32(g.portOf(x))})
		},
		"assert":        assert,
		"to_permission": permission,
		isTagPresent:    tagged,

		"NetDest.isElement(MachineID)": ofMachine(hasBit),
		"NetDest.add(MachineID)":       addMachine,
		"NetDest.remove(MachineID)":    ofMachine(removeBit),

		"AbstractCacheEntry.changePermission": func(g *generator, x *types.Call, _ int) {
			if list, state := permits(g, x.Args[0]); list != nil {
				at := g.held(state, x.X)
				by := closure(&g.code.closures.permits, list)
				g.emit(x.X.Pos(), instruction{op: opPermit, a: uint32(g.pointer(x.X)), b: uint32(at), c: by})
				return
			}
			perm := g.held(x.Args[0], x.X)
			g.emit(x.X.Pos(), instruction{op: opPermission, a: uint32(g.pointer(x.X)), b: uint32(perm)})
		},
	}
}

// emitter is that of a call; nil if it has none.
func emitter(x *types.Call) func(g *generator, x *types.Call, at int) {
	if x.Func.Builtin == nil {
		return nil
	}
	return emitterOf(x.Func.Builtin)
}

func emitterOf(b *types.Builtin) func(g *generator, x *types.Call, at int) {
	if f := emitters[b.Key]; f != nil {
		return f
	}
	return emitters[b.Group()]
}

func setPointer(to int) func(g *generator, x *types.Call, at int) {
	return func(g *generator, x *types.Call, _ int) { g.pointerInto(to, x.Args[0]) }
}

func unsetPointer(to int) func(g *generator, x *types.Call, at int) {
	return func(g *generator, x *types.Call, _ int) {
		g.emit(x.At, instruction{op: opPoint, a: uint32(to), b: nilPointer})
	}
}

// lookUp is what looks for a line in a part of the machine.
func lookUp(op opcode) func(g *generator, x *types.Call, at int) {
	return func(g *generator, x *types.Call, at int) {
		if at < 0 {
			return
		}
		part := g.partOf(x)
		line := g.place(x.Args[0])
		g.emit(x.At, instruction{op: op, a: uint32(at), b: uint32(part), c: uint32(line)})
	}
}

// tagged finds whether a line is in a cache.
func tagged(g *generator, x *types.Call, at int) {
	if at < 0 {
		return
	}
	part, line := g.partOf(x), g.place(x.Args[0])
	g.emit(x.At, instruction{op: opTagged, a: uint32(at), b: uint32(part), c: uint32(line)})
}

// assert ends the run where a condition is false.
func assert(g *generator, x *types.Call, _ int) {
	pos := x.At
	holds := g.jumpIf(x.Args[0], true)
	g.do(pos, func(c *controller) uint64 {
		c.failAt(pos, "failed assertion", "the condition is false")
		return 0
	})
	g.land(holds...)
}

// permits is what a cache makes of the access permissions of the states of a machine,
// where an expression is that of a state; nil where it is another one.
func permits(g *generator, x types.Expr) (list []cache.Permission, state types.Expr) {
	call, ok := x.(*types.Call)
	if !ok || call.Func.Builtin == nil || call.Func.Builtin.Group() != toPermission {
		return nil, nil
	}
	for _, e := range call.Func.Enum.Enums {
		list = append(list, g.permissions[max(e.Permission, 0)])
	}
	return list, call.Args[0]
}

// addMachine puts a machine into a NetDest.
func addMachine(g *generator, x *types.Call, at int) {
	if m, ok := x.X.(*types.Member); ok && at < 0 && shapeOf(m.X.Type()) == pointer {
		id := g.held(x.Args[0], x.X)
		owner, offset, _ := g.field(m)
		g.emit(x.At, instruction{op: opAddMachine, n: uint16(offset), a: uint32(owner), b: uint32(id)})
		return
	}
	ofMachine(addBit)(g, x, at)
}

// permission is the access permission of a state.
func permission(g *generator, x *types.Call, at int) {
	var table []uint64
	for _, e := range x.Func.Enum.Enums {
		table = append(table, uint64(max(e.Permission, 0)))
	}
	pos, state := x.At, g.place(x.Args[0])
	g.answer(x, at, func(c *controller) uint64 {
		v := c.words[state]
		if v >= uint64(len(table)) {
			c.failAt(pos, "permission of an unset state", "state %d", v)
		}
		return table[v]
	})
}

// answer emits the call of a closure whose result goes to a place, if it is wanted.
func (g *generator) answer(x *types.Call, at int, f wordExpr) {
	if at < 0 {
		g.do(x.At, f)
		return
	}
	g.emit(x.At, instruction{op: opWord, a: uint32(at), b: closure(&g.code.closures.words, f)})
}

// ofMachine is a method of a NetDest that works on the bit of a machine in its word.
func ofMachine(f func(s *uint64, bit uint64) uint64) func(g *generator, x *types.Call, at int) {
	return func(g *generator, x *types.Call, at int) {
		pos, id := x.At, g.held(x.Args[0], x.X)
		machine := func(c *controller) (word, number int) {
			s := c.system
			typ, number := splitMachineID(c.words[id])
			word = s.dense(uint64(typ))
			if word < 0 || number >= len(s.controllers[word]) {
				c.failAt(pos, "NetDest: no such machine", "%s", s.program.machineName(c.words[id]))
			}
			return word, number
		}
		if m, ok := x.X.(*types.Member); ok {
			if owner, offset, ok := g.field(m); ok {
				from := m.X.Pos()
				g.answer(x, at, func(c *controller) uint64 {
					word, number := machine(c)
					return f(&c.live(c.pointers[owner], from).words[offset+word], 1<<number)
				})
				return
			}
		}
		set := g.vector(x.X)
		g.answer(x, at, func(c *controller) uint64 {
			word, number := machine(c)
			return f(&set(c)[word], 1<<number)
		})
	}
}

// emittedWord is the closure of a builtin with instructions, whose result is a word or
// nothing.
func (g *generator) emittedWord(x *types.Call) wordExpr {
	at := g.newWords([]uint64{0})
	r := g.routine(func() { emitter(x)(g, x, at) })
	return func(c *controller) uint64 {
		c.exec(r.entry)
		return c.words[at]
	}
}

// emittedObject is emittedWord of one whose result is an object.
func (g *generator) emittedObject(x *types.Call) objectExpr {
	at := g.newPointer()
	r := g.routine(func() { emitter(x)(g, x, at) })
	return func(c *controller) *object {
		c.exec(r.entry)
		return c.pointers[at]
	}
}
