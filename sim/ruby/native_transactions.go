package ruby

import (
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/types"
)

// underway is a transaction that a controller has started, by its line or, for
// one without a line, by its number.
type underway struct {
	line  memory.Addr
	event int
}

var transactionNatives = map[string]nativeWord{
	"TBEStorage.size":                ofStorage(func(s *structure.Storage, _ int) (int, error) { return s.Size(), nil }),
	"TBEStorage.capacity":            ofStorage(func(s *structure.Storage, _ int) (int, error) { return s.Capacity(), nil }),
	"TBEStorage.reserved":            ofStorage(func(s *structure.Storage, _ int) (int, error) { return s.Reserved, nil }),
	"TBEStorage.slotsAvailable":      ofStorage(func(s *structure.Storage, _ int) (int, error) { return s.Available(), nil }),
	"TBEStorage.areNSlotsAvailable":  ofStorage(func(s *structure.Storage, n int) (int, error) { return int(truth(s.Available() >= n)), nil }),
	"TBEStorage.incrementReserved":   ofStorage(func(s *structure.Storage, _ int) (int, error) { s.Reserve(); return 0, nil }),
	"TBEStorage.decrementReserved":   ofStorage(func(s *structure.Storage, _ int) (int, error) { return 0, s.Release() }),
	"TBEStorage.addEntryToNewSlot":   ofStorage(func(s *structure.Storage, _ int) (int, error) { return s.Add() }),
	"TBEStorage.addEntryToSlot":      ofStorage(func(s *structure.Storage, slot int) (int, error) { return 0, s.Share(slot) }),
	"TBEStorage.removeEntryFromSlot": ofStorage(func(s *structure.Storage, slot int) (int, error) { return 0, s.Remove(slot) }),

	"TriggerQueue.front":       triggerAt(true, false),
	"TriggerQueue.back":        triggerAt(false, false),
	"TriggerQueue.frontNB":     triggerAt(true, true),
	"TriggerQueue.backNB":      triggerAt(false, true),
	"TriggerQueue.empty":       setMethod(func(s []uint64) uint64 { return truth(structure.Queue(s).Len() == 0) }),
	"TriggerQueue.push":        pushTrigger(true, false),
	"TriggerQueue.pushNB":      pushTrigger(false, false),
	"TriggerQueue.pushFront":   pushTrigger(true, true),
	"TriggerQueue.pushFrontNB": pushTrigger(false, true),
	"TriggerQueue.pop":         effect(0, func(c *controller, k *code.Call) { c.broken(structure.Queue(c.vector(k, 0)).Pop(), k.At) }),

	// Those of a TriggerQueue that is an object of the machine.
	"list.empty":   {0, func(c *controller, k *code.Call) uint64 { return truth(c.lists[k.Part].Empty()) }},
	"list.front":   {0, func(c *controller, k *code.Call) uint64 { return c.firstOf(k.Part, k.At)[0] }},
	"list.pop":     effect(0, func(c *controller, k *code.Call) { c.broken(c.lists[k.Part].Pop(), k.At) }),
	"list.push":    effect(1, pushList),
	"list.emplace": effect(1, pushList),

	"incomingTransactionStart": effect(0, func(c *controller, k *code.Call) { c.startTransaction(code.Incoming, k) }),
	"incomingTransactionEnd":   effect(0, func(c *controller, k *code.Call) { c.endTransaction(code.Incoming, "in_trans", k) }),
	"outgoingTransactionStart": effect(0, func(c *controller, k *code.Call) { c.startTransaction(code.Outgoing, k) }),
	"outgoingTransactionEnd":   effect(0, func(c *controller, k *code.Call) { c.endTransaction(code.Outgoing, "out_trans", k) }),
}

