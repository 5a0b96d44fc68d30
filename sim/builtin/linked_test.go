package builtin

import (
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// TestLinkedLoads runs read-modify-writes as linked loads and conditional stores on
// every protocol: some fail and are tried again. TestPairsAreAtomic checks what they
// read.
func TestLinkedLoads(t *testing.T) {
	failed := uint64(0)
	for _, o := range []Options{
		{SLICC: smallProtocol, Core: core.InOrder}, {Protocol: "mi", Core: core.TSO}, {Protocol: "mesi-two-level", Core: core.OOO},
		{Protocol: "moesi-hammer", Core: core.OOO}, {Protocol: "moesi-amd-base", Core: core.TSO},
	} {
		o.RMW = core.LinkedLoad
		report := ends(t, newRunner(t, o), sim.Job{Program: randomProgram(t, 1, 4), Rounds: 10, Seed: 3}, sim.Passed, "")
		failed += report.Statistics.Cores.Failed
	}
	if failed < 20 {
		t.Errorf("%d conditional stores fail: that hardly shows anything", failed)
	}
	if _, err := New(Options{Core: core.TSO, RMW: core.LinkedLoad}); err == nil {
		t.Error("linked loads without a protocol are accepted")
	}
}
