//go:build unix

package papers

import (
	"syscall"
	"time"
)

// userCPU is the user CPU time that this process has used.
func userCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the arguments are right
	}
	return time.Duration(u.Utime.Nano())
}
