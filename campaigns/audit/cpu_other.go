//go:build !linux

package audit

import "time"

var started = time.Now()

// ProcessTime stands for the CPU time of the process, where that is not known: it
// is the time since the start.
func ProcessTime() time.Duration { return time.Since(started) }

// ChildrenTime is 0: simulators that are processes of their own run on Linux.
func ChildrenTime() time.Duration { return 0 }
