package ruby

import (
	"unsafe"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/syntax"
)

// exec executes instructions from one on, up to the return that belongs to no call
// of theirs, or to what ends the body of a port. The operands are in range: link has
// checked them, once for all that is executed.
func (c *controller) exec(entry int) flow {
	code, base := c.code, c.depth
	words, pointers := unsafe.Pointer(unsafe.SliceData(c.words)), unsafe.Pointer(unsafe.SliceData(c.pointers))
	at := unsafe.Pointer(&code.text[entry])
	for {
		in := (*instruction)(at)
		at = unsafe.Add(at, unsafe.Sizeof(instruction{}))
		switch in.op {
		case opReturn:
			if c.depth == base {
				return next
			}
			c.depth--
			at = unsafe.Pointer(&code.text[c.returns[c.depth]])
		case opCall:
			at = c.enter(at, int(in.a))
		case opJump:
			at = jump(at, in)
		case opCopy:
			*word64(words, in.a) = *word64(words, in.b)
		case opPoint:
			*pointer64(pointers, in.a) = *pointer64(pointers, in.b)
		case opLoad:
			if !load(words, pointers, in) {
				c.stale(*pointer64(pointers, in.b), at)
			}
		case opStore:
			if !store(words, pointers, in) {
				c.stale(*pointer64(pointers, in.a), at)
			}
		case opJumpNil:
			if *pointer64(pointers, in.a) == nil {
				at = jump(at, in)
			}
		case opJumpPointer:
			if *pointer64(pointers, in.a) != nil {
				at = jump(at, in)
			}
		case opJumpZero:
			if *word64(words, in.a) == 0 {
				at = jump(at, in)
			}
		case opJumpOne:
			if *word64(words, in.a) != 0 {
				at = jump(at, in)
			}
		case opJumpTagged:
			if c.tagged(in) {
				at = jump(at, in)
			}
		case opJumpUntagged:
			if !c.tagged(in) {
				at = jump(at, in)
			}
		case opJumpEqual:
			if *word64(words, in.a) == *word64(words, in.b) {
				at = jump(at, in)
			}
		case opJumpOther:
			if *word64(words, in.a) != *word64(words, in.b) {
				at = jump(at, in)
			}
		case opJumpFieldEqual:
			o := *pointer64(pointers, in.a)
			if o == nil || o.dead {
				c.stale(o, at)
			}
			if o.words[in.n] == *word64(words, in.b) {
				at = jump(at, in)
			}
		case opJumpFieldOther:
			o := *pointer64(pointers, in.a)
			if o == nil || o.dead {
				c.stale(o, at)
			}
			if o.words[in.n] != *word64(words, in.b) {
				at = jump(at, in)
			}
		case opJumpLess:
			if int64(*word64(words, in.a)) < int64(*word64(words, in.b)) {
				at = jump(at, in)
			}
		case opJumpNotLess:
			if int64(*word64(words, in.a)) >= int64(*word64(words, in.b)) {
				at = jump(at, in)
			}
		case opSwitchField:
			o := *pointer64(pointers, in.a)
			if o == nil || o.dead {
				c.stale(o, at)
			}
			at = choose(code.jumps[in.b], o.words[in.n], at)
		case opSwitch:
			at = choose(code.jumps[in.b], *word64(words, in.a), at)
		case opAdd:
			*word64(words, in.a) = *word64(words, in.b) + *word64(words, in.c)
		case opSubtract:
			*word64(words, in.a) = *word64(words, in.b) - *word64(words, in.c)
		case opWord:
			*word64(words, in.a) = code.natives.words[in.b](c, &code.calls[in.b])
		case opObject:
			*pointer64(pointers, in.a) = code.natives.objects[in.b](c, &code.calls[in.b])
		case opCached:
			*pointer64(pointers, in.a) = c.caches[in.b].Lookup(memory.Addr(*word64(words, in.c)))
		case opTagged:
			*word64(words, in.a) = truth(c.caches[in.b].Lookup(memory.Addr(*word64(words, in.c))) != nil)
		case opDirectory: // gem5 DirectoryMemory.cc: any address of the line
			*pointer64(pointers, in.a) = c.directory[in.b].lookup(memory.Addr(*word64(words, in.c)).Line())
		case opTransaction:
			*pointer64(pointers, in.a) = c.tables[in.b].lookup(memory.Addr(*word64(words, in.c)))
		case opPermission:
			o := *pointer64(pointers, in.a)
			if o == nil || o.dead {
				c.stale(o, at)
			}
			o.header.Permission = c.system.program.permissions[*word64(words, in.b)]
		case opPermit:
			c.permit(in, at)
		case opAddMachine:
			o := *pointer64(pointers, in.a)
			word, number, ok := c.placeOf(*word64(words, in.b))
			if !ok {
				c.absent(*word64(words, in.b), c.pos(at))
			}
			if o == nil || o.dead {
				c.stale(o, at)
			}
			o.words[int(in.n)+word] |= 1 << number
		case opPeek:
			*pointer64(pointers, in.a) = c.head(int(in.b), int(in.c))
		case opPeekUnlocked:
			m := c.head(int(in.b), int(in.c))
			if len(c.locked) > 0 && c.headLocked(int(in.b), memory.Addr(m.words[in.n])) {
				c.delayHead(int(in.b))
				return again
			}
			*pointer64(pointers, in.a) = m
		case opEnqueue:
			c.enqueue(*pointer64(pointers, in.a), int(in.b), event.Tick(*word64(words, in.c)), at)
		case opDequeue:
			c.dequeue(c.in[in.b])
		case opNew:
			*pointer64(pointers, in.a) = c.system.pools[in.b].begin(code.messages[in.c])
		case opTrigger:
			c.trigger(&code.triggers[in.a], at)
		case opTransition:
			if actions := c.transition(); actions >= 0 {
				at = c.enter(at, actions)
			} else if c.handled(&code.triggers[in.a]) {
				return restart
			} else {
				at = jump(at, in)
			}
		case opEnd:
			c.event = -1
			return restart
		case opProbe:
			if len(c.locked) > 0 && c.in[in.b] == c.mandatory && c.isLocked(memory.Addr(*word64(words, in.c))) {
				c.delayHead(int(in.b))
				return again
			}
		case opStall:
			c.stallPort(int(in.b), memory.Addr(*word64(words, in.c)))
		case opWakePort:
			c.wakeUpBuffer(c.in[in.b], memory.Addr(*word64(words, in.c)))
		default:
			c.execMany(in, at)
		}
	}
}

