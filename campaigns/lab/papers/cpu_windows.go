package papers

import (
	"syscall"
	"time"
)

// userCPU is the user CPU time that this process has used.
func userCPU() time.Duration {
	self, err := syscall.GetCurrentProcess()
	var created, ended, kernel, user syscall.Filetime
	if err == nil {
		err = syscall.GetProcessTimes(self, &created, &ended, &kernel, &user)
	}
	if err != nil {
		panic(err) // the arguments are right
	}
	const unit = 100 * time.Nanosecond
	return time.Duration(int64(user.HighDateTime)<<32|int64(user.LowDateTime)) * unit
}
