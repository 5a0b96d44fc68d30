package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
)

// TestOneProcess begins each command that takes long twice in one directory: the second is refused at
// once, and names the directory and the first, which ends as if there had been no other.
func TestOneProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for commands that take seconds")
	}
	for _, c := range []struct{ line, begun, says, second string }{
		{"audit --protocol mesi-two-level --steps 1000000 --dir DIR", "campaign.json", "work ", "campaign resume DIR"},
		{"explore --protocol mesi-two-level --cores 3 --max-states 60000 --dir DIR", "exploration.json", "visited ", ""},
		{"explore --protocol mesi-two-level --cores 3 --max-states 60000 --dir DIR", "exploration.json", "visited ", "explore --resume DIR"},
		{"mutate run --protocol mi --core tso --budget 20000 --dir DIR", "matrix.jsonl", "mi, tso", ""},
		{"bench papers --only wsc-kernel --scale 0.01 -o DIR", "results.jsonl", "wsc-kernel", ""},
	} {
		dir := filepath.Join(t.TempDir(), "dir")
		begin := func(line string) *exec.Cmd {
			return process(t, strings.Fields(strings.ReplaceAll(line, "DIR", dir))...)
		}
		first := begin(c.line)
		var said bytes.Buffer
		first.Stdout, first.Stderr = &said, &said
		must.Succeed(t, first.Start())
		for start := time.Now(); !run.Exists(filepath.Join(dir, c.begun)) && time.Since(start) < patience; {
			time.Sleep(time.Millisecond)
		}
		must.Succeed(t, first.Process.Signal(syscall.SIGSTOP)) // it does not end before the second begins
		second, err := begin(cmp.Or(c.second, c.line)).CombinedOutput()
		must.Succeed(t, first.Process.Signal(syscall.SIGCONT))
		_ = first.Wait() // its exit status tells
		holder := fmt.Sprintf("(process %d)", first.Process.Pid)
		if err == nil || !strings.Contains(string(second), dir) || !strings.Contains(string(second), "another process") || !strings.Contains(string(second), holder) {
			t.Errorf("%s: a second one: %v\n%s", c.line, err, second)
		}
		if status := first.ProcessState.ExitCode(); status == summary.ExitInfra || status == summary.ExitUsage || !strings.Contains(said.String(), c.says) {
			t.Errorf("%s: the first one ends with %d\n%s", c.line, status, &said)
		}
	}
}
