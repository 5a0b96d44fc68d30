package builtin

import (
	"strings"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// withAtomics gives the small protocol atomic requests, which its caches
// perform themselves.
func withAtomics(t *testing.T) string {
	t.Helper()
	path := edited(t, "native.sm",
		"  ST;\n", "  ST;\n  ATOMIC_RETURN;\n",
		"structure(DataBlock, external=\"yes\") {\n", `structure(WriteMask, external="yes") {
  void clear();
  void orMask(WriteMask);
  bool isEmpty();
  int count();
  int getBlockSize();
  void setBlockSize(int);
}
structure(DataBlock, external="yes") {
  void atomicPartial(DataBlock, WriteMask);
`,
		"structure(WriteMask, external=\"yes\", desc=\"\") {\n  bool isEmpty();\n  int getBlockSize();\n  int getBlockSizeBits();\n  void setBlockSize(int);\n}\n", "",
		"  void writeCallback(Addr, DataBlock);\n", "  void writeCallback(Addr, DataBlock);\n  void atomicCallback(Addr, DataBlock);\n",
		"  RubyRequestType Type;\n", "  RubyRequestType Type;\n  WriteMask writeMask;\n",
	)
	const complete = `      } else if (in_msg.Type == RubyRequestType:ATOMIC_RETURN) {
        DataBlock old;
        old := cache_entry.DataBlk;
        WriteMask mask;
        mask.clear();
        assert(mask.isEmpty());
        mask.orMask(in_msg.writeMask);
        assert(mask.count() == in_msg.Size);
        cache_entry.DataBlk.atomicPartial(cache_entry.DataBlk, mask);
        sequencer.atomicCallback(address, old);
`
	replaceIn(t, path, "cache.sm", "        sequencer.readCallback(address, cache_entry.DataBlk);\n      } else {\n",
		"        sequencer.readCallback(address, cache_entry.DataBlk);\n"+complete+"      } else {\n")
	replaceIn(t, path, "cache.sm", "  transition(M, Store) {\n    s_store;\n", "  transition(M, Store) {\n    c_complete;\n")
	replaceIn(t, path, "cache.sm", `  action(s_store, "s") {
    cacheMemory.setMRU(cache_entry);
    sequencer.writeCallback(address, cache_entry.DataBlk);
  }
`, "")
	return path
}

// TestAtomics runs a protocol that performs read-modify-writes by name: they are
// atomic, and what completes them is what they replaced.
func TestAtomics(t *testing.T) {
	path := withAtomics(t)
	for _, kind := range []core.Kind{core.InOrder, core.OOO} {
		r := newRunner(t, Options{SLICC: path, Core: kind, RMW: core.OneAccess})
		for seed := range uint64(3) {
			ends(t, r, sim.Job{Program: randomProgram(t, seed, 4), Rounds: 10, Seed: seed}, sim.Passed, "")
		}
	}
	for _, fault := range []struct{ from, to, title string }{
		{"sequencer.atomicCallback(address, old);", "sequencer.atomicCallback(address, cache_entry.DataBlk);", "sequencer: atomic access completed with another value than it replaced"},
		{"cache_entry.DataBlk.atomicPartial(cache_entry.DataBlk, mask);", "", "sequencer: atomic access completed that was not performed"},
		{"sequencer.atomicCallback(address, old);", "sequencer.atomicCallback(address, old); cache_entry.DataBlk.atomicPartial(old, mask);", "sequencer: atomic access performed that is not under way"},
	} {
		path := withAtomics(t)
		replaceIn(t, path, "cache.sm", fault.from, fault.to)
		report, err := newRunner(t, Options{SLICC: path, Core: core.InOrder, RMW: core.OneAccess}).Simulate(t.Context(), sim.Job{Program: randomProgram(t, 1, 4), Rounds: 10, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if report.Outcome != sim.Crash || !strings.HasPrefix(report.Title, fault.title) {
			t.Errorf("%s: %s %q, want %q", fault.to, report.Outcome, report.Title, fault.title)
		}
	}
}
