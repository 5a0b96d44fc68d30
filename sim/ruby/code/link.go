package code

import (
	"fmt"
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// inlined is the number of instructions up to which a routine is copied to where it
// is called.
const inlined = 100

// callRoutine emits the call of a routine, which is compiled.
func (g *generator) callRoutine(r *routine) {
	if len(r.text) > inlined {
		g.emit(r.at[0], Instruction{Op: OpCall, A: uint32(r.index)})
		return
	}
	last := len(r.text) - 1 // a return, which is left out
	for i, in := range r.text[:last] {
		if in.Op == OpReturn {
			in = Instruction{Op: OpJump, C: uint32(last - i - 1)}
		}
		g.emit(r.at[i], in)
	}
}

// link puts the routines of a machine together, and checks all operands: exec does not.
func (g *generator) link() {
	code := g.code
	for _, r := range g.routines {
		r.Entry = len(code.Text)
		code.Lengths = append(code.Lengths, make([]int32, len(r.text))...)
		code.Lengths[r.Entry] = int32(len(r.text))
		code.Text = append(code.Text, r.text...)
		code.At = append(code.At, r.at...)
		r.text, r.at = nil, nil
	}
	for i := range code.Text {
		in := &code.Text[i]
		if in.Op == OpCall {
			in.A = uint32(g.routines[in.A].Entry)
		}
		if err := code.checkInstruction(i, in); err != nil {
			panic(fmt.Sprintf("machine %s, %s: instruction %d %+v: %v", code.Decl.Name, code.At[i], i, *in, err))
		}
	}
	for i := range code.Ports {
		code.Ports[i].Start = code.Ports[i].Entry
	}
	for i := range code.Rows {
		code.Rows[i].link(g, g.actions[i])
	}
	// The instruction after the last one is one, too, for pointers to what follows.
	code.Text = append(code.Text, Instruction{Op: OpReturn})
	code.At = append(code.At, syntax.Pos{})
	// No routine calls itself, so that calls nest less deeply than there are routines.
	code.Depth = len(g.routines) + 1
}

// link says what exec needs of a row whose actions are a routine, nil if it stalls.
func (r *TransitionRow) link(g *generator, actions *routine) {
	t := r.Transition
	if t == nil {
		return
	}
	r.Kind = Unconditional
	if actions != nil {
		r.Actions = int32(actions.Entry)
	}
	if t.Stall || t.Next == types.Wildcard || len(r.Demands)+len(r.Checks) > 0 {
		r.Kind = conditional
		return
	}
	r.Next = uint16(t.NextState)
	stays := func(does func([]types.Stmt) bool) bool {
		return t.NextState == t.State && !slices.ContainsFunc(t.Actions, func(a *types.Action) bool { return !does(a.Body) })
	}
	r.Idle, r.Waits = stays(g.idle), stays(g.waits)
}

// operandKind says what an operand of an instruction is.
type operandKind uint8

const (
	unused operandKind = iota
	wordPlace
	wordPlaces // as many as n
	pointerPlace
	jumpBy
	entryPoint
)

// operands are those of each opcode as far as exec relies on them: a, b and c.
var operands = [opcodes][3]operandKind{
	OpCall:         {entryPoint},
	OpJump:         {2: jumpBy},
	OpCopy:         {wordPlace, wordPlace},
	OpCopyAll:      {wordPlaces, wordPlaces},
	OpPoint:        {pointerPlace, pointerPlace},
	OpLoad:         {wordPlace, pointerPlace},
	OpLoadAll:      {wordPlaces, pointerPlace},
	OpStore:        {pointerPlace, wordPlace},
	OpStoreAll:     {pointerPlace, wordPlaces},
	OpJumpNil:      {pointerPlace, unused, jumpBy},
	OpJumpPointer:  {pointerPlace, unused, jumpBy},
	OpJumpZero:     {wordPlace, unused, jumpBy},
	OpJumpOne:      {wordPlace, unused, jumpBy},
	OpJumpEqual:    {wordPlace, wordPlace, jumpBy},
	OpJumpOther:    {wordPlace, wordPlace, jumpBy},
	OpJumpLess:     {wordPlace, wordPlace, jumpBy},
	OpJumpNotLess:  {wordPlace, wordPlace, jumpBy},
	OpAdd:          {wordPlace, wordPlace, wordPlace},
	OpSubtract:     {wordPlace, wordPlace, wordPlace},
	OpWord:         {wordPlace},
	OpObject:       {pointerPlace},
	OpVector:       {wordPlaces},
	OpPeek:         {pointerPlace},
	OpPeekUnlocked: {pointerPlace},
	OpNew:          {pointerPlace},
	OpEnqueue:      {pointerPlace, unused, wordPlace},
	OpProbe:        {unused, unused, wordPlace},
	OpStall:        {unused, unused, wordPlace},
	OpWakePort:     {unused, unused, wordPlace},
	OpTransition:   {2: jumpBy},
	OpCached:       {pointerPlace, unused, wordPlace},
	OpTagged:       {wordPlace, unused, wordPlace},
	OpDirectory:    {pointerPlace, unused, wordPlace},
	OpTransaction:  {pointerPlace, unused, wordPlace},
	OpPermission:   {pointerPlace, wordPlace},
	OpEnd:          {},
}

// checkInstruction reports operands that are out of range.
func (code *Machine) checkInstruction(at int, in *Instruction) error {
	for k, v := range [...]uint32{in.A, in.B, in.C} {
		low, high, limit := int(v), int(v), len(code.Words)
		switch operands[in.Op][k] {
		case unused:
			continue
		case wordPlaces:
			high += int(in.N) - 1
		case pointerPlace:
			limit = code.Pointers
		case jumpBy: // to an instruction of the same routine, which ends in a return
			low = at + 1 + int(int32(v))
			high, limit = low, len(code.Text)
		case entryPoint:
			limit = len(code.Text)
		}
		if low < 0 || high >= limit {
			return fmt.Errorf("operand %d is %d to %d, limit %d", k, low, high, limit)
		}
	}
	return nil
}
