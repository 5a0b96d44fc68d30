package ruby

import (
	"slices"
	"strings"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/types"
)

// What gem5 offers to protocols whose transactions have several steps: slots of
// transactions, messages that are expected, queues of triggers, and a record of
// the transactions under way.

// The lists of Controller.underway.
const (
	incoming = iota
	incomingNumbered
	outgoing
	outgoingNumbered
	transactionLists
)

// underway is a transaction that a controller has started, by its line or, for
// one without a line, by its number.
type underway struct {
	line  memory.Addr
	event int
}

// ofStorage is a method of a TBEStorage that perhaps takes a number.
func ofStorage(f func(s *structure.Storage, n int) (int, error)) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		at, pos, arg := g.partOf(x), x.At, zero
		if len(x.Args) > 0 {
			arg = g.word(x.Args[0])
		}
		return func(c *controller) uint64 {
			n, err := f(c.storages[at], int(int64(arg(c))))
			c.broken(err, pos)
			return uint64(n)
		}
	}
}

// ofExpected is a method of an ExpectedMap that perhaps takes a number or a type
// of message.
func ofExpected(f func(e structure.Expected, v uint64) (uint64, error)) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		set, pos, arg := g.vector(x.X), x.At, zero
		if len(x.Args) > 0 {
			arg = g.word(x.Args[0])
			if t := x.Args[0].Type(); t.Kind == types.Enum && len(t.Enums) >= structure.MaxTypes {
				g.unsupported(pos, "an ExpectedMap of %d types of messages, more than %d", len(t.Enums), structure.MaxTypes)
			}
		}
		return func(c *controller) uint64 {
			v, err := f(set(c), arg(c))
			c.broken(err, pos)
			return v
		}
	}
}

// listOf is the index of the list that a method of a TriggerQueue is called on,
// and the type of its elements; false for a queue in a structure.
func (g *generator) listOf(x *types.Call) (at int, element *types.Type, ok bool) {
	use, ok := x.X.(*types.Use)
	if !ok || use.Var.Kind != types.ObjectVar {
		return 0, nil, false
	}
	return g.where(use.Var), g.elementOf(g.code, use.Var), true
}

// elementOf is the type that the template of a TriggerQueue names; nil if there
// is none.
func (p *program) elementOf(code *machineCode, v *types.Var) *types.Type {
	name, _ := v.Attrs.Get("template")
	name = strings.Trim(name, "<> ")
	i := slices.IndexFunc(code.machine.Types, func(t *types.Type) bool { return t.CName() == name })
	if i < 0 {
		return nil
	}
	return code.machine.Types[i]
}

func pushTrigger(blocks, front bool) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		value, pos := g.word(x.Args[0]), x.At
		if at, _, ok := g.listOf(x); ok {
			if front || !blocks {
				g.unsupported(pos, "%s of a TriggerQueue that is an object", x.Func.Name)
			}
			return func(c *controller) uint64 {
				c.lists[at].Push([]uint64{value(c)})
				return 0
			}
		}
		queue := g.vector(x.X)
		return func(c *controller) uint64 {
			c.broken(structure.Queue(queue(c)).Push(value(c), blocks, front), pos)
			return 0
		}
	}
}

// emplaceTrigger adds a structure, whose fields the arguments are.
func emplaceTrigger(g *generator, x *types.Call) wordExpr {
	at, element, ok := g.listOf(x)
	if !ok || element == nil || shapeOf(element) != vector || g.size(element) != len(x.Args) {
		g.unsupported(x.At, "emplace of %d values", len(x.Args))
		return zero
	}
	args := make([]wordExpr, len(x.Args))
	for i, arg := range x.Args {
		args[i] = g.word(arg)
	}
	start := g.newWords(make([]uint64, len(args)))
	return func(c *controller) uint64 {
		words := c.words[start : start+len(args)]
		for i, f := range args {
			words[i] = f(c)
		}
		c.lists[at].Push(words)
		return 0
	}
}

func popTrigger(g *generator, x *types.Call) wordExpr {
	pos := x.At
	if at, _, ok := g.listOf(x); ok {
		return func(c *controller) uint64 {
			c.broken(c.lists[at].Pop(), pos)
			return 0
		}
	}
	queue := g.vector(x.X)
	return func(c *controller) uint64 {
		c.broken(structure.Queue(queue(c)).Pop(), pos)
		return 0
	}
}

func noTriggers(g *generator, x *types.Call) wordExpr {
	if at, _, ok := g.listOf(x); ok {
		return func(c *controller) uint64 { return truth(c.lists[at].Empty()) }
	}
	queue := g.vector(x.X)
	return func(c *controller) uint64 { return truth(structure.Queue(queue(c)).Len() == 0) }
}

