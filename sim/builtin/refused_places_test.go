package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/sim/builtin/core"
)

// TestRefusedPlaces has the small protocol use constructs that the compiler of protocols knows
// and the simulator does not have. Each ends in a mark: the error names its line.
func TestRefusedPlaces(t *testing.T) {
	const (
		mark   = "// here"
		params = "    MessageBuffer * mandatoryQueue;\n"
		object = "  Tick clockEdge();\n"
		action = "  action(a_allocate, \"a\") {\n"
		tbe    = "  structure(TBE) {\n"
	)
	queue := object + "  structure(Pair) {\n    int one;\n    int two;\n  }\n  structure(TriggerQueue, external=\"yes\") {\n" +
		"    bool empty();\n    void emplace(int, int, int);\n    void push(Event);\n    void pushNB(Event);\n    void pushFront(Event);\n    Event front();\n    Event back();\n  }\n"
	for _, tc := range []struct {
		want string
		edit []string // pairs of what cache.sm has and what follows in its place
	}{
		{`default "2 + unknown"`, []string{object, object + "  int odd, default=\"2 + unknown\"; // here\n", action, action + "    odd := 1;\n"}},
		{"assignment to a CacheMemory", []string{action, action + "    cacheMemory := cacheMemory; // here\n"}},
		{"operator == between values of type CacheMemory", []string{action, action + "    assert(cacheMemory == cacheMemory); // here\n"}},
		{"a function with result std::string", []string{object, object + "  std::string other() { // here\n    return \"odd\";\n  }\n", action, action + "    other();\n"}},
		{"a TriggerQueue whose template names no type", []string{object, queue + "  TriggerQueue odd; // here\n", action, action + "    assert(odd.empty());\n"}},
		{"emplace of 3 values", []string{object, queue + "  TriggerQueue odd, template=\"<L1Cache_Pair>\";\n", action, action + "    odd.emplace(1, 2, 3); // here\n"}},
		{"pushNB of a TriggerQueue that is an object", []string{object, queue + "  TriggerQueue odd, template=\"<L1Cache_Event>\";\n", action, action + "    odd.pushNB(Event:Load); // here\n"}},
		{"back of a TriggerQueue that is an object", []string{object, queue + "  TriggerQueue odd, template=\"<L1Cache_Event>\";\n", action, action + "    assert(odd.back() == Event:Load); // here\n"}},
		{"dequeueMemRespQueue in a machine without memory", []string{object, object + "  void dequeueMemRespQueue();\n", action, action + "    dequeueMemRespQueue(); // here\n"}},
		{"mapAddressToDownstreamMachine in a machine that has nothing downstream", []string{object, object + "  MachineID mapAddressToDownstreamMachine(Addr addr);\n", action, action + "    assert(mapAddressToDownstreamMachine(address) == machineID); // here\n"}},
		{"builtin bitSelect(Addr, int, int)", []string{object, object + "  Addr bitSelect(Addr addr, int first, int last);\n", action, action + "    assert(bitSelect(address, 1, 2) == address); // here\n"}},
		{"a variable of type std::string", []string{action, action + "    std::string odd := \"odd\"; // here\n"}},
		{"assignment to a CacheMemory in a structure", []string{tbe, tbe + "    CacheMemory odd;\n", "    set_tbe(TBEs[address]);\n", "    set_tbe(TBEs[address]);\n    tbe.odd := cacheMemory; // here\n"}},
		{"a machine with a DMASequencer in a protocol without SequencerMsg", []string{"machine(", "structure(DMASequencer, external=\"yes\") {\n  void ackCallback(Addr);\n}\nmachine(",
			"MachineType:L1Cache, \"the cache of a core\")\n", "MachineType:L1Cache, \"the cache of a core\") // here\n", params, params + "    DMASequencer * device;\n"}},
		{"cacheAvail of this expression", []string{object, object + "  CacheMemory other(CacheMemory c) {\n    return c;\n  }\n", action, action + "    assert(other(cacheMemory).cacheAvail(address)); // here\n"}},
		{"this string", []string{action, action + "    std::string odd := \"odd\";\n    error(odd); // here\n"}},
	} {
		path := edited(t, "cache.sm", tc.edit...)
		_, err := New(Options{SLICC: path, Core: core.InOrder})
		data, failed := os.ReadFile(filepath.Join(filepath.Dir(path), "cache.sm"))
		if failed != nil {
			t.Fatal(failed)
		}
		line := 1 + strings.Count(strings.Split(string(data), mark)[0], "\n")
		if want := fmt.Sprintf("cache.sm:%d:", line); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s at %s: error is %v", tc.want, want, err)
		}
	}
}
