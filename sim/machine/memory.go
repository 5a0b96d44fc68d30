// Package machine asks the system what it leaves to this process.
package machine

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// Memory is how many bytes the machine and the control groups of the process
// leave. 0 means that the system does not say.
func Memory() int64 { return available(os.DirFS("/")) }

// available reads from the root of a file system what proc(5) and cgroups(7) say.
func available(root fs.FS) int64 {
	least, total := int64(math.MaxInt64), int64(math.MaxInt64)
	if b, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		if n, ok := field(b, "MemAvailable:"); ok {
			least = n << 10
		}
		if n, ok := field(b, "MemTotal:"); ok {
			total = n << 10
		}
	}
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		// hierarchy:controllers:path
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		switch {
		case part[0] == "0" && part[1] == "":
			least = min(least, groupLeaves(root, total, "sys/fs/cgroup", part[2], "memory.max", "memory.current", "inactive_file"))
		case strings.Contains(","+part[1]+",", ",memory,"):
			least = min(least, groupLeaves(root, total, "sys/fs/cgroup/memory", part[2], "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"))
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// groupLeaves is the least that a control group and those above it leave: the
// limit less what is used, cached files that can go left out. In a container the
// mount point may be the group itself, so that the path leads nowhere. A limit
// that the whole machine does not reach binds nothing.
func groupLeaves(root fs.FS, total int64, mount, group, limit, used, cached string) int64 {
	least := int64(math.MaxInt64)
	for dir := path.Join(mount, path.Join("/", group)); len(dir) >= len(mount); dir = path.Dir(dir) {
		most, ok := number(root, path.Join(dir, limit))
		if !ok || most >= total {
			continue
		}
		now, _ := number(root, path.Join(dir, used))
		stat, _ := fs.ReadFile(root, path.Join(dir, "memory.stat"))
		files, _ := field(stat, cached)
		// A group that is used up still leaves something: 0 would be no limit.
		least = min(least, max(most-max(now-files, 0), 1<<20))
	}
	return least
}

// number reads a file that holds one number; "max" is none.
func number(root fs.FS, name string) (int64, bool) {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil
}

// field is the number after a word at the beginning of a line.
func field(text []byte, word string) (int64, bool) {
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(line, []byte(word))
		if f := bytes.Fields(rest); ok && len(f) > 0 && rest[0] == ' ' {
			n, err := strconv.ParseInt(string(f[0]), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