// triggerAt is an element of a queue, or whether it does not block.
func triggerAt(front, free bool) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		pos := x.At
		if at, _, ok := g.listOf(x); ok {
			if free || !front {
				g.unsupported(pos, "%s of a TriggerQueue that is an object", x.Func.Name)
			}
			return func(c *controller) uint64 { return c.firstOf(at, pos)[0] }
		}
		queue := g.vector(x.X)
		return func(c *controller) uint64 {
			value, nb, err := structure.Queue(queue(c)).At(front)
			c.broken(err, pos)
			if free {
				return truth(nb)
			}
			return value
		}
	}
}

// nextTrigger is the first structure in a queue.
func nextTrigger(g *generator, x *types.Call) vectorExpr {
	at, element, ok := g.listOf(x)
	if !ok || element != x.Type() {
		g.unsupported(x.At, "next of this TriggerQueue")
	}
	pos := x.At
	return func(c *controller) []uint64 { return c.firstOf(at, pos) }
}

// startTransaction notes a transaction of the event under way or another one.
func startTransaction(list int) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		line, event, pos := g.word(x.Args[0]), g.word(x.Args[1]), x.At
		numbered := g.numbered(x, 4, 2, list)
		return func(c *controller) uint64 {
			at, l := list+int(numbered(c)), memory.Addr(line(c))
			if c.transaction(at, l) >= 0 {
				c.failAt(pos, "start of a transaction that is under way", "line %#x", int64(l))
			}
			c.underway[at] = append(c.underway[at], underway{l, int(event(c))})
			return 0
		}
	}
}

// numbered is 1 if the last argument, which may be left out, says that the
// transaction has a number in place of a line.
func (g *generator) numbered(x *types.Call, ofIncoming, ofOutgoing, list int) wordExpr {
	n := ofIncoming
	if list == outgoing {
		n = ofOutgoing
	}
	if len(x.Args) <= n {
		return zero
	}
	addressed := g.word(x.Args[n])
	return func(c *controller) uint64 { return addressed(c) ^ 1 }
}

// endTransaction ends a transaction. Its event must be one that the protocol
// marks, if it marks any, as gem5 keeps statistics of those only; older versions
// have no marks.
func endTransaction(list int, mark string) native[wordExpr] {
	return func(g *generator, x *types.Call) wordExpr {
		line, pos := g.word(x.Args[0]), x.At
		numbered := g.numbered(x, 2, 2, list)
		var marked []bool
		for _, e := range g.code.machine.Event.Enums {
			value, _ := e.Attrs.Get(mark)
			marked = append(marked, value == "yes")
		}
		unmarked := !slices.Contains(marked, true)
		return func(c *controller) uint64 {
			at, l := list+int(numbered(c)), memory.Addr(line(c))
			i := c.transaction(at, l)
			if i < 0 {
				c.failAt(pos, "end of a transaction that is not under way", "line %#x", int64(l))
			}
			if event := c.underway[at][i].event; !unmarked && (event >= len(marked) || !marked[event]) {
				c.failAt(pos, "end of a transaction whose event is not marked "+mark, "event %d, line %#x", event, int64(l))
			}
			c.underway[at] = slices.Delete(c.underway[at], i, i+1)
			return 0
		}
	}
}

// transaction is the index of a transaction, -1 if it is not under way.
func (c *controller) transaction(list int, line memory.Addr) int {
	return slices.IndexFunc(c.underway[list], func(u underway) bool { return u.line == line })
}

// downstream is the machine that a line is requested from: that of the next role
// of the same machine, or memory.
func downstream(g *generator, x *types.Call) wordExpr {
	line := g.word(x.Args[0])
	if len(g.code.roles) < 2 {
		g.unsupported(x.At, "%s in a machine that has nothing downstream", x.Func.Name)
	}
	if len(x.Args) > 1 {
		g.unsupported(x.At, "%s of a type of machine", x.Func.Name)
	}
	return func(c *controller) uint64 { return c.downstream(memory.Addr(line(c))) }
}

func (c *controller) downstream(line memory.Addr) uint64 {
	o, next, first := &c.system.options, c.role.below(), 0
	if next == nil {
		home := c.system.program.home().machine.Ordinal
		return machineID(home, interleaved(line, c.system.count(uint64(home))))
	}
	_, number := splitMachineID(c.id)
	for _, r := range c.code.roles {
		if r == next {
			break
		}
		if r == c.role {
			number -= first
		}
		first += o.number(r)
	}
	switch {
	case !next.private:
		number = interleaved(line, o.number(next))
	case next.second():
		number /= max(o.Sharing, 1)
	}
	return machineID(c.code.machine.Ordinal, first+number)
}

// interleaved is the one of n parts of memory that a line is in.
func interleaved(line memory.Addr, n int) int {
	return int(uint64(line) / types.BlockBytes % uint64(n))
}

// home is the machine with memory.
func (p *program) home() *machineCode {
	return p.codes[slices.IndexFunc(p.codes, func(code *machineCode) bool { return code.home })]
}
