package launch

import (
	"errors"
	"fmt"
	"math"
	"syscall"
	"time"
	"unsafe"
)

// Limits bound what a process takes. Zeros mean no bound. Those that the
// kernel enforces take effect right after the start, or, in a jail with a filter,
// before it; they hold for each process by itself. Core dumps are always off.
type Limits struct {
	// FileBytes bounds each file that the process writes, and with it the
	// captured output (RLIMIT_FSIZE: SIGXFSZ follows, or an error of writing
	// in a process that ignores it).
	FileBytes uint64
	// AddressBytes bounds the address space (RLIMIT_AS).
	AddressBytes uint64
	// Processor bounds the processor time, of all threads together, to the
	// next second (RLIMIT_CPU: SIGXCPU follows).
	Processor time.Duration
	// OpenFiles bounds the numbers of open files (RLIMIT_NOFILE).
	OpenFiles uint64
	// Processes bounds the number of processes and threads (RLIMIT_NPROC), in
	// a jail with a user namespace of its own. Elsewhere the kernel would
	// count everything that the user runs, or, for root, nothing.
	Processes uint64
	// ResidentBytes bounds the memory that the process and its descendants
	// have at the same time, looked at now and then. Simulators reserve
	// address space that they never touch: gem5 hundreds of megabytes for the
	// simulated memory alone, so that AddressBytes says nothing about them.
	// DiskBytes bounds by how much the files in Command.Dir and below grow,
	// looked at likewise; no single file gets larger than that. A process that
	// exceeds either is killed at once, with its group: End.Exceeded.
	ResidentBytes, DiskBytes int64
	_                        struct{}
}

// Limit names a limit that was exceeded.
type Limit uint8

// The limits that launch itself enforces.
const (
	Unlimited Limit = iota
	Memory          // Limits.ResidentBytes
	Disk            // Limits.DiskBytes
)

// set puts the kernel's limits on a process, if it has not ended already.
func (l *Limits) set(pid int, ownUser bool) error {
	file := l.FileBytes
	if disk := uint64(max(0, l.DiskBytes)); disk > 0 && (file == 0 || disk < file) {
		file = disk
	}
	seconds := uint64(0)
	if l.Processor > 0 {
		seconds = uint64(math.Ceil(l.Processor.Seconds()))
	}
	processes := l.Processes
	if !ownUser {
		processes = 0
	}
	const rlimitNproc = 6
	return errors.Join(
		limit(pid, syscall.RLIMIT_CORE, 0),
		limitUnlessZero(pid, syscall.RLIMIT_FSIZE, file),
		limitUnlessZero(pid, syscall.RLIMIT_AS, l.AddressBytes),
		limitUnlessZero(pid, syscall.RLIMIT_CPU, seconds),
		limitUnlessZero(pid, syscall.RLIMIT_NOFILE, l.OpenFiles),
		limitUnlessZero(pid, rlimitNproc, processes),
	)
}

// limit sets a resource limit of a process, both values, or what the limit is
// already where that is lower.
func limit(pid, resource int, value uint64) error {
	prlimit := func(set, get *syscall.Rlimit) syscall.Errno {
		_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), uintptr(resource),
			uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(get)), 0, 0)
		return errno
	}
	errno := prlimit(&syscall.Rlimit{Cur: value, Max: value}, nil)
	if errors.Is(errno, syscall.EPERM) {
		var now syscall.Rlimit
		if errno = prlimit(nil, &now); errno == 0 && now.Max < value {
			errno = prlimit(&syscall.Rlimit{Cur: now.Max, Max: now.Max}, nil)
		} else if errno == 0 {
			errno = syscall.EPERM
		}
	}
	if errno != 0 && !errors.Is(errno, syscall.ESRCH) {
		return fmt.Errorf("set resource limit %d to %d: %w", resource, value, errno)
	}
	return nil
}

func limitUnlessZero(pid, resource int, value uint64) error {
	if value == 0 {
		return nil
	}
	return limit(pid, resource, value)
}
