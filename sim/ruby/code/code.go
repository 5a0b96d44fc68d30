package code

import (
	"ordeal/sim/slicc/syntax"
)

// The first words and pointers of a controller are those of the transition
// under way, one for arguments that a function does not take, the time, and nil.
const (
	AddressWord = iota
	StateWord   // of the line, by getState
	NextWord    // the state that the transition leads to
	scratchWord
	ClockWord // the current tick
	firstWord
)
const (
	TBEPointer   = iota // the TBE of the line
	EntryPointer        // the cache entry of the line
	scratchPointer
	NilPointer // never set
	firstPointer
)

// A machine is compiled to instructions over the words and pointers of its
// controllers. What a place holds is known to the generator: no instruction looks
// at types. What has no instruction is a native function, which takes its arguments from places, too.

// opcode says what an instruction does with its operands a, b, c and n.
type opcode uint8

const (
	OpReturn       opcode = iota // to the caller
	OpCall                       // routine a
	OpJump                       // by c
	OpCopy                       // word a = word b
	OpCopyAll                    // n words from a = those from b
	OpPoint                      // pointer a = pointer b
	OpLoad                       // word a = word c of the object at pointer b
	OpLoadAll                    // n words from a = those from c of the object at pointer b
	OpStore                      // word c of the object at pointer a = word b
	OpStoreAll                   // n words from c of the object at pointer a = those from b
	OpJumpNil                    // by c if pointer a is nil
	OpJumpPointer                // by c unless pointer a is nil
	OpJumpZero                   // by c if word a is 0
	OpJumpOne                    // by c unless word a is 0
	OpJumpEqual                  // by c if word a == word b
	OpJumpOther                  // by c unless word a == word b
	OpJumpLess                   // by c if word a < word b
	OpJumpNotLess                // by c unless word a < word b
	OpAdd                        // word a = word b + word c
	OpSubtract                   // word a = word b - word c
	OpWord                       // word a = result of call b
	OpObject                     // pointer a = result of call b
	OpVector                     // n words from a = result of call b
	OpCached                     // pointer a = entry of the line in word c in cache b
	OpTagged                     // word a = whether the line in word c is in cache b
	OpDirectory                  // pointer a = entry of the line of the address in word c in directory b
	OpTransaction                // pointer a = transaction of the line in word c in table b
	OpPermission                 // permission of the entry at pointer a = the value in word b
	OpDequeue                    // takes the head out of port b
	OpProbe                      // puts the head of port b off if its line in word c is locked
	OpStall                      // sets the head of port b aside for the line in word c
	OpWakePort                   // puts back what waits in port b for the line in word c
	OpPeek                       // pointer a = head of port b, of layout c
	OpPeekUnlocked               // likewise, unless the line in its word n is locked
	OpNew                        // pointer a = a new message of layout b that begins with list c
	OpEnqueue                    // the message at pointer a into port b after word c ticks
	OpTrigger                    // begins trigger a: the state is asked for
	OpTransition                 // goes on with trigger a: the actions of the transition, or by c if it stalls
	OpEnd                        // the transition is done

	opcodes // how many there are
)

// Instruction is an operation and its operands. Jumps are relative to the
// instruction that follows.
type Instruction struct {
	Op      opcode
	N       uint16
	A, B, C uint32
}

// routine is the code of an action, a function or a port: until the machine is
// linked by itself, then from entry on in the code of the machine.
type routine struct {
	index int
	text  []Instruction
	at    []syntax.Pos // of the instructions
	Entry int
}

// Trigger is the compiled form of a trigger: the places of its arguments.
type Trigger struct {
	Event, Line                      uint32
	TBE, Entry                       uint32
	OnResourceStall, OnProtocolStall *Function // nil for none
}
