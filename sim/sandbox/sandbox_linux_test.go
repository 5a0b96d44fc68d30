package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim/sandbox"
)

// shell is a command that runs script; its output goes to files in dir.
func shell(dir, script string) sandbox.Command {
	return sandbox.Command{
		Path: "/bin/sh", Args: []string{"-c", script}, Dir: dir,
		Stdout: filepath.Join(dir, "out"), Stderr: filepath.Join(dir, "err"),
		Grace: 200 * time.Millisecond,
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// alive reports whether the process whose number is in a file still runs.
func alive(t *testing.T, path string) bool {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// An orphan that is not reaped yet is dead all the same.
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// gone requires a process that was killed to end. It must run for that, which can take
// seconds where twenty others want the processors: only a failure takes a minute.
func gone(t *testing.T, path string) {
	t.Helper()
	for range 6000 {
		if !alive(t, path) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %s still runs", strings.TrimSpace(read(t, path)))
}

func TestEnds(t *testing.T) {
	for _, test := range []struct {
		script string
		code   int
		signal syscall.Signal
	}{
		{"exit 0", 0, 0},
		{"exit 7", 7, 0},
		{"kill -SEGV $$", -1, syscall.SIGSEGV},
		{"kill -KILL $$", -1, syscall.SIGKILL},
	} {
		end, err := sandbox.Run(context.Background(), shell(t.TempDir(), test.script))
		if err != nil || end.TimedOut {
			t.Errorf("%s: %v, timed out %v", test.script, err, end.TimedOut)
		}
		if end.Code != test.code || end.Signal != test.signal {
			t.Errorf("%s: code %d, signal %d, want %d, %d", test.script, end.Code, end.Signal, test.code, test.signal)
		}
	}
}

// limited is a script that waits until a condition of test(1) on the limits holds:
// without a filter, limits take effect after the start, when this process runs again.
func limited(condition string) string {
	return "for i in $(seq 6000); do [ " + condition + " ] && break; sleep 0.01; done; "
}

// fileLimited is a condition: the size of files is bounded.
const fileLimited = `"$(ulimit -f)" != unlimited`

func TestSurroundings(t *testing.T) {
	t.Setenv("ORDEAL_SECRET", "x")
	dir := t.TempDir()
	c := shell(dir, limited(fileLimited)+`pwd; echo "$ORDEAL_SECRET$GIVEN"; cat; cut -d' ' -f5 /proc/$$/stat; echo $$ $PPID; ulimit -c; ulimit -f; echo no >&2`)
	c.Env = []string{"GIVEN=y", "PATH=/usr/bin:/bin"}
	c.Limits.FileBytes = 1 << 20
	for _, c.Isolation = range []sandbox.Isolation{{}, sandbox.BestIsolation()} {
		if _, err := sandbox.Run(context.Background(), c); err != nil {
			t.Fatal(err)
		}
		lines := strings.Fields(read(t, c.Stdout))
		if len(lines) < 6 {
			t.Fatalf("isolation %v: stdout %q", c.Isolation, lines)
		}
		// The process leads its group, or the shim does, its parent.
		pid, parent := lines[3], lines[4]
		group := pid
		if c.Isolation.Filter {
			group = parent
		}
		if diff := cmp.Diff([]string{dir, "y", group, pid, parent, "0", "2048"}, lines); diff != "" {
			t.Errorf("isolation %v: stdout (-want +got)\n%s", c.Isolation, diff)
		}
		if got := read(t, c.Stderr); got != "no\n" {
			t.Errorf("isolation %v: stderr %q", c.Isolation, got)
		}
	}
}

func TestOutputLimit(t *testing.T) {
	dir := t.TempDir()
	c := shell(dir, "sleep 0.1; while :; do echo 0123456789; done")
	c.Limits.FileBytes = 10_000
	c.Timeout = 10 * time.Minute // without the limit it writes for ever
	end, err := sandbox.Run(context.Background(), c)
	if err != nil || end.Signal != syscall.SIGXFSZ {
		t.Errorf("%+v, %v", end, err)
	}
	if got := len(read(t, c.Stdout)); got != 10_000 {
		t.Errorf("%d bytes kept, want 10000", got)
	}
}

// TestTimeout has a process that ends on SIGTERM in its own way, one that
// ignores it, and one with a child that ignores it: output is kept, and
// nothing is left.
func TestTimeout(t *testing.T) {
	for _, test := range []struct {
		name, script string
		code         int
		signal       syscall.Signal
	}{
		{"obedient", "echo $$ > pid; trap 'echo last words; exit 3' TERM; echo begun; while :; do sleep 0.01; done", 3, 0},
		{"deaf", "echo $$ > pid; trap '' TERM; echo begun; while :; do sleep 0.01; done", -1, syscall.SIGKILL},
		{"deaf child", "(trap '' TERM; while :; do sleep 0.01; done) & echo $! > pid; echo begun; wait", -1, syscall.SIGTERM},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := shell(dir, test.script)
			c.Env = []string{"PATH=/usr/bin:/bin"}
			var end sandbox.Result
			var err error
			// On a busy machine the script may take long to begin, and to end in its
			// own way.
			for c.Timeout = 300 * time.Millisecond; c.Timeout < time.Minute; c.Timeout *= 3 {
				c.Grace = c.Timeout
				end, err = sandbox.Run(context.Background(), c)
				if err != nil || !end.TimedOut {
					t.Errorf("%v, timed out %v", err, end.TimedOut)
				}
				if end.Code == test.code && end.Signal == test.signal && strings.HasPrefix(read(t, c.Stdout), "begun\n") {
					break
				}
			}
			if end.Code != test.code || end.Signal != test.signal {
				t.Errorf("code %d, signal %d, want %d, %d", end.Code, end.Signal, test.code, test.signal)
			}
			out := read(t, c.Stdout)
			if !strings.HasPrefix(out, "begun\n") || (test.code == 3) != strings.Contains(out, "last words") {
				t.Errorf("stdout %q", out)
			}
			gone(t, filepath.Join(dir, "pid"))
		})
	}
}

func TestLeftoverChild(t *testing.T) {
	dir := t.TempDir()
	c := shell(dir, "(while :; do sleep 0.01; done) & echo $! > pid")
	c.Env = []string{"PATH=/usr/bin:/bin"}
	if end, err := sandbox.Run(context.Background(), c); err != nil || end.Code != 0 {
		t.Errorf("%+v, %v", end, err)
	}
	gone(t, filepath.Join(dir, "pid"))
}

func TestCancel(t *testing.T) {
	dir := t.TempDir()
	c := shell(dir, "trap '' TERM; echo $$ > pid; while :; do sleep 0.01; done")
	c.Env = []string{"PATH=/usr/bin:/bin"}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	pid := filepath.Join(dir, "pid")
	go func() {
		for text := []byte(nil); !bytes.HasSuffix(text, []byte("\n")); time.Sleep(time.Millisecond) {
			text, _ = os.ReadFile(pid)
		}
		cancel(cause)
	}()
	if _, err := sandbox.Run(ctx, c); !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}
	gone(t, pid)
	if _, err := sandbox.Run(ctx, c); !errors.Is(err, cause) {
		t.Errorf("started after the end: error %v", err)
	}
}

func TestCannotStart(t *testing.T) {
	dir := t.TempDir()
	c := shell(dir, "")
	c.Path = filepath.Join(dir, "nothing")
	for _, c.Isolation = range []sandbox.Isolation{{}, sandbox.BestIsolation()} {
		if _, err := sandbox.Run(context.Background(), c); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("isolation %v: error %v", c.Isolation, err)
		}
	}
	c = shell(dir, "")
	c.Stdout = filepath.Join(dir, "no", "out")
	if _, err := sandbox.Run(context.Background(), c); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestCPUs(t *testing.T) {
	cpus, err := sandbox.CPUs()
	if err != nil || len(cpus) == 0 {
		t.Fatal(cpus, err)
	}
	if err := sandbox.Pin(0, 1<<20); err == nil {
		t.Error("processor 1048576 exists")
	}
}

// TestExecutablesInParallel fails with ETXTBSY when a process is started
// while another goroutine writes its executable.
func TestExecutablesInParallel(t *testing.T) {
	script := []byte("#!/bin/sh\nexit 0\n")
	var wg sync.WaitGroup
	for range 4 {
		dir := t.TempDir()
		wg.Go(func() {
			for i := range 25 {
				path := filepath.Join(dir, strconv.Itoa(i))
				if err := sandbox.WriteExecutable(path, script); err != nil {
					t.Error(err)
				}
				if _, err := sandbox.Run(context.Background(), sandbox.Command{Path: path}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
