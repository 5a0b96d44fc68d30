package ruby

import "ordeal/sim/slicc/types"

// emitters are the builtins that have instructions of their own, by the keys of
// implement. They put a result into a place, of a word or of a pointer; at is
// negative where it is not wanted.
var emitters map[string]func(g *generator, x *types.Call, at int)

func init() {
	emitters = map[string]func(g *generator, x *types.Call, at int){
		"set_tbe":           setPointer(tbePointer),
		"set_cache_entry":   setPointer(entryPointer),
		"unset_tbe":         unsetPointer(tbePointer),
		"unset_cache_entry": unsetPointer(entryPointer),

		"CacheMemory.lookup": lookUp(opCached),
		"TBETable.lookup":    lookUp(opTransaction),
		"InPort.dequeue": func(g *generator, x *types.Call, _ int) {
			g.emit(x.At, instruction{op: opDequeue, b: uint32(g.portOf(x))})
		},
		"AbstractCacheEntry.changePermission": func(g *generator, x *types.Call, _ int) {
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
	return emitters[x.Func.Builtin.Group()]
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
