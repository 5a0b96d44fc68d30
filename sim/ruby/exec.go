package ruby

import (
	"unsafe"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/syntax"
)

// exec executes instructions from one on, up to the return that belongs to no call
// of theirs, or to what ends the body of a port. The operands are in range: link has
// checked them, once for all that is executed.
func (c *controller) exec(entry int) flow {
	mc, base := c.code, c.depth
	if base == 0 {
		c.spent = 0
	}
	words, pointers := unsafe.Pointer(unsafe.SliceData(c.words)), unsafe.Pointer(unsafe.SliceData(c.pointers))
	at := unsafe.Pointer(&mc.Text[entry])
	natives := c.natives.words
	for {
		in := (*code.Instruction)(at)
		at = unsafe.Add(at, unsafe.Sizeof(code.Instruction{}))
		switch in.Op {
		case code.OpReturn:
			if c.depth == base {
				return next
			}
			c.depth--
			at = unsafe.Pointer(&mc.Text[c.returns[c.depth]])
		case code.OpCall:
			at = c.enter(at, int(in.A))
		case code.OpJump:
			at = jump(at, in)
		case code.OpCopy:
			*word64(words, in.A) = *word64(words, in.B)
		case code.OpPoint:
			*pointer64(pointers, in.A) = *pointer64(pointers, in.B)
		case code.OpLoad:
			if !load(words, pointers, in) {
				c.stale(*pointer64(pointers, in.B), at)
			}
		case code.OpStore:
			if !store(words, pointers, in) {
				c.stale(*pointer64(pointers, in.A), at)
			}
		case code.OpJumpNil:
			if *pointer64(pointers, in.A) == nil {
				at = jump(at, in)
			}
		case code.OpJumpPointer:
			if *pointer64(pointers, in.A) != nil {
				at = jump(at, in)
			}
		case code.OpJumpZero:
			if *word64(words, in.A) == 0 {
				at = jump(at, in)
			}
		case code.OpJumpOne:
			if *word64(words, in.A) != 0 {
				at = jump(at, in)
			}
		case code.OpJumpEqual:
			if *word64(words, in.A) == *word64(words, in.B) {
				at = jump(at, in)
			}
		case code.OpJumpOther:
			if *word64(words, in.A) != *word64(words, in.B) {
				at = jump(at, in)
			}
		case code.OpJumpLess:
			if int64(*word64(words, in.A)) < int64(*word64(words, in.B)) {
				at = jump(at, in)
			}
		case code.OpJumpNotLess:
			if int64(*word64(words, in.A)) >= int64(*word64(words, in.B)) {
				at = jump(at, in)
			}
		case code.OpAdd:
			*word64(words, in.A) = *word64(words, in.B) + *word64(words, in.C)
		case code.OpSubtract:
			*word64(words, in.A) = *word64(words, in.B) - *word64(words, in.C)
		case code.OpWord:
			native := &natives[in.B]
			*word64(words, in.A) = native.run(c, native.call)
		case code.OpObject:
			*pointer64(pointers, in.A) = c.natives.objects[in.B](c, &mc.Calls[in.B])
		case code.OpCached:
			*pointer64(pointers, in.A) = c.caches[in.B].Lookup(memory.Addr(*word64(words, in.C)))
		case code.OpTagged:
			*word64(words, in.A) = truth(c.caches[in.B].Lookup(memory.Addr(*word64(words, in.C))) != nil)
		case code.OpDirectory: // gem5 DirectoryMemory.cc: any address of the line
			*pointer64(pointers, in.A) = c.directory[in.B].lookup(memory.Addr(*word64(words, in.C)).Line())
		case code.OpTransaction:
			*pointer64(pointers, in.A) = c.tables[in.B].lookup(memory.Addr(*word64(words, in.C)))
		case code.OpPermission:
			o := *pointer64(pointers, in.A)
			if o == nil || o.dead {
				c.stale(o, at)
			}
			o.header.Permit(c.system.program.Permissions[*word64(words, in.B)])
		case code.OpPeek:
			*pointer64(pointers, in.A) = c.head(int(in.B), int(in.C))
		case code.OpPeekUnlocked:
			m := c.head(int(in.B), int(in.C))
			if len(c.locked) > 0 && c.headLocked(int(in.B), memory.Addr(m.words[in.N])) {
				c.delayHead(int(in.B))
				return again
			}
			*pointer64(pointers, in.A) = m
		case code.OpEnqueue:
			c.enqueue(*pointer64(pointers, in.A), int(in.B), event.Tick(*word64(words, in.C)), at)
		case code.OpDequeue:
			c.dequeue(c.in[in.B])
		case code.OpNew:
			*pointer64(pointers, in.A) = c.system.pools[in.B].get()
		case code.OpTrigger:
			c.trigger(&mc.Triggers[in.A], at)
		case code.OpTransition:
			if actions := c.transition(); actions >= 0 {
				at = c.enter(at, actions)
			} else if c.handled(&mc.Triggers[in.A]) {
				return restart
			} else {
				at = jump(at, in)
			}
		case code.OpEnd:
			c.event = -1
			return restart
		case code.OpProbe:
			if len(c.locked) > 0 && c.in[in.B] == c.mandatory && c.isLocked(memory.Addr(*word64(words, in.C))) {
				c.delayHead(int(in.B))
				return again
			}
		case code.OpStall:
			c.stallPort(int(in.B), memory.Addr(*word64(words, in.C)))
		case code.OpWakePort:
			c.wakeUpBuffer(c.in[in.B], memory.Addr(*word64(words, in.C)))
		default:
			c.execMany(in, at)
		}
	}
}

func jump(at unsafe.Pointer, in *code.Instruction) unsafe.Pointer {
	return unsafe.Add(at, int(int32(in.C))*int(unsafe.Sizeof(code.Instruction{})))
}

// load is opLoad; false if the pointer is invalid.
func load(words, pointers unsafe.Pointer, in *code.Instruction) bool {
	o := *pointer64(pointers, in.B)
	if o == nil || o.dead {
		return false
	}
	*word64(words, in.A) = o.words[in.C]
	return true
}

// store is opStore; false if the pointer is invalid.
func store(words, pointers unsafe.Pointer, in *code.Instruction) bool {
	o := *pointer64(pointers, in.A)
	if o == nil || o.dead {
		return false
	}
	o.words[in.C] = *word64(words, in.B)
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
	return int((uintptr(at) - uintptr(unsafe.Pointer(unsafe.SliceData(c.code.Text)))) / unsafe.Sizeof(code.Instruction{}))
}

// pos is the place in the protocol of the instruction before one.
func (c *controller) pos(at unsafe.Pointer) syntax.Pos { return c.code.At[c.pc(at)-1] }

// enter begins a routine, which returns to an instruction, and gives its first one.
func (c *controller) enter(at unsafe.Pointer, entry int) unsafe.Pointer {
	c.returns[c.depth] = int32(c.pc(at))
	c.depth++
	if c.spent += int(c.code.Lengths[entry]); c.spent > budget {
		c.overspent(at)
	}
	return unsafe.Pointer(&c.code.Text[entry])
}

// stale is the fault of the instruction before at, which uses an invalid pointer.
func (c *controller) stale(o *object, at unsafe.Pointer) { c.badPointer(o, c.pos(at)) }
