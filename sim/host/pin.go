package host

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"ordeal/sim/launch"
)

// pinThreads pins the threads of process pid, in the order in which they were
// started, to one processor each. It waits for them for a moment, while they
// meet at the start barrier, and pins what there is: placement only helps.
func pinThreads(pid int, cpus []int) {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	deadline := time.Now().Add(2 * time.Millisecond)
	for {
		entries, err := os.ReadDir(tasks) // sorted by name: see below
		if err != nil {
			return // the process has ended
		}
		if len(entries) >= len(cpus) || time.Now().After(deadline) {
			for i, entry := range entries {
				if tid, err := strconv.Atoi(entry.Name()); err == nil && i < len(cpus) {
					_ = launch.Pin(tid, cpus[i])
				}
			}
			return
		}
	}
}
