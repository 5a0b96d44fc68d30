package sandbox_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ordeal/sim/sandbox"
)

// TestKernelLimits reads the limits of a process off the kernel.
func TestKernelLimits(t *testing.T) {
	dir := t.TempDir()
	c := shell(dir, limited(`"$(ulimit -n)" = 7`)+"ulimit -c; ulimit -f; ulimit -v; ulimit -t; ulimit -n; ulimit -u")
	c.Env = []string{"PATH=/usr/bin:/bin"}
	c.Path = bash(t)
	var inherited syscall.Rlimit
	const nproc = 6
	if err := syscall.Getrlimit(nproc, &inherited); err != nil {
		t.Fatal(err)
	}
	// The limits of this process may be those that are wanted.
	var cores syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &cores); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: cores.Max, Max: cores.Max}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &cores); err != nil {
			t.Error(err)
		}
	}()
	c.Limits = sandbox.Limits{
		FileBytes: 3 << 10, AddressBytes: 1 << 30, CPUTime: 1500 * time.Millisecond, OpenFiles: 7, Processes: 300, DiskBytes: 1 << 20,
	}
	for _, c.Isolation = range []sandbox.Isolation{{}, sandbox.BestIsolation()} {
		if _, err := sandbox.Run(context.Background(), c); err != nil {
			t.Fatal(err)
		}
		got := strings.Fields(read(t, c.Stdout))
		if len(got) != 6 {
			t.Fatalf("limits %q", got)
		}
		if want := "0 3 1048576 2 7"; strings.Join(got[:5], " ") != want {
			t.Errorf("isolation %v: limits %q, want %s", c.Isolation, got, want)
		}
		if own := c.Isolation.Has(sandbox.UserNamespace); own != (got[5] == "300") && inherited.Cur != 300 {
			t.Errorf("isolation %v: %s processes", c.Isolation, got[5])
		}
	}
}

func bash(t *testing.T) string {
	t.Helper()
	const path = "/bin/bash" // other shells' ulimit does not know all limits
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	return path
}

// TestLowerLimit asks for more than the caller may have: it keeps what it has.
func TestLowerLimit(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may have any limit")
	}
	c := shell(t.TempDir(), "ulimit -n")
	c.Limits.OpenFiles = 1 << 30
	if _, err := sandbox.Run(context.Background(), c); err != nil {
		t.Error(err)
	}
}

// TestMemoryLimit has a child of the process take memory, which counts, and
// not the process itself.
func TestMemoryLimit(t *testing.T) {
	const hoard = `x=$(head -c 30000000 /dev/zero | tr '\0' x); sleep 20`
	for _, test := range []struct {
		script string
		limit  int64
		want   sandbox.Limit
	}{
		{hoard, 20 << 20, sandbox.MemoryLimit},
		{"(" + hoard + ") & echo $! > pid; wait", 20 << 20, sandbox.MemoryLimit},
		{"sleep 0.3", 20 << 20, sandbox.NoLimit},
		{"echo", 0, sandbox.NoLimit},
	} {
		dir := t.TempDir()
		c := shell(dir, "echo begun; "+test.script)
		c.Env = []string{"PATH=/usr/bin:/bin"}
		c.Limits.ResidentBytes = test.limit
		end, err := sandbox.Run(context.Background(), c)
		if err != nil || end.Exceeded != test.want {
			t.Errorf("%s: %v, exceeded %v, want %v", test.script, err, end.Exceeded, test.want)
		}
		if (end.Signal == syscall.SIGKILL) != (test.want != sandbox.NoLimit) {
			t.Errorf("%s: signal %d, want a kill beyond a limit only: %+v", test.script, end.Signal, end)
		}
		if read(t, c.Stdout) != "begun\n" && test.limit > 0 {
			t.Errorf("%s: the output is lost", test.script)
		}
		if strings.Contains(test.script, "pid") {
			gone(t, filepath.Join(dir, "pid"))
		}
	}
}

// TestDiskLimit has a process write several files, also in folders, or one
// large one; what was there before does not count.
func TestDiskLimit(t *testing.T) {
	for _, test := range []struct {
		name, script string
		want         sandbox.Limit
	}{
		{"many files", "mkdir -p a; for i in 1 2 3 4 5 6; do head -c 300 /dev/zero > a/$i; done; sleep 20", sandbox.DiskLimit},
		{"one file", "trap '' XFSZ; head -c 5000 /dev/zero > one 2> /dev/null; exit 0", sandbox.DiskLimit},
		{"output", "trap '' XFSZ; head -c 5000 /dev/zero 2> /dev/null; exit 0", sandbox.DiskLimit},
		{"little", "head -c 900 /dev/zero > one", sandbox.NoLimit},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "before"), make([]byte, 3000), 0o644); err != nil {
				t.Fatal(err)
			}
			c := shell(dir, test.script)
			c.Env = []string{"PATH=/usr/bin:/bin"}
			c.Limits.DiskBytes = 1000
			if c.Isolation = sandbox.BestIsolation(); !c.Isolation.Filter {
				c.Args[1] = limited(fileLimited) + c.Args[1]
			}
			end, err := sandbox.Run(context.Background(), c)
			if err != nil || end.Exceeded != test.want {
				t.Errorf("%+v, %v", end, err)
			}
			for _, kept := range []string{"one", "out"} {
				if info, err := os.Stat(filepath.Join(dir, kept)); err == nil && info.Size() > 1000 {
					t.Errorf("%s has %d bytes", kept, info.Size())
				}
			}
		})
	}
}
