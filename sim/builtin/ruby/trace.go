package ruby

import (
	"fmt"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Step is one transition of a run.
type Step struct {
	At          event.Tick
	Machine     string
	Number      int
	State, Next string
	Event       string
	Line        memory.Addr
}

// step describes a transition.
func (c *controller) step(state, ev, to int, line memory.Addr) Step {
	m := c.code.machine
	_, number := splitMachineID(c.id)
	st := Step{At: c.now, Machine: m.Name, Number: number, State: m.State.Enums[state].Name, Event: m.Event.Enums[ev].Name, Line: line}
	if to < len(m.State.Enums) {
		st.Next = m.State.Enums[to].Name
	}
	return st
}

// String writes the step with the columns of gem5's debug flag ProtocolTrace.
func (s Step) String() string {
	return fmt.Sprintf("%15d %3d %10s%20s %6s>%-6s [%#x, line %#x]",
		s.At, s.Number, s.Machine, s.Event, s.State, s.Next, int64(s.Line), int64(s.Line))
}
