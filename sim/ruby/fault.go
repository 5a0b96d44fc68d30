package ruby

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"ordeal/sim"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// A fault of the protocol ends the wake-up in which it happens: it is thrown
// as a *memory.Fault, which ends the run of the event queue. Calls of a controller from
// outside of its wake-ups catch it.

// fail ends the wake-up with a fault of a kind that names nothing of the protocol. The
// kind has no addresses or numbers that vary.
func (c *controller) fail(kind, format string, args ...any) {
	c.failWhole(sim.Failure{Kind: kind}, format, args...)
}

// failWhole ends the wake-up with a failure.
func (c *controller) failWhole(f sim.Failure, format string, args ...any) {
	f.At.Controller, f.At.Tick = c.name(), int64(c.now)
	detail := fmt.Sprintf("%s at tick %d: ", c.name(), c.now) + fmt.Sprintf(format, args...)
	if c.event >= 0 {
		f.At.Row, f.At.Address = c.row(), int64(c.words[code.AddressWord])
		detail += fmt.Sprintf("\nin transition (%s, %s) on line %#x", f.At.Row.State, f.At.Row.Event, f.At.Address)
		detail += c.system.history(memory.Addr(f.At.Address))
	}
	panic(&memory.Fault{Failure: f, Detail: detail})
}

// failAt is fail of a statement of the protocol.
func (c *controller) failAt(pos syntax.Pos, kind, format string, args ...any) {
	c.failStatement(pos, sim.Failure{Kind: kind}, format, args...)
}

// failStatement is failWhole with the statement at a position.
func (c *controller) failStatement(pos syntax.Pos, f sim.Failure, format string, args ...any) {
	c.system.program.Protocol.Locate(&f, c.code.Decl.Name, pos)
	c.failWhole(f, format, args...)
}

// failWith ends the wake-up with a fault of a part of the machine.
func (c *controller) failWith(err error, pos syntax.Pos) {
	fault, ok := errors.AsType[*memory.Fault](err)
	if !ok {
		panic(err)
	}
	c.failAt(pos, fault.Kind, "%s", fault.Detail)
}

// budget is the most instructions of a transition, of a port up to one, and of what a controller is asked
// from outside; messageCost is what sending a message counts. A routine counts as long as it is, since no jump goes
// back: only calls, and calls of calls, make a transition long. The transitions of gem5's protocols, CHI
// included, spend less than a hundredth of it.
const (
	budget      = 1 << 22
	messageCost = 1 << 12
)

// overspent is the fault of a transition whose budget is used up, in the instruction before at. It names the
// action, or the statement where none is under way.
func (c *controller) overspent(at unsafe.Pointer) {
	c.spent = 0 // for what looks at the state after the fault
	const text = "more than %d instructions, of which a message counts %d"
	if c.depth < 2 || c.code.Text[c.returns[0]-1].Op != code.OpTransition {
		c.failAt(c.pos(at), overBudget, text, budget, messageCost)
	}
	list := c.code.Rows[c.state*c.code.Events+c.event].Transition.Actions
	action := max(0, slices.IndexFunc(list, func(a *types.Action) bool { return a.Pos == c.code.At[c.returns[1]-1] }))
	f := sim.Failure{Kind: overBudget, Row: sim.Row{Machine: c.code.Decl.Name}, Function: list[action].Name}
	pos := list[action].Pos
	f.At.File, f.At.Line, f.At.Column = pos.File, int(pos.Line), int(pos.Col)
	c.failWhole(f, text, budget, messageCost)
}

// overBudget is the kind of failure.
const overBudget = "transition exceeds its budget of instructions"

// row is the row of the transition that is taken.
func (c *controller) row() sim.Row {
	m := c.code.Decl
	r := sim.Row{Machine: m.Name, State: "unset", Event: m.Event.Enums[c.event].Name}
	if c.state < len(m.State.Enums) {
		r.State = m.State.Enums[c.state].Name
	}
	return r
}

// invalid is the fault of a state and an event that have no transition.
func (c *controller) invalid() {
	c.failWhole(sim.Failure{Kind: sim.KindInvalidTransition, Row: c.row()}, "no such transition")
}

// live returns an object that is valid and was not deallocated.
func (c *controller) live(o *object, pos syntax.Pos) *object {
	if o == nil || o.dead {
		c.badPointer(o, pos)
	}
	return o
}

// badPointer is the fault of using a pointer that is invalid, or whose object
// was deallocated.
func (c *controller) badPointer(o *object, pos syntax.Pos) {
	if o == nil {
		c.failAt(pos, "use of an invalid pointer", "the pointer is OOD")
	}
	c.failAt(pos, "use of a stale pointer", "the %s of line %#x was deallocated",
		o.layout.Type.Name, int64(o.line))
}

// catch turns a fault that was thrown into the end of the run.
func (c *controller) catch() {
	switch fault := recover().(type) {
	case nil:
	case *memory.Fault:
		c.system.queue.Fail(fault)
	default:
		panic(fault)
	}
}
