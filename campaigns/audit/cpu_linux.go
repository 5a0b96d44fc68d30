package audit

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessTime is the CPU time of the process, of all its threads.
func ProcessTime() time.Duration { return used(unix.RUSAGE_SELF) }

// ChildrenTime is the CPU time of the processes that this one started, and of
// theirs, once they have ended and were waited for.
func ChildrenTime() time.Duration { return used(unix.RUSAGE_CHILDREN) }

func used(who int) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
