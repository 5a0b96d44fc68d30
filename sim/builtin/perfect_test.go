package builtin

import (
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// TestPerfectCache gives the caches of the small protocol a PerfectCacheMemory
// with an entry for each line that they have: it is there after its
// allocation, gone after its deallocation, and made by looking it up.
func TestPerfectCache(t *testing.T) {
	path := edited(t, "cache.sm",
		"  TBETable TBEs, ", `  structure(Mark, interface="AbstractCacheEntry", main="false") {
    int Count;
  }
  structure(PerfectCacheMemory, external="yes") {
    void allocate(Addr);
    void deallocate(Addr);
    Mark lookup(Addr);
    bool isTagPresent(Addr);
  }
  PerfectCacheMemory marks, template="<L1Cache_Mark>";
  TBETable TBEs, `,
		"    set_cache_entry(cacheMemory.allocate(address, new Entry));", `    set_cache_entry(cacheMemory.allocate(address, new Entry));
    assert(marks.isTagPresent(address) == false);
    Mark absent := marks.lookup(address);
    assert(absent.Count == 0);
    assert(marks.isTagPresent(address));
    absent.Count := 3;
    marks.allocate(address);
    Mark fresh := marks.lookup(address);
    assert(fresh.Count == 0);
    fresh.Count := 7;`,
		"    cacheMemory.deallocate(address);", `    cacheMemory.deallocate(address);
    Mark mine := marks.lookup(address);
    assert(mine.Count == 7);
    marks.deallocate(address);`)
	job := sim.Job{Program: randomProgram(t, 1, 3), Rounds: 20, Seed: 1}
	ends(t, newRunner(t, Options{SLICC: path, Core: core.TSO}), job, sim.Passed, "")
	replaceIn(t, path, "cache.sm", "assert(mine.Count == 7)", "marks.deallocate(address)")
	ends(t, newRunner(t, Options{SLICC: path, Core: core.TSO}), job, sim.Crash, "directory: deallocate of an absent line")
}
