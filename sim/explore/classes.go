package explore

import (
	"fmt"

	"ordeal/sim/ruby"
)

// classes numbers the things that happen some time if they are possible for
// ever: messages of a channel, a controller's own messages in a buffer, those put
// back into it, the time of a line in a timer. Class 0 is steps of cores.
type classes struct {
	names  []string
	moves  map[classKey]uint16
	inward map[uint32]uint16 // by channel
}

type classKey struct {
	controller int
	kind       ruby.MoveKind
	at, line   int
}

func newClasses(a *actors) *classes {
	c := &classes{names: []string{"an access of a core"}, moves: map[classKey]uint16{}, inward: map[uint32]uint16{}}
	next := func(format string, args ...any) uint16 {
		c.names = append(c.names, fmt.Sprintf(format, args...))
		return uint16(len(c.names) - 1)
	}
	for i := range a.Controllers() {
		for at := range a.Buffers(i) {
			name := a.BufferName(i, at)
			c.moves[classKey{i, ruby.Own, at, 0}] = next("messages of %s", name)
			c.moves[classKey{i, ruby.Return, at, 0}] = next("messages put back into %s", name)
			for from := range a.Controllers() {
				c.inward[uint32(i)<<16|uint32(at)<<8|uint32(from)] = next("messages from %s to %s", a.Name(from), name)
			}
		}
		for at := range a.Timers(i) {
			for line := range a.config.Lines {
				c.moves[classKey{i, ruby.Expire, at, line}] = next("the time of line %d at %s", line, a.Name(i))
			}
		}
	}
	return c
}

func (c *classes) ofMove(i int, m ruby.Move) uint16 {
	key := classKey{i, m.Kind, m.At, 0}
	if m.Kind == ruby.Expire {
		key.line = m.Index
	}
	return c.moves[key]
}

func (c *classes) ofArrival(p *messagePart) uint16 { return c.inward[p.channel] }
