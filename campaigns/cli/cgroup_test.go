package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
)

// TestControlGroup checks a long trace in a control group that has little memory
// for it: the procedures decide it or say how much they or its reading need, and
// the kernel kills none. It needs -soak, and version 1 of control groups, writable.
func TestControlGroup(t *testing.T) {
	if !*soak {
		t.Skip("needs -soak")
	}
	group := fmt.Sprintf("/sys/fs/cgroup/memory/ordeal-test-%d", os.Getpid())
	if err := os.Mkdir(group, 0o700); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { must.Succeed(t, os.Remove(group)) })
	must.Succeed(t, os.WriteFile(filepath.Join(group, "memory.limit_in_bytes"), []byte("104857600"), 0o600))
	trace := filepath.Join(t.TempDir(), "long.axe")
	for _, c := range []struct {
		procedure  string
		operations int
	}{
		{"auto", 400_000},
		{"sat-full", 400_000},
		{"wsc+dbcop", 400_000},
		{"auto", 2_000_000},
	} {
		writeLong(t, trace, c.operations)
		cmd := exec.CommandContext(t.Context(), "sh", "-c", `echo $$ > "$1/cgroup.procs" && exec "$2" check --procedure "$3" --model sc "$4"`,
			"sh", group, lookPath(t, "ordeal"), c.procedure, trace)
		out, err := cmd.CombinedOutput()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		decided := status.ExitStatus() == 0 && string(out) == "allowed\n"
		refused := status.ExitStatus() == 3 && strings.HasPrefix(string(out), "unknown memory budget exhausted: about ")
		if !decided && !refused {
			t.Errorf("%s, %d operations: %v: %s", c.procedure, c.operations, err, out)
		}
		t.Logf("%s: peak %d MiB: %s", c.procedure, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10, out)
	}
}

// TestControlGroupExplore explores a machine with more states than a control group has memory for: the
// search ends at a limit, twice, from the checkpoint of which it goes on, and the kernel does not kill it. It
// needs what TestControlGroup needs.
func TestControlGroupExplore(t *testing.T) {
	if !*soak {
		t.Skip("needs -soak")
	}
	group := fmt.Sprintf("/sys/fs/cgroup/memory/ordeal-test-explore-%d", os.Getpid())
	if err := os.Mkdir(group, 0o700); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { must.Succeed(t, os.Remove(group)) })
	must.Succeed(t, os.WriteFile(filepath.Join(group, "memory.limit_in_bytes"), []byte("100000000"), 0o600))
	dir := filepath.Join(t.TempDir(), "explored")
	expanded := 0
	for _, args := range []string{"--protocol mesi-two-level --lines 2 --dma 1 --dir " + dir, "--resume " + dir} {
		cmd := exec.CommandContext(t.Context(), "sh", append([]string{
			"-c", `echo $$ > "$1/cgroup.procs" && shift && exec "$@"`, "sh", group, lookPath(t, "ordeal"), "explore", "--quiet"}, strings.Fields(args)...)...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != summary.ExitUndecided || !regexp.MustCompile(`(?m)^end +incomplete after [0-9,]+ orbits of states, depth [0-9]+: limit of memory$`).Match(out) {
			t.Fatalf("%s: %v: %s", args, err, out)
		}
		r, err := exploration.ReadResult(dir)
		if err != nil || int(r.Expanded) <= expanded {
			t.Errorf("%s: %d states expanded, %d before: %v", args, r.Expanded, expanded, err)
		}
		expanded = int(r.Expanded)
	}
}

// TestReadingMemory gives check less memory than a trace takes that is read.
func TestReadingMemory(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "long.axe")
	writeLong(t, trace, 250_000) // 7 MB as operations and lines, 3.8 MB as text
	out, err := process(t, "check", "--memory", "1MB", trace).Output()
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) || exit.ExitCode() != summary.ExitUndecided ||
		!regexp.MustCompile(`^unknown memory budget exhausted: about [0-9]+ MiB needed to read it, 977 KiB allowed\n$`).Match(out) {
		t.Errorf("%v: %s", err, out)
	}
}

// writeLong writes a trace of 64 threads whose operations came one after another.
func writeLong(t *testing.T, name string, operations int) {
	t.Helper()
	f, err := os.Create(name)
	must.Succeed(t, err)
	w := bufio.NewWriter(f)
	const threads, locations = 64, 16
	var memory [locations]int
	for i := 1; i <= operations; i++ {
		x := i * 7 % locations
		if i*i%3 == 1 && i%5 == 0 {
			memory[x] = i
			fmt.Fprintf(w, "%d: M[%d] := %d\n", i%threads, x, i)
		} else {
			fmt.Fprintf(w, "%d: M[%d] == %d\n", i%threads, x, memory[x])
		}
	}
	must.Succeed(t, errors.Join(w.Flush(), f.Close()))
}
