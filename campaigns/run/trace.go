package run

import (
	"fmt"
	"io"

	"ordeal/campaigns/config"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/ruby"
)

// NewTraced returns the runner of a configuration on the embedded simulator that
// writes the transitions and messages of the coherence protocol to w, one a
// line, in the order in which they happen. It runs one job at a time and
// ignores errors of w.
func NewTraced(c *config.Config, w io.Writer) (sim.Runner, error) {
	if err := c.ValidateMachine(config.SimBuiltin); err != nil {
		return nil, err
	}
	if !c.Coherent() {
		return nil, fmt.Errorf("protocol %q has no transitions to trace: want a coherence protocol", c.Protocol)
	}
	o, _ := c.Machine.Builtin()
	o.Trace = func(s ruby.Step) { fmt.Fprintln(w, s) }
	o.Messages = func(m ruby.Message) { fmt.Fprintln(w, m) }
	return builtin.New(o)
}
