package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ordeal/campaigns/internal/must"
)

// TestControlGroup checks a long trace in a control group that has little memory
// for it: the procedures decide it or say how much they need, and the kernel
// kills none. It needs -soak, and version 1 of control groups, writable.
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
	f, err := os.Create(trace)
	must.Succeed(t, err)
	w := bufio.NewWriter(f)
	const threads, locations, operations = 64, 16, 400_000
	var memory [locations]int
	for i := 1; i <= operations; i++ { // one after another
		x := i * 7 % locations
		if i*i%3 == 1 && i%5 == 0 {
			memory[x] = i
			fmt.Fprintf(w, "%d: M[%d] := %d\n", i%threads, x, i)
		} else {
			fmt.Fprintf(w, "%d: M[%d] == %d\n", i%threads, x, memory[x])
		}
	}
	must.Succeed(t, errors.Join(w.Flush(), f.Close()))
	for _, procedure := range []string{"auto", "sat-full", "wsc+dbcop"} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", `echo $$ > "$1/cgroup.procs" && exec "$2" check --procedure "$3" --model sc "$4"`,
			"sh", group, lookPath(t, "ordeal"), procedure, trace)
		out, err := cmd.CombinedOutput()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		decided := status.ExitStatus() == 0 && string(out) == "allowed\n"
		refused := status.ExitStatus() == 3 && strings.Contains(string(out), "unknown memory budget exhausted: about ")
		if !decided && !refused {
			t.Errorf("%s: %v: %s", procedure, err, out)
		}
		t.Logf("%s: peak %d MiB: %s", procedure, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10, out)
	}
}
