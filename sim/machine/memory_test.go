package machine

import (
	"testing"
	"testing/fstest"
)

// What is available is the least of what the machine and each control group
// leave, whatever the version and the place of the groups.
func TestMemory(t *testing.T) {
	const meminfo = "MemTotal: 4194304 kB\nMemAvailable: 2097152 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing known": {nil, 0},
		"machine":       {map[string]string{"proc/meminfo": meminfo}, 2 << 30},
		"group without limit": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n"}, 2 << 30},
		"group": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "1000000000\n", "sys/fs/cgroup/a/b/memory.current": "600000000\n",
			"sys/fs/cgroup/a/b/memory.stat": "anon 1\ninactive_file 100000000\n"}, 500000000},
		"group above": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "1000000000\n", "sys/fs/cgroup/a/memory.max": "40000000\n"}, 40000000},
		"group above the machine": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "4294967296\n", "sys/fs/cgroup/a/memory.current": "4294967000\n"}, 2 << 30},
		"group just below the machine": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "4294967295\n", "sys/fs/cgroup/a/memory.current": "4294000000\n"}, 1 << 20},
		"longer word first": {map[string]string{"proc/meminfo": "MemAvailable:x 1 kB\n" + meminfo}, 2 << 30},
		"container": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../../x\n",
			"sys/fs/cgroup/memory.max": "80000000\n"}, 80000000},
		"group used up": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "80000000\n", "sys/fs/cgroup/memory.current": "90000000\n"}, 1 << 20},
		"version 1": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu:/\n4:hugetlb,memory:/job\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "1048576000\n", "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "48576000\n"}, 1000000000},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := available(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
