package ruby

import (
	"maps"

	"ordeal/sim"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
)

// Natives are the implementations of the builtins in the table of package types, by their
// keys, or by receiver and name for all overloads: those whose result is one word or nothing, an
// object, and several words. They take what they work on from the places that a call names.
type (
	nativeWord struct {
		args int // of those in the protocol's text, the first so many
		run  func(c *controller, k *code.Call) uint64
	}
	nativeObject struct {
		args int
		run  func(c *controller, k *code.Call) *object
	}
	nativeVector struct {
		args int
		run  func(c *controller, k *code.Call, result []uint64)
	}
)

var (
	wordNatives   = map[string]nativeWord{}
	objectNatives = map[string]nativeObject{}
	vectorNatives = map[string]nativeVector{}
)

func init() {
	for _, list := range []map[string]nativeWord{
		coreNatives, cacheNatives, setNatives, functionNatives, portNatives, timerNatives, transactionNatives, persistentNatives, memoryNatives,
	} {
		maps.Copy(wordNatives, list)
	}
	maps.Copy(objectNatives, cacheObjects)
	maps.Copy(vectorNatives, setVectors)
	vectorNatives["list.next"] = nativeVector{0, nextTrigger}
}

// natives is the number of arguments that a native takes; false if there is none of a name.
func natives(name string) (args int, ok bool) {
	if n, ok := wordNatives[name]; ok {
		return n.args, true
	}
	if n, ok := objectNatives[name]; ok {
		return n.args, true
	}
	n, ok := vectorNatives[name]
	return n.args, ok
}

// nativeFuncs are the natives of calls, by index; of each call one is not nil.
type nativeFuncs struct {
	words   []boundWord
	objects []func(c *controller, k *code.Call) *object
	vectors []func(c *controller, k *code.Call, result []uint64)
}

// boundWord is a native whose result is a word, with what it works on.
type boundWord struct {
	run  func(c *controller, k *code.Call) uint64
	call *code.Call
}

func bind(calls []code.Call) (n nativeFuncs) {
	for i, k := range calls {
		n.words = append(n.words, boundWord{wordNatives[k.Name].run, &calls[i]})
		n.objects = append(n.objects, objectNatives[k.Name].run)
		n.vectors = append(n.vectors, vectorNatives[k.Name].run)
	}
	return n
}

// word is an argument of one word.
func (c *controller) word(k *code.Call, i int) uint64 { return c.words[k.Args[i].At] }

// line is an argument that is an address.
func (c *controller) line(k *code.Call, i int) memory.Addr { return memory.Addr(c.words[k.Args[i].At]) }

// vector is an argument of several words: those of the variable or field itself.
func (c *controller) vector(k *code.Call, i int) []uint64 {
	a := &k.Args[i]
	if a.Owner == code.NilPointer {
		return c.words[a.At : a.At+a.N]
	}
	return c.live(c.pointers[a.Owner], a.Pos).words[a.At : a.At+a.N]
}

// pointer is an argument that is an object.
func (c *controller) pointer(k *code.Call, i int) *object { return c.pointers[k.Args[i].At] }

// textOf is the text of an error.
func (c *controller) textOf(k *code.Call) string {
	s := ""
	for _, part := range k.Text {
		switch v := c.words[part.Place]; {
		case part.Enum == nil:
			s += part.Constant
		case v < uint64(len(part.Enum.Enums)):
			s += part.Enum.Enums[v].Name
		default:
			s += "unset"
		}
	}
	return s
}

// effect is a native without a result.
func effect(args int, run func(c *controller, k *code.Call)) nativeWord {
	return nativeWord{args, func(c *controller, k *code.Call) uint64 {
		run(c, k)
		return 0
	}}
}

// unary is a function of one word.
func unary(f func(c *controller, arg uint64) uint64) nativeWord {
	return nativeWord{1, func(c *controller, k *code.Call) uint64 { return f(c, c.word(k, 0)) }}
}

// binary is a function of two words.
func binary(f func(a, b uint64) uint64) nativeWord {
	return nativeWord{2, func(c *controller, k *code.Call) uint64 { return f(c.word(k, 0), c.word(k, 1)) }}
}

// lineMethod is a method of a part of the machine that takes an address.
func lineMethod(f func(c *controller, part int, line memory.Addr) uint64) nativeWord {
	return nativeWord{1, func(c *controller, k *code.Call) uint64 { return f(c, k.Part, c.line(k, 0)) }}
}

// portMethod is a method of an in_port. The times that such methods take are
// always now.
func portMethod(f func(c *controller, b *buffer) uint64) nativeWord {
	return nativeWord{0, func(c *controller, k *code.Call) uint64 { return f(c, c.in[k.Part]) }}
}

// portNatives are the methods of in_ports, and what they and the machine do with messages
// that wait.
var portNatives = map[string]nativeWord{
	"InPort.isReady":         portMethod(func(c *controller, b *buffer) uint64 { return truth(b.ready(c.now)) }),
	"InPort.isEmpty":         portMethod(func(_ *controller, b *buffer) uint64 { return truth(b.head == len(b.items)) }),
	"InPort.isStallMapEmpty": portMethod(func(_ *controller, b *buffer) uint64 { return truth(len(b.stalls) == 0) }),
	"InPort.getStallMapSize": portMethod(func(_ *controller, b *buffer) uint64 { return uint64(len(b.stalls)) }),
	"InPort.hasStalledMsg": {1, func(c *controller, k *code.Call) uint64 {
		return truth(c.in[k.Part].stalledFor(c.line(k, 0)) > 0)
	}},
	"InPort.recycle": effect(2, func(c *controller, k *code.Call) {
		b := c.in[k.Part]
		if !b.ready(c.now) {
			c.fail("recycle of an empty port", "buffer %s", b.name())
		}
		b.recycle(c.now + event.Tick(c.word(k, 1)))
	}),
	"wakeUpBuffers": effect(1, func(c *controller, k *code.Call) {
		c.wakeUpBuffers(c.line(k, 0), c.code.Ports[c.port].Rank)
	}),
	"wakeUpAllBuffers(Addr)": effect(1, func(c *controller, k *code.Call) { c.wakeUpBuffers(c.line(k, 0), c.code.Ranks) }),
	"wakeUpAllBuffers()":     effect(0, func(c *controller, _ *code.Call) { c.wakeUpAllBuffers() }),
	"dequeueMemRespQueue":    effect(0, func(c *controller, _ *code.Call) { c.dequeue(c.memory.answers) }),
}

// raise ends the run as a protocol's error does.
func raise(c *controller, k *code.Call) {
	c.failStatement(k.At, sim.Failure{Kind: sim.KindError, Text: c.textOf(k)}, "the protocol gave up")
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
