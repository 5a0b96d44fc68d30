package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

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

// apply sets the kernel's limits of a process, unless it has exited already.
func (l *Limits) apply(pid int, isolation Isolation) error {
	file := l.FileBytes
	if disk := uint64(max(0, l.DiskBytes)); disk > 0 && (file == 0 || disk < file) {
		file = disk
	}
	processes := l.Processes
	if !isolation.limitsProcesses() {
		processes = 0
	}
	errs := []error{setLimit(pid, unix.RLIMIT_CORE, 0)}
	for _, limit := range []struct {
		resource int
		value    uint64
	}{
		{unix.RLIMIT_FSIZE, file},
		{unix.RLIMIT_AS, l.AddressBytes},
		{unix.RLIMIT_CPU, uint64(math.Ceil(max(0, l.CPUTime.Seconds())))},
		{unix.RLIMIT_NOFILE, l.OpenFiles},
		{unix.RLIMIT_NPROC, processes},
	} {
		if limit.value > 0 {
			errs = append(errs, setLimit(pid, limit.resource, limit.value))
		}
	}
	return errors.Join(errs...)
}

// setLimit sets the soft and the hard limit of a resource to value, or to the
// present hard limit where that is lower.
func setLimit(pid, resource int, value uint64) error {
	err := unix.Prlimit(pid, resource, &unix.Rlimit{Cur: value, Max: value}, nil)
	if errors.Is(err, unix.EPERM) {
		var now unix.Rlimit
		if unix.Prlimit(pid, resource, nil, &now) == nil && now.Max < value {
			err = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: now.Max, Max: now.Max}, nil)
		}
	}
	if err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("set resource limit %d to %d: %w", resource, value, err)
	}
	return nil
}

// limitsProcesses reports whether RLIMIT_NPROC bounds an isolated process and
// nothing else: the kernel counts by user and user namespace, and exempts root.
func (i Isolation) limitsProcesses() bool { return i.Has(UserNamespace) && os.Getuid() != 0 }
