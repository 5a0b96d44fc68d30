package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// TestCollectLate demands that the percentage is the usual one again after the
// first collection.
func TestCollectLate(t *testing.T) {
	t.Setenv("GOGC", "")
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	CollectLate(CheckHeap)
	if p := percent(); p != 800 { // 8 times 4 MiB
		t.Errorf("%d %% before the first collection, want 800", p)
	}
	for range 1000 { // the cleanup runs beside
		runtime.GC()
		if runtime.Gosched(); percent() == 100 {
			return
		}
	}
	t.Errorf("%d %% after the first collection, want 100", percent())
}

func TestCollectEnvironment(t *testing.T) {
	t.Setenv("GOGC", "100")
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	if CollectLate(RunHeap); debug.SetGCPercent(100) != 100 {
		t.Error("GOGC of the environment is ignored")
	}
}

// TestCollectSeldom demands that the next collection is due only after the spare
// memory has been allocated again.
func TestCollectSeldom(t *testing.T) {
	t.Setenv("GOGC", "")
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	CollectSeldom()
	runtime.GC()
	goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(goal)
	if n := goal[0].Value.Uint64(); n < 2*spareHeap {
		t.Errorf("the next collection is due at %d bytes of heap, want at least %d", n, 2*spareHeap)
	}
}
