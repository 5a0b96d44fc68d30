package builtin

import (
	"strings"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// TestUnsupplied has a protocol ask for what the simulated machine does not have: refused before anything runs where the
// machine is declared, and else no finding when it is asked for.
func TestUnsupplied(t *testing.T) {
	path := edited(t, "home.sm", "machine(MachineType:Directory,", "machine(MachineType:Collector, \"of acknowledgements\")\n  : MessageBuffer * in, network=\"To\", virtual_network=\"1\", vnet_type=\"order\";\n{"+
		"\n state_declaration(State, default=\"Collector_State_I\") { I, AccessPermission:Invalid; }\n enumeration(Event) { E; }\n State getState(Addr a) { return State:I; }\n void setState(Addr a, State s) { }\n AccessPermission getAccessPermission(Addr a) { return AccessPermission:NotPresent; }\n void setAccessPermission(Addr a, State s) { }\n}\n\nmachine(MachineType:Directory,")
	replaceIn(t, path, "native.sm", "  DMA;\n", "  DMA;\n  Collector;\n")
	if _, err := New(Options{SLICC: path, Core: core.TSO}); err != nil {
		t.Fatalf("a machine that no one sends to: %v", err)
	}
	add := func(typ string) {
		replaceIn(t, path, "home.sm", "      out_msg.Type := CacheOrder:Recall;\n", "      out_msg.Type := CacheOrder:Recall;\n      out_msg.Destination.add(mapAddressToMachine(address, MachineType:"+typ+"));\n")
		replaceIn(t, path, "home.sm", "\n  Tick clockEdge();", "\n  Tick clockEdge();\n  MachineID mapAddressToMachine(Addr a, MachineType type);")
	}
	add("Collector")
	if _, err := New(Options{SLICC: path, Core: core.TSO}); err == nil || !strings.Contains(err.Error(), "machine Collector, of which the simulated machine has none") {
		t.Errorf("error %v, want one that names the machine", err)
	}
	path = edited(t, "native.sm", "  DMA;\n", "  DMA;\n")
	add("DMA")
	ends(t, newRunner(t, Options{SLICC: path, Core: core.InOrder}), sim.Job{Program: randomProgram(t, 1, 4), Rounds: 5, Seed: 1}, sim.Infra, "not simulated in Directory.r_recall: a machine of type DMA")
}
