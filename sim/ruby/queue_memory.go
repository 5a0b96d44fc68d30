package ruby

import (
	"slices"

	"ordeal/sim/builtin/event"
	"ordeal/sim/slicc/types"
)

// queuesMemory reports whether the machine asks memory by functions, as gem5's did
// until 2020, and not by messages in a buffer.
func (g *generator) queuesMemory() bool {
	is := func(f *types.Func) bool { return f.Name == "queueMemoryRead" }
	return slices.ContainsFunc(g.code.machine.Funcs, is) || slices.ContainsFunc(g.protocol.Funcs, is)
}

// lengthField is the field of a MemoryMsg that has the bytes of a partial write:
// Acks, which messages to memory have no other use for, in versions of gem5 without
// Len.
func lengthField(l *layout) string {
	if l.find("Len") < 0 && l.find("Acks") >= 0 {
		return "Acks"
	}
	return "Len"
}

// queueMemory is a request to memory for a machine: of its line, or to write all of it
// or as many bytes as a last argument says (AbstractController::queueMemoryRead and
// its kin).
func queueMemory(write bool) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		machine, addr, latency := g.word(x.Args[0]), g.word(x.Args[1]), g.word(x.Args[2])
		data, bytes := vectorExpr(nil), zero
		if write {
			data = g.vector(x.Args[3])
		}
		if len(x.Args) > 4 {
			bytes = g.word(x.Args[4])
		}
		pos := x.At
		return func(c *controller) uint64 {
			if c.memory == nil {
				c.failAt(pos, "request to memory", "%s has none", c.name())
			}
			f := c.memory.fields
			m := c.system.pools[f.layout.index].get()
			m.words[f.addr], m.words[f.sender], m.words[f.kind] = addr(c), machine(c), f.read
			if write {
				m.words[f.kind] = f.write
				copy(m.block(f.data)[:], data(c))
			}
			m.words[f.len] = bytes(c)
			c.memory.requests.enqueue(m, c.now+event.Tick(latency(c)))
			return 0
		}
	}
}
