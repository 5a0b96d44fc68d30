package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/sim/builtin/core"
)

// mark is the end of a line that an error names.
const mark = "// here"

// TestRefusedPlaces has the small protocol use constructs that the compiler of protocols knows
// and the simulator does not have. Each ends in a mark: the error names its line.
func TestRefusedPlaces(t *testing.T) {
	const (
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
		{"dequeue of this expression", []string{object, object + "  structure(TimerTable, inport=\"yes\", external=\"yes\") {\n    bool isReady(Tick);\n    Addr nextAddress();\n  }\n  TimerTable timers;\n",
			"  in_port(orderPort", "  in_port(timerPort, Addr, timers) {\n  }\n  in_port(orderPort", action, action + "    timerPort.dequeue(clockEdge()); // here\n"}},
		{"cacheAvail of this expression", []string{object, object + "  CacheMemory other(CacheMemory c) {\n    return c;\n  }\n", action, action + "    assert(other(cacheMemory).cacheAvail(address)); // here\n"}},
		{"this string", []string{action, action + "    std::string odd := \"odd\";\n    error(odd); // here\n"}},
	} {
		refusedAtMark(t, tc.want, "cache.sm", tc.edit...)
	}
}

// TestRefusedElsewhere is TestRefusedPlaces for constructs that need more than one declaration, or
// another machine.
func TestRefusedElsewhere(t *testing.T) {
	const (
		params  = "    MessageBuffer * mandatoryQueue;\n"
		object  = "  Tick clockEdge();\n"
		action  = "  action(a_allocate, \"a\") {\n"
		tbe     = "  structure(TBE) {\n"
		home    = "\"the home of the lines\")\n"
		marked  = "\"the home of the lines\") // here\n"
		noQueue = "a machine with a DirectoryMemory and no buffers requestToMemory and responseFromMemory"
		buffer  = "structure(OddBuffer, inport=\"yes\", outport=\"yes\", external=\"yes\", primitive=\"yes\") {}\nmachine("
		queue   = object + "  structure(Pair) {\n    int one;\n  }\n  structure(Other) {\n    int one;\n  }\n  structure(TriggerQueue, external=\"yes\") {\n    Pair next();\n    void push(Entry);\n  }\n"
	)
	// many is an enumeration of so many values.
	many := func(name string, n int) string {
		var text strings.Builder
		fmt.Fprintf(&text, "enumeration(%s) {\n", name)
		for i := range n {
			fmt.Fprintf(&text, "    V%d;\n", i)
		}
		return text.String() + "  }\n"
	}
	var ports strings.Builder
	for i := range 66 {
		comment := ""
		if i == 64 {
			comment = mark
		}
		fmt.Fprintf(&ports, "  in_port(odd%d, OrderMsg, orderIn) { %s\n  }\n", i, comment)
	}
	expected := "  structure(ExpectedMap, external=\"yes\") {\n    void addExpectedRespType(Reply);\n  }\n"
	for _, tc := range []struct {
		want, file string
		edit       []string
	}{
		{"mapAddressToDownstreamMachine of a type of machine", "cache.sm", []string{object, object + "  MachineID mapAddressToDownstreamMachine(Addr addr, MachineType type);\n", action, action + "    assert(mapAddressToDownstreamMachine(address, MachineType:Directory) == machineID); // here\n"}},
		{"AccessType without a value Write", "cache.sm", []string{"machine(", "enumeration(AccessType) {\n  Read;\n}\nstructure(PersistentTable, external=\"yes\") {\n  void persistentRequestLock(Addr, MachineID, AccessType);\n}\nmachine(",
			object, object + "  PersistentTable odd;\n", action, action + "    odd.persistentRequestLock(address, machineID, AccessType:Read); // here\n"}},
		{noQueue, "home.sm", []string{home, marked, "MessageBuffer * requestToMemory;", "MessageBuffer * elsewhere;", "MemoryMsg, requestToMemory)", "MemoryMsg, elsewhere)"}},
		{noQueue, "home.sm", []string{home, marked, "MessageBuffer * responseFromMemory;", "MessageBuffer * elsewhere, network=\"From\", virtual_network=\"3\", vnet_type=\"data\";", "MemoryMsg, responseFromMemory,", "MemoryMsg, elsewhere,"}},
		{"a RubyRequestType of more than 64 values", "native.sm", []string{"  ST;\n", strings.Join(strings.SplitAfter(many("", 65), "\n")[1:66], "") + "  ST;\n", "void error(", "bool isReadRequest(RubyRequestType type);\nvoid error(",
			"bool condition);", "bool condition);\nbool odd(RubyRequestType type) {\n  return isReadRequest(type); // here\n}"}},
		{"a PerfectCacheMemory without lookup", "cache.sm", []string{object, object + "  structure(PerfectCacheMemory, external=\"yes\") {\n    void allocate(Addr);\n  }\n  PerfectCacheMemory odd;\n", action, action + "    odd.allocate(address); // here\n"}},
		{"a TBETable without TBEs", "home.sm", []string{object, object + "  structure(TBETable, external=\"yes\") {\n    bool isPresent(Addr);\n  }\n  TBETable odd; // here\n"}},
		{"an ExpectedMap of 64 types of messages, more than 64", "cache.sm", []string{tbe, "  " + many("Reply", 64) + expected + tbe + "    ExpectedMap odd;\n", "    set_tbe(TBEs[address]);\n", "    set_tbe(TBEs[address]);\n    tbe.odd.addExpectedRespType(Reply:V0); // here\n"}},
		{"an in_port on a OddBuffer", "cache.sm", []string{"machine(", buffer, params, params + "    OddBuffer * odd;\n", "  in_port(orderPort", "  in_port(oddPort, OrderMsg, odd) { // here\n  }\n  in_port(orderPort"}},
		{"in_ports of a machine beyond the first 64", "cache.sm", []string{"  in_port(orderPort", ports.String() + "  in_port(orderPort"}},
		{"an out_port on a OddBuffer", "cache.sm", []string{"machine(", buffer, params, params + "    OddBuffer * odd;\n", "  out_port(requestPort", "  out_port(oddPort, OrderMsg, odd); // here\n  out_port(requestPort"}},
		{"method odd with a body", "cache.sm", []string{tbe, tbe + "    int odd() {\n      return 1;\n    }\n", "    set_tbe(TBEs[address]);\n", "    set_tbe(TBEs[address]);\n    assert(tbe.odd() == 1); // here\n"}},
		{"next of this TriggerQueue", "cache.sm", []string{object, queue + "  TriggerQueue odd, template=\"<L1Cache_Other>\";\n", action, action + "    Pair pair := odd.next(); // here\n"}},
		{"this expression of type Entry", "cache.sm", []string{object, queue + "  TriggerQueue odd, template=\"<L1Cache_Other>\";\n", action, action + "    odd.push(cache_entry); // here\n"}},
		{"this expression of type Entry", "cache.sm", []string{tbe, tbe + "    Entry odd;\n", "    set_tbe(TBEs[address]);\n", "    set_tbe(TBEs[address]);\n    Entry other := tbe.odd; // here\n"}},
		{"this expression of type DataBlock", "cache.sm", []string{action, action + "    cache_entry.DataBlk := static_cast(DataBlock, \"value\", cache_entry.DataBlk); // here\n"}},
	} {
		refusedAtMark(t, tc.want, tc.file, tc.edit...)
	}
}

// refusedAtMark demands that the edited protocol is refused with an error that names the line of
// the file with the mark.
func refusedAtMark(t *testing.T, want, file string, edit ...string) {
	t.Helper()
	path := edited(t, file, edit...)
	if file == "native.sm" { // what is declared there counts only where it is called
		replaceIn(t, path, "cache.sm", "  action(a_allocate, \"a\") {\n", "  action(a_allocate, \"a\") {\n    assert(odd(RubyRequestType:LD));\n")
	}
	_, err := New(Options{SLICC: path, Core: core.InOrder})
	data, failed := os.ReadFile(filepath.Join(filepath.Dir(path), file))
	if failed != nil {
		t.Fatal(failed)
	}
	line := 1 + strings.Count(strings.Split(string(data), mark)[0], "\n")
	if at := fmt.Sprintf("%s:%d:", file, line); err == nil || !strings.Contains(err.Error(), at) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s at %s: error is %v", want, at, err)
	}
}
