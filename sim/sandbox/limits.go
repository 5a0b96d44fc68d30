package sandbox

import "time"

// Limits bound the resources of a process; zero means unlimited. The kernel's
// limits take effect right after the start or, with a seccomp filter, before
// the first instruction, and hold for each process by itself. Core dumps are
// always off.
type Limits struct {
	// FileBytes bounds each file that the process writes, captured output
	// included (RLIMIT_FSIZE: SIGXFSZ, or EFBIG if that is ignored).
	FileBytes uint64
	// AddressBytes bounds the address space (RLIMIT_AS).
	AddressBytes uint64
	// CPUTime bounds the processor time of all threads together, rounded up to
	// a second (RLIMIT_CPU: SIGXCPU).
	CPUTime time.Duration
	// OpenFiles bounds the file descriptors (RLIMIT_NOFILE).
	OpenFiles uint64
	// Processes bounds the processes and threads: by RLIMIT_NPROC in a user
	// namespace of a user other than root, measured elsewhere, where the kernel
	// would count everything that the user runs or, for root, nothing.
	Processes uint64
	// ResidentBytes bounds the memory of the process and its descendants
	// together, measured at intervals. Simulators reserve address space that
	// they never touch, so that AddressBytes does not bound their memory.
	// DiskBytes bounds the growth of the files below Command.Dir, measured as
	// well, and the size of each file. A process that exceeds either is killed
	// with its group; see Result.Exceeded.
	ResidentBytes, DiskBytes int64
	_                        struct{}
}

// Limit names a limit that was exceeded.
type Limit uint8

// The limits that this package measures.
const (
	NoLimit      Limit = iota
	MemoryLimit        // Limits.ResidentBytes
	DiskLimit          // Limits.DiskBytes
	ProcessLimit       // Limits.Processes
)
