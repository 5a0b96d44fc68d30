package launch

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// lookEvery is the time between looks at what a process takes: it may exceed
// a limit for as long.
const lookEvery = 50 * time.Millisecond

// meter measures what a process takes against the limits that the kernel does
// not enforce.
type meter struct {
	limits Limits
	dir    string
	before int64 // bytes in dir before the start
}

// newMeter is the meter of a command about to be started, nil when it has no
// such limits.
func newMeter(c *Command) *meter {
	if c.Limits.ResidentBytes <= 0 && c.Limits.DiskBytes <= 0 {
		return nil
	}
	m := &meter{limits: c.Limits, dir: c.Dir}
	if m.limits.DiskBytes > 0 {
		m.before = diskUsage(m.dir)
	}
	return m
}

// exceeded is the limit that the process and its descendants exceed now.
func (m *meter) exceeded(pid int) Limit {
	switch {
	case m.limits.ResidentBytes > 0 && resident(pid) > m.limits.ResidentBytes:
		return Memory
	case m.disk():
		return Disk
	}
	return Unlimited
}

// disk reports whether the limit of the disk is reached: where no file can
// exceed it, a file that was cut short has just its size.
func (m *meter) disk() bool {
	return m != nil && m.limits.DiskBytes > 0 && diskUsage(m.dir)-m.before >= m.limits.DiskBytes
}

// diskUsage is the size of all regular files in a folder and below; what
// vanishes meanwhile has none.
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

// resident is the memory, in bytes, that a process and its descendants have.
// What they share counts for each.
func resident(pid int) int64 {
	pages := int64(0)
	if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		if fields := bytes.Fields(data); len(fields) > 1 {
			pages, _ = strconv.ParseInt(string(fields[1]), 10, 64)
		}
	}
	total := pages * int64(os.Getpagesize())
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return total // it has ended
	}
	for _, thread := range threads {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))
		if err != nil {
			continue // ended, or a kernel that does not tell
		}
		for _, word := range bytes.Fields(data) {
			if child, err := strconv.Atoi(string(word)); err == nil {
				total += resident(child)
			}
		}
	}
	return total
}
