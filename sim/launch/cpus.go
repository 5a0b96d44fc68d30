package launch

import (
	"fmt"
	"math/bits"
	"syscall"
	"unsafe"
)

// cpuSet is the kernel's bit mask of processors.
type cpuSet [16]uint64

func affinity(tid int) (cpuSet, error) {
	var set cpuSet
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, uintptr(tid),
		unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if errno != 0 {
		return set, fmt.Errorf("get processor affinity: %w", errno)
	}
	return set, nil
}

func setAffinity(tid int, set cpuSet) error {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(tid),
		unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if errno != 0 {
		return fmt.Errorf("set processor affinity: %w", errno)
	}
	return nil
}

// CPUs lists the processors that the calling process may run on.
func CPUs() ([]int, error) {
	set, err := affinity(0)
	if err != nil {
		return nil, err
	}
	var cpus []int
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			cpus = append(cpus, i*64+bits.TrailingZeros64(word))
		}
	}
	return cpus, nil
}

// Pin lets a thread, given by its number in the system, run on cpus only.
func Pin(tid int, cpus ...int) error {
	var set cpuSet
	for _, cpu := range cpus {
		if cpu < 0 || cpu >= 64*len(set) {
			return fmt.Errorf("pin thread %d: processor %d does not exist", tid, cpu)
		}
		set[cpu/64] |= 1 << (cpu % 64)
	}
	if err := setAffinity(tid, set); err != nil {
		return fmt.Errorf("pin thread %d to processors %v: %w", tid, cpus, err)
	}
	return nil
}

// onCPUs calls start while the calling thread, to which the goroutine must be
// locked, may run on cpus only, so that what it starts inherits that. The
// second error is that the thread could not be set free again.
func onCPUs(cpus []int, start func() error) (startErr, restoreErr error) {
	if len(cpus) == 0 {
		return start(), nil
	}
	before, err := affinity(0)
	if err != nil {
		return err, nil
	}
	if err := Pin(0, cpus...); err != nil {
		return err, nil
	}
	startErr = start()
	return startErr, setAffinity(0, before)
}
