package ruby

import (
	"fmt"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// inlined is the number of instructions up to which a routine is copied to where it
// is called.
const inlined = 100

// callRoutine emits the call of a routine, which is compiled.
func (g *generator) callRoutine(r *routine) {
	if len(r.text) > inlined {
		g.emit(r.at[0], instruction{op: opCall, a: uint32(r.index)})
		return
	}
	last := len(r.text) - 1 // a return, which is left out
	for i, in := range r.text[:last] {
		if in.op == opReturn {
			in = instruction{op: opJump, c: uint32(last - i - 1)}
		}
		g.emit(r.at[i], in)
	}
}

// link puts the routines of a machine together, and checks all operands: exec does not.
func (g *generator) link() {
	code := g.code
	for _, r := range g.routines {
		r.entry = len(code.text)
		code.text = append(code.text, r.text...)
		code.at = append(code.at, r.at...)
		r.text, r.at = nil, nil
	}
	for i := range code.text {
		in := &code.text[i]
		if in.op == opCall {
			in.a = uint32(g.routines[in.a].entry)
		}
		if err := code.checkInstruction(i, in); err != nil {
			panic(fmt.Sprintf("machine %s, %s: instruction %d %+v: %v", code.machine.Name, code.at[i], i, *in, err))
		}
	}
	for i := range code.ports {
		code.ports[i].start = code.ports[i].entry
	}
	code.ways = make([]way, len(code.rows))
	for i := range code.rows {
		code.ways[i] = code.rows[i].way()
	}
	code.natives = bind(code.calls)
	// The instruction after the last one is one, too, for pointers to what follows.
	code.text = append(code.text, instruction{op: opReturn})
	code.at = append(code.at, syntax.Pos{})
	// No routine calls itself, so that calls nest less deeply than there are routines.
	code.depth = len(g.routines) + 1
}

func (r *row) way() way {
	t := r.transition
	switch {
	case t == nil:
		return way{}
	case t.Stall:
		return way{kind: conditional}
	case len(r.demands)+len(r.asks) > 0 || t.Next == types.Wildcard:
		return way{kind: conditional, actions: int32(r.actions.entry)}
	}
	return way{kind: straight, actions: int32(r.actions.entry), next: uint16(t.NextState)}
}

// operand says what an operand of an instruction is.
type operand uint8

const (
	unused operand = iota
	wordPlace
	wordPlaces // as many as n
	pointerPlace
	jumpBy
	entryPoint
)

// operands are those of each opcode as far as exec relies on them: a, b and c.
var operands = [opcodes][3]operand{
	opCall:           {entryPoint},
	opJump:           {2: jumpBy},
	opCopy:           {wordPlace, wordPlace},
	opCopyAll:        {wordPlaces, wordPlaces},
	opPoint:          {pointerPlace, pointerPlace},
	opLoad:           {wordPlace, pointerPlace},
	opLoadAll:        {wordPlaces, pointerPlace},
	opStore:          {pointerPlace, wordPlace},
	opStoreAll:       {pointerPlace, wordPlaces},
	opJumpNil:        {pointerPlace, unused, jumpBy},
	opJumpPointer:    {pointerPlace, unused, jumpBy},
	opJumpZero:       {wordPlace, unused, jumpBy},
	opJumpOne:        {wordPlace, unused, jumpBy},
	opJumpTagged:     {wordPlace, unused, jumpBy},
	opJumpUntagged:   {wordPlace, unused, jumpBy},
	opJumpEqual:      {wordPlace, wordPlace, jumpBy},
	opJumpOther:      {wordPlace, wordPlace, jumpBy},
	opJumpFieldEqual: {pointerPlace, wordPlace, jumpBy},
	opJumpFieldOther: {pointerPlace, wordPlace, jumpBy},
	opJumpLess:       {wordPlace, wordPlace, jumpBy},
	opJumpNotLess:    {wordPlace, wordPlace, jumpBy},
	opSwitch:         {wordPlace},
	opSwitchField:    {pointerPlace},
	opAdd:            {wordPlace, wordPlace, wordPlace},
	opSubtract:       {wordPlace, wordPlace, wordPlace},
	opWord:           {wordPlace},
	opObject:         {pointerPlace},
	opVector:         {wordPlaces},
	opPeek:           {pointerPlace},
	opPeekUnlocked:   {pointerPlace},
	opNew:            {pointerPlace},
	opEnqueue:        {pointerPlace, unused, wordPlace},
	opProbe:          {unused, unused, wordPlace},
	opStall:          {unused, unused, wordPlace},
	opWakePort:       {unused, unused, wordPlace},
	opTransition:     {2: jumpBy},
	opMoveAll:        {pointerPlace, pointerPlace},
	opCached:         {pointerPlace, unused, wordPlace},
	opTagged:         {wordPlace, unused, wordPlace},
	opDirectory:      {pointerPlace, unused, wordPlace},
	opTransaction:    {pointerPlace, unused, wordPlace},
	opPermission:     {pointerPlace, wordPlace},
	opPermit:         {pointerPlace, wordPlace},
	opAddMachine:     {pointerPlace, wordPlace},
	opEnd:            {},
}

// checkInstruction reports operands that are out of range.
func (code *machineCode) checkInstruction(at int, in *instruction) error {
	for k, v := range [...]uint32{in.a, in.b, in.c} {
		low, high, limit := int(v), int(v), len(code.words)
		switch operands[in.op][k] {
		case unused:
			continue
		case wordPlaces:
			high += int(in.n) - 1
		case pointerPlace:
			limit = code.pointers
		case jumpBy: // to an instruction of the same routine, which ends in a return
			low = at + 1 + int(int32(v))
			high, limit = low, len(code.text)
		case entryPoint:
			limit = len(code.text)
		}
		if low < 0 || high >= limit {
			return fmt.Errorf("operand %d is %d to %d, limit %d", k, low, high, limit)
		}
	}
	if in.op == opSwitch || in.op == opSwitchField {
		for _, by := range code.jumps[in.b] {
			if to := at + 1 + int(by); to < 0 || to >= len(code.text) {
				return fmt.Errorf("jump to %d, limit %d", to, len(code.text))
			}
		}
	}
	return nil
}
