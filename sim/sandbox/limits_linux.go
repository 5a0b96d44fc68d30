package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"
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
