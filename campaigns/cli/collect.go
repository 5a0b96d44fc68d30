package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is GOGC until the first garbage collection: it comes with 32
// MiB instead of 4 MiB of heap.
const firstCollection = 800

// collectLate puts the first garbage collection off. A check of some ten
// thousand operations ends before it, and the next ones come as usual. GOGC in
// the environment has precedence.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(firstCollection)
	runtime.AddCleanup(new([64]byte), func(usual int) { debug.SetGCPercent(usual) }, usual)
}
