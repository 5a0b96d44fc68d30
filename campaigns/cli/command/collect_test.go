package command

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// percent is the one of now.
func percent() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}

// TestCollectLate demands that the percentage is the usual one again after the
// first collection.
func TestCollectLate(t *testing.T) {
	t.Setenv("GOGC", "")
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
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

// TestCollectSeldom demands a large percentage while little lives, and the usual one while much
// does.
func TestCollectSeldom(t *testing.T) {
	t.Setenv("GOGC", "")
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	CollectSeldom()
	await := func(want int) {
		t.Helper()
		for range 1000 { // the cleanup runs beside
			runtime.GC()
			if runtime.Gosched(); percent() == want {
				return
			}
		}
		t.Errorf("%d %%, want %d", percent(), want)
	}
	await(400)
	much := make([]byte, 2*smallHeap)
	await(100)
	runtime.KeepAlive(much)
	await(400)
}
