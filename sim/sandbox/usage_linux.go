package sandbox

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// measureInterval is the time between two measurements: how long a process may
// exceed a limit.
const measureInterval = 50 * time.Millisecond

// usage measures a process against the limits that the kernel does not enforce.
type usage struct {
	limits Limits
	dir    string
	before int64 // bytes in dir before the start
}

// newUsage prepares the measurement of a command about to be started; nil when
// nothing is to be measured.
func newUsage(c *Command) *usage {
	u := &usage{limits: c.Limits, dir: c.Dir}
	if c.Isolation.limitsProcesses() {
		u.limits.Processes = 0
	}
	if u.limits.ResidentBytes <= 0 && u.limits.DiskBytes <= 0 && u.limits.Processes == 0 {
		return nil
	}
	if u.limits.DiskBytes > 0 {
		u.before = diskUsage(u.dir)
	}
	return u
}

// exceeded returns the limit that the process and its descendants exceed now.
func (u *usage) exceeded(pid int) Limit {
	pids := append(descendants(pid), pid)
	switch {
	case u.limits.Processes > 0 && threads(pids) > u.limits.Processes:
		return ProcessLimit
	case u.limits.ResidentBytes > 0 && residentBytes(pids) > u.limits.ResidentBytes:
		return MemoryLimit
	case u.diskExceeded():
		return DiskLimit
	}
	return NoLimit
}

// diskExceeded reports whether the disk limit is reached: a file that the
// kernel truncated has exactly that size.
func (u *usage) diskExceeded() bool {
	return u != nil && u.limits.DiskBytes > 0 && diskUsage(u.dir)-u.before >= u.limits.DiskBytes
}

// diskUsage sums the sizes of all regular files below dir. Files that vanish
// meanwhile count nothing.
func diskUsage(dir string) (bytes int64) {
	if dir == "" {
		dir = "."
	}
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// residentBytes is the resident memory of processes; shared pages count for
// each.
func residentBytes(pids []int) int64 {
	total := int64(0)
	for _, pid := range pids {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if fields := bytes.Fields(data); err == nil && len(fields) > 1 {
			pages, _ := strconv.ParseInt(string(fields[1]), 10, 64) // the kernel's format
			total += pages * int64(os.Getpagesize())
		}
	}
	return total
}

// threads counts those of processes.
func threads(pids []int) (n uint64) {
	for _, pid := range pids {
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)) // it may have ended
		n += uint64(len(tasks))
	}
	return n
}

// descendants are the children of a process, their children and so on.
func descendants(pid int) (found []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is valid
	for _, list := range lists {
		children, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has exited
		}
		for _, field := range bytes.Fields(children) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				found = append(append(found, child), descendants(child)...)
			}
		}
	}
	return found
}

// zombie reports whether a process has ended.
func zombie(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name before the state is in parentheses and may hold anything.
	end := bytes.LastIndexByte(data, ')')
	return err != nil || end < 0 || bytes.HasPrefix(data[end+1:], []byte(" Z"))
}
