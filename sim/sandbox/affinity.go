package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// CPUs lists the processors that the calling process may run on.
func CPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("get processor affinity: %w", err)
	}
	var cpus []int
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// Pin restricts the thread tid to cpus.
func Pin(tid int, cpus ...int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(tid, &set); err != nil {
		return fmt.Errorf("pin thread %d to processors %v: %w", tid, cpus, err)
	}
	return nil
}

// onCPUs calls start while the calling thread, to which the goroutine must be
// locked, is restricted to cpus, so that the new process inherits that. The
// second error says that the thread's own affinity could not be restored.
func onCPUs(cpus []int, start func() error) (startErr, restoreErr error) {
	if len(cpus) == 0 {
		return start(), nil
	}
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("get processor affinity: %w", err), nil
	}
	if err := Pin(0, cpus...); err != nil {
		return err, nil
	}
	startErr = start()
	return startErr, unix.SchedSetaffinity(0, &before)
}
