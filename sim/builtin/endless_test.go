package builtin

import (
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// TestEndlessTransitions leaves a message in its queue: the controller takes the
// same transition in every cycle from then on, which ends the run long before the
// watchdog or the budget of events would.
func TestEndlessTransitions(t *testing.T) {
	path := edited(t, "home.sm", "  transition({V, O, VM, OR}, Written) {\n    l_popAnswer;\n", "  transition({V, O, VM, OR}, Written) {\n")
	ends(t, newRunner(t, Options{SLICC: path, Core: core.InOrder}), sim.Job{Program: randomProgram(t, 1, 4), Rounds: 5, Seed: 1},
		sim.Crash, "livelock: Directory takes one transition after the other")
}
