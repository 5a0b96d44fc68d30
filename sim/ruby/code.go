package ruby

import (
	"ordeal/sim/slicc/syntax"
)

// A machine is compiled to instructions over the words and pointers of its
// controllers. What a place holds is known to the generator: no instruction looks
// at types. What has no instruction is a native function, which takes its arguments from places, too.

// opcode says what an instruction does with its operands a, b, c and n.
type opcode uint8

const (
	opReturn         opcode = iota // to the caller
	opCall                         // routine a
	opJump                         // by c
	opCopy                         // word a = word b
	opCopyAll                      // n words from a = those from b
	opPoint                        // pointer a = pointer b
	opLoad                         // word a = word c of the object at pointer b
	opLoadAll                      // n words from a = those from c of the object at pointer b
	opStore                        // word c of the object at pointer a = word b
	opStoreAll                     // n words from c of the object at pointer a = those from b
	opMoveAll                      // n words of the object at pointer a from c's low half on = those of that at b from its high half on
	opJumpNil                      // by c if pointer a is nil
	opJumpPointer                  // by c unless pointer a is nil
	opJumpZero                     // by c if word a is 0
	opJumpOne                      // by c unless word a is 0
	opJumpTagged                   // by c if the line in word a is in cache n
	opJumpUntagged                 // by c unless the line in word a is in cache n
	opJumpEqual                    // by c if word a == word b
	opJumpOther                    // by c unless word a == word b
	opJumpFieldEqual               // by c if word n of the object at pointer a == word b
	opJumpFieldOther               // by c unless word n of the object at pointer a == word b
	opJumpLess                     // by c if word a < word b
	opJumpNotLess                  // by c unless word a < word b
	opSwitch                       // by table b for word a
	opSwitchField                  // by table b for word n of the object at pointer a
	opAdd                          // word a = word b + word c
	opSubtract                     // word a = word b - word c
	opWord                         // word a = result of call b
	opObject                       // pointer a = result of call b
	opVector                       // n words from a = result of call b
	opCached                       // pointer a = entry of the line in word c in cache b
	opTagged                       // word a = whether the line in word c is in cache b
	opDirectory                    // pointer a = entry of the line of the address in word c in directory b
	opTransaction                  // pointer a = transaction of the line in word c in table b
	opPermission                   // permission of the entry at pointer a = the value in word b
	opPermit                       // permission of the entry at pointer a = that of the state in word b by list c
	opAddMachine                   // machine of word b into the set that is from word n on in the object at pointer a
	opDequeue                      // takes the head out of port b
	opProbe                        // puts the head of port b off if its line in word c is locked
	opStall                        // sets the head of port b aside for the line in word c
	opWakePort                     // puts back what waits in port b for the line in word c
	opPeek                         // pointer a = head of port b, of layout c
	opPeekUnlocked                 // likewise, unless the line in its word n is locked
	opNew                          // pointer a = a new message of layout b that begins with list c
	opEnqueue                      // the message at pointer a into port b after word c ticks
	opTrigger                      // begins trigger a: the state is asked for
	opTransition                   // goes on with trigger a: the actions of the transition, or by c if it stalls
	opEnd                          // the transition is done

	opcodes // how many there are
)

// instruction is an operation and its operands. Jumps are relative to the
// instruction that follows.
type instruction struct {
	op      opcode
	n       uint16
	a, b, c uint32
}

// routine is the code of an action, a function or a port: until the machine is
// linked by itself, then from entry on in the code of the machine.
type routine struct {
	index int
	text  []instruction
	at    []syntax.Pos // of the instructions
	entry int
}

// trigger is the compiled form of a trigger: the places of its arguments.
type trigger struct {
	event, line          uint32
	tbe, entry           uint32
	onNoRoom, onHeldBack *funcCode // nil for none
}
