package sandbox

import (
	"fmt"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// firstOther is the first descriptor behind standard input, output and error.
const firstOther = 3

// inheritNothing has descriptors that this process has, perhaps from what started it, be
// closed in the programs that it executes: files that are open for writing there, or
// connections, would be theirs, whatever confines them. Those of Go are closed anyway.
func inheritNothing() error {
	if unix.CloseRange(firstOther, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil { // Linux 5.11
		return nil
	}
	return closeEachOnExec()
}

// closeEachOnExec is inheritNothing on older kernels.
func closeEachOnExec() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("find open files: %w", err)
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= firstOther {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