// ofStorage is a method of a TBEStorage that perhaps takes a number.
func ofStorage(f func(s *structure.Storage, n int) (int, error)) nativeWord {
	return nativeWord{1, func(c *controller, k *code.Call) uint64 {
		arg := 0
		if len(k.Args) > 0 {
			arg = int(c.word(k, 0))
		}
		n, err := f(c.storages[k.Part], arg)
		c.broken(err, k.At)
		return uint64(n)
	}}
}

func pushTrigger(blocks, front bool) nativeWord {
	return effect(1, func(c *controller, k *code.Call) {
		c.broken(structure.Queue(c.vector(k, 0)).Push(c.word(k, 1), blocks, front), k.At)
	})
}

// pushList adds a structure, whose fields the arguments are.
func pushList(c *controller, k *code.Call) {
	var few [8]uint64
	words := few[:0]
	for i := range k.Args {
		words = append(words, c.word(k, i))
	}
	c.lists[k.Part].Push(words)
}

// triggerAt is an element of a queue, or whether it does not block.
func triggerAt(front, free bool) nativeWord {
	return nativeWord{0, func(c *controller, k *code.Call) uint64 {
		value, nb, err := structure.Queue(c.vector(k, 0)).At(front)
		c.broken(err, k.At)
		if free {
			return truth(nb)
		}
		return value
	}}
}

// nextTrigger is the first structure in a queue.
func nextTrigger(c *controller, k *code.Call, result []uint64) { copy(result, c.firstOf(k.Part, k.At)) }

// startTransaction notes a transaction of the event under way or another one.
func (c *controller) startTransaction(list int, k *code.Call) {
	at, l := list+int(1-c.word(k, 2)), c.line(k, 0)
	if c.transaction(at, l) >= 0 {
		c.failAt(k.At, "start of a transaction that is under way", "line %#x", int64(l))
	}
	c.underway[at] = append(c.underway[at], underway{l, int(c.word(k, 1))})
}

// endTransaction ends a transaction. Its event must be one that the protocol marks.
func (c *controller) endTransaction(list int, mark string, k *code.Call) {
	at, l, marked := list+int(1-c.word(k, 1)), c.line(k, 0), c.vector(k, 2)
	i := c.transaction(at, l)
	if i < 0 {
		c.failAt(k.At, "end of a transaction that is not under way", "line %#x", int64(l))
	}
	if event := c.underway[at][i].event; event >= len(marked) || marked[event] == 0 {
		c.failAt(k.At, "end of a transaction whose event is not marked "+mark, "event %d, line %#x", event, int64(l))
	}
	c.underway[at] = slices.Delete(c.underway[at], i, i+1)
}

// transaction is the index of a transaction, -1 if it is not under way.
func (c *controller) transaction(list int, line memory.Addr) int {
	return slices.IndexFunc(c.underway[list], func(u underway) bool { return u.line == line })
}

// downstream is the machine that a line is requested from: that of the next role
// of the same machine, or memory.
func (c *controller) downstream(line memory.Addr) uint64 {
	o, next, first := &c.system.options, c.role.Below(), 0
	if next == nil {
		home := c.system.program.home()
		return code.MachineID(home.Decl.Ordinal, c.system.home(home.Index, line))
	}
	_, number := code.SplitMachineID(c.id)
	for _, r := range c.code.Roles {
		if r == next {
			break
		}
		if r == c.role {
			number -= first
		}
		first += o.number(r)
	}
	switch {
	case !next.Private:
		number = interleaved(line, o.number(next))
	case next.Second():
		number /= max(o.Sharing, 1)
	}
	return code.MachineID(c.code.Decl.Ordinal, first+number)
}

// interleaved is the one of n parts of memory that a line is in.
func interleaved(line memory.Addr, n int) int {
	return int(uint64(line) / types.BlockBytes % uint64(n))
}

// home is the machine with memory.
func (p *program) home() *code.Machine {
	return p.Codes[slices.IndexFunc(p.Codes, func(mc *code.Machine) bool { return mc.Home })]
}
