package run

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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

// The part of what the system leaves at first that a MemoryGuard keeps free, for what is done with
// what was found and for what else runs on the machine: an eighth, at most a gibibyte.
const (
	guardShare = 8
	guardMost  = 1 << 30
)

// MemoryGuard returns a function that reports whether there is no more memory to take: the process
// takes limit bytes, 0 being no limit, or the machine and the control groups leave little of what they
// leave now.
func MemoryGuard(limit int64) func() bool {
	return guard(limit, machine.Memory, processMemory)
}

func guard(limit int64, left, taken func() int64) func() bool {
	reserve := min(left()/guardShare, guardMost)
	return func() bool { return limit > 0 && taken() >= limit || reserve > 0 && left() < reserve }
}

// processMemory is how many bytes the process has from the system.
func processMemory() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
