package audit

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessTime is the CPU time of the process, of all its threads.
func ProcessTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
