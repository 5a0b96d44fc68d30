package code

import (
	"ordeal/sim/slicc/types"
)

// emitters are the builtins that have instructions of their own, by the keys of
// implement. They put a result into a place, of a word or of a pointer; at is
// negative where it is not wanted.
var emitters map[string]func(g *generator, x *types.Call, at int)

// ToPermission is the key of those that give the access permission of a state.
const ToPermission = "to_permission"

func init() {
	emitters = map[string]func(g *generator, x *types.Call, at int){
		"set_tbe":           setPointer(TBEPointer),
		"set_cache_entry":   setPointer(EntryPointer),
		"unset_tbe":         unsetPointer(TBEPointer),
		"unset_cache_entry": unsetPointer(EntryPointer),

		"CacheMemory.lookup":     lookUp(OpCached),
		"TBETable.lookup":        lookUp(OpTransaction),
		"DirectoryMemory.lookup": lookUp(OpDirectory),
		"InPort.dequeue": func(g *generator, x *types.Call, _ int) {
			g.emit(x.At, Instruction{Op: OpDequeue, B: uint32(g.portOf(x))})
		},
		"assert":                   assert,
		"CacheMemory.isTagPresent": tagged,

		"AbstractCacheEntry.changePermission": func(g *generator, x *types.Call, _ int) {
			perm := g.materialized(x.Args[0], x.X)
			g.emit(x.X.Pos(), Instruction{Op: OpPermission, A: uint32(g.pointer(x.X)), B: uint32(perm)})
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
		g.emit(x.At, Instruction{Op: OpPoint, A: uint32(to), B: NilPointer})
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
		g.emit(x.At, Instruction{Op: op, A: uint32(at), B: uint32(part), C: uint32(line)})
	}
}

// tagged finds whether a line is in a cache.
func tagged(g *generator, x *types.Call, at int) {
	if at < 0 {
		return
	}
	part, line := g.partOf(x), g.place(x.Args[0])
	g.emit(x.At, Instruction{Op: OpTagged, A: uint32(at), B: uint32(part), C: uint32(line)})
}

// assert ends the run where a condition is false.
func assert(g *generator, x *types.Call, _ int) {
	pos := x.At
	holds := g.jumpIf(x.Args[0], true)
	g.native(scratchWord, "assert", Call{At: pos})
	g.land(holds...)
}