func jump(at unsafe.Pointer, in *instruction) unsafe.Pointer {
	return unsafe.Add(at, int(int32(in.c))*int(unsafe.Sizeof(instruction{})))
}

// load is opLoad; false if the pointer is invalid.
func load(words, pointers unsafe.Pointer, in *instruction) bool {
	o := *pointer64(pointers, in.b)
	if o == nil || o.dead {
		return false
	}
	*word64(words, in.a) = o.words[in.c]
	return true
}

// store is opStore; false if the pointer is invalid.
func store(words, pointers unsafe.Pointer, in *instruction) bool {
	o := *pointer64(pointers, in.a)
	if o == nil || o.dead {
		return false
	}
	o.words[in.c] = *word64(words, in.b)
	return true
}

func word64(words unsafe.Pointer, i uint32) *uint64 {
	return (*uint64)(unsafe.Add(words, uintptr(i)*8))
}

func pointer64(pointers unsafe.Pointer, i uint32) **object {
	return (**object)(unsafe.Add(pointers, uintptr(i)*unsafe.Sizeof(uintptr(0))))
}

// pc is the index of an instruction.
func (c *controller) pc(at unsafe.Pointer) int {
	return int((uintptr(at) - uintptr(unsafe.Pointer(unsafe.SliceData(c.code.text)))) / unsafe.Sizeof(instruction{}))
}

// pos is the place in the protocol of the instruction before one.
func (c *controller) pos(at unsafe.Pointer) syntax.Pos { return c.code.at[c.pc(at)-1] }

// enter begins a routine, which returns to an instruction, and gives its first one.
func (c *controller) enter(at unsafe.Pointer, entry int) unsafe.Pointer {
	c.returns[c.depth] = int32(c.pc(at))
	c.depth++
	return unsafe.Pointer(&c.code.text[entry])
}

// stale is the fault of the instruction before at, which uses an invalid pointer.
func (c *controller) stale(o *object, at unsafe.Pointer) { c.badPointer(o, c.pos(at)) }

// choose jumps by what a table has for a value.
func choose(table []int32, v uint64, at unsafe.Pointer) unsafe.Pointer {
	return unsafe.Add(at, int(table[min(v, uint64(len(table)-1))])*int(unsafe.Sizeof(instruction{})))
}
