package execute

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"

	"ordeal/sim/machine"
)

// AvailableMemory is how many bytes a check may take where the user sets no limit:
// four fifths of what the machine and the control groups of the process leave.
// The rest is the collector's, whose limit is nine tenths, or what GOMEMLIMIT
// says. 0 means that the system does not say.
func AvailableMemory() int64 {
	n := machine.Memory()
	if n > 0 && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(n / 10 * 9)
	}
	return n / 5 * 4
}

// atStart is AvailableMemory when it is first asked for.
var atStart = sync.OnceValue(AvailableMemory)

// MemoryShare is how many bytes each of some checks may take that run at a
// time, of what the machine had when that was first asked for; 0 workers are
// one for each processor. 0 bytes mean that the system does not say.
func MemoryShare(workers int) int64 {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return atStart() / int64(workers)
}
