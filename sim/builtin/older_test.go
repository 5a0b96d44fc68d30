package builtin

import (
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// TestOlderDeclarations runs the small protocol as gem5 wrote protocols until 2020:
// directories ask memory by functions, their entries have a type of their own, and
// caches have counters as fields.
func TestOlderDeclarations(t *testing.T) {
	path := edited(t, "home.sm",
		"    MessageBuffer * requestToMemory;\n", "",
		`structure(Entry, interface="AbstractCacheEntry", main="false")`, `structure(Entry, interface="AbstractEntry")`,
		"  out_port(memoryPort, MemoryMsg, requestToMemory);\n", `  void queueMemoryRead(MachineID id, Addr addr, Cycles latency);
  void queueMemoryWrite(MachineID id, Addr addr, Cycles latency, DataBlock block);
  void queueMemoryWritePartial(MachineID id, Addr addr, Cycles latency, DataBlock block, int size);
`,
		`    enqueue(memoryPort, MemoryMsg) {
      out_msg.addr := address;
      out_msg.Type := MemoryRequestType:MEMORY_READ;
      out_msg.Sender := machineID;
      out_msg.Len := 0;
    }
`, "    queueMemoryRead(machineID, address, directory_latency);\n",
		`      enqueue(memoryPort, MemoryMsg) {
        out_msg.addr := address;
        out_msg.Type := MemoryRequestType:MEMORY_WB;
        out_msg.Sender := machineID;
        out_msg.DataBlk := in_msg.DataBlk;
      }
`, `      if (in_msg.Type == HomeRequest:Put) {
        queueMemoryWrite(machineID, address, directory_latency, in_msg.DataBlk);
      } else {
        queueMemoryWritePartial(machineID, address, directory_latency, in_msg.DataBlk, 8);
      }
`)
	replaceIn(t, path, "messages.sm", "  int Len;\n}", "  int Acks;\n}")
	replaceIn(t, path, "native.sm", "structure(AbstractCacheEntry, ", `external_type(Scalar, primitive="yes");
structure(AbstractEntry, primitive="yes", external="yes") {
  void changePermission(AccessPermission);
}
structure(AbstractCacheEntry, `)
	replaceIn(t, path, "native.sm", "  void setMRU(AbstractCacheEntry);\n", "  void setMRU(AbstractCacheEntry);\n  Scalar demand_hits;\n")
	replaceIn(t, path, "native.sm", `  AbstractCacheEntry allocate(Addr, AbstractCacheEntry);
  AbstractCacheEntry lookup(Addr);
}
`, `  AbstractEntry allocate(Addr, AbstractEntry);
  AbstractEntry lookup(Addr);
}
`)
	replaceIn(t, path, "cache.sm", "  action(l_load, \"l\") {\n", "  action(l_load, \"l\") {\n    ++cacheMemory.demand_hits;\n")
	for seed := range uint64(3) {
		ends(t, newRunner(t, Options{SLICC: path, Core: core.OOO}), sim.Job{Program: randomProgram(t, seed, 4), Rounds: 5, Seed: seed}, sim.Passed, "")
	}
}
