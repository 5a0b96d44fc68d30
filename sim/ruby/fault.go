package ruby

import (
	"errors"
	"fmt"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/syntax"
)

// A fault of the protocol ends the wake-up in which it happens: it is thrown
// as a *memory.Fault, which ends the run of the event queue. Calls of a controller from
// outside of its wake-ups catch it.

// fail ends the wake-up with a fault. The title has no addresses or numbers
// that vary.
func (c *controller) fail(title, format string, args ...any) {
	detail := fmt.Sprintf("%s at tick %d: ", c.name(), c.now) + fmt.Sprintf(format, args...)
	if c.event >= 0 {
		detail += fmt.Sprintf("\nin %s on line %#x", c.row(), c.words[code.AddressWord])
		detail += c.system.history(memory.Addr(c.words[code.AddressWord]))
	}
	panic(&memory.Fault{Title: title, Detail: detail})
}

// failAt is fail with the place in the protocol's text in the title.
func (c *controller) failAt(pos syntax.Pos, title, format string, args ...any) {
	c.fail(fmt.Sprintf("%s at %s", title, pos), format, args...)
}

// failWith ends the wake-up with a fault of a part of the machine.
func (c *controller) failWith(err error, pos syntax.Pos) {
	fault, ok := errors.AsType[*memory.Fault](err)
	if !ok {
		panic(err)
	}
	c.failAt(pos, fault.Title, "%s", fault.Detail)
}

func (c *controller) row() string {
	m := c.code.Decl
	state := "unset"
	if c.state < len(m.State.Enums) {
		state = m.State.Enums[c.state].Name
	}
	return fmt.Sprintf("transition (%s, %s)", state, m.Event.Enums[c.event].Name)
}

// invalid is the fault of a state and an event that have no transition.
func (c *controller) invalid() {
	c.fail(fmt.Sprintf("invalid %s of %s", c.row(), c.code.Decl.Name), "no such transition")
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
