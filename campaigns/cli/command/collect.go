package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The heap with which the first garbage collection comes: a check of some ten thousand
// operations ends before it, and a run of as many on the embedded simulator.
const (
	CheckHeap = 32 << 20
	RunHeap   = 64 << 20
)

// usualHeap is that heap with a GOGC of 100.
const usualHeap = 4 << 20

// CollectLate puts the first garbage collection off until there is a heap of some bytes.
// The next ones come as usual. GOGC in the environment has precedence.
func CollectLate(heap int) {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(100 * heap / usualHeap)
	runtime.AddCleanup(new([64]byte), func(usual int) { debug.SetGCPercent(usual) }, usual)
}

// CollectSeldom makes garbage collections of a small heap rare, for processes that work for
// long. A large heap does not grow more. GOGC in the environment has precedence.
func CollectSeldom() {
	if os.Getenv("GOGC") == "" {
		adjust(0)
	}
}

// smallHeap is what lives at most, in bytes, while the heap may grow by more than the usual
// percentage, which is of 100.
const smallHeap = 64 << 20

// adjust sets the percentage by which the heap grows, which is the one of now, here and after the
// next collection.
func adjust(now int) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := 400
	if live[0].Value.Uint64() > smallHeap {
		percent = 100
	}
	if percent != now {
		debug.SetGCPercent(percent)
	}
	runtime.AddCleanup(new([64]byte), adjust, percent)
}

// compact is GOGC for commands that hold much in memory: the heap is at most 1.6
// times what lives.
const compact = 60

// CollectOften has the heap grow less before it is collected. GOGC in the
// environment has precedence.
func CollectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(compact)
	}
}
