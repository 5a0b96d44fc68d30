package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
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

// spareHeap is how much more may be allocated between two garbage collections
// than the usual percentage allows.
const spareHeap = 64 << 20

// sparePiece is the size of a piece of the spare memory. Where a piece contains what a
// collection has freed, the runtime writes zeros to all of it.
const sparePiece = 1 << 20

// spare is memory that is not touched but for the pieces that had been used before, so
// that it takes next to none of the machine's, but is counted as live: the next
// collection is due when as much has been allocated again.
var spare = sync.OnceValue(func() [][]byte {
	pieces := make([][]byte, spareHeap/sparePiece)
	for i := range pieces {
		pieces[i] = make([]byte, sparePiece)
	}
	return pieces
})

// CollectSeldom makes garbage collections of a small heap rare, for processes that
// work for long. Unlike a larger percentage it does not let a large heap grow
// more. GOGC in the environment has precedence.
func CollectSeldom() {
	if os.Getenv("GOGC") == "" {
		spare()
	}
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
