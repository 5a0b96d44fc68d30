package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
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

// repaired makes a repository of two commits, the second of which repairs MI_example, and a list with that bug.
func repaired(t *testing.T) (clone, list string) {
	t.Helper()
	inputsOf(t)
	slicc, err := filepath.Abs("tree/src/mem/ruby/protocol/MI_example-cache.sm")
	must.Succeed(t, err)
	good, err := os.ReadFile("good.sm")
	must.Succeed(t, err)
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", "tree", "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	for _, name := range []string{"MOESI_hammer", "MOESI_AMD_Base", "MESI_Two_Level"} {
		must.Succeed(t, os.Remove(filepath.Join(filepath.Dir(slicc), name+".slicc")))
	}
	git("add", "-A")
	git("commit", "-qm", "bad")
	must.Succeed(t, os.WriteFile(slicc, good, 0o600))
	git("commit", "-qam", "good")
	commit := git("rev-parse", "HEAD")
	clone, err = filepath.Abs("tree")
	must.Succeed(t, err)
	list = filepath.Join(clone, "..", "list.yaml")
	text := fmt.Sprintf("base: %[1]s\nbugs: [{id: a, protocol: MI_example, about: x, cause: missing row, fix: %[1]s}]\n", commit)
	must.Succeed(t, os.WriteFile(list, []byte(text), 0o600))
	return clone, list
}

// TestOneProcess begins each command that takes long twice in one directory: the second is refused at
// once, and names the directory and the first, which ends as if there had been no other.
func TestOneProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for commands that take seconds")
	}
	clone, list := repaired(t)
	for _, c := range []struct{ line, begun, says, second string }{
		{"audit --protocol mesi-two-level --steps 1000000 --dir DIR", "campaign.json", "work ", "campaign resume DIR"},
		{"explore --protocol mesi-two-level --cores 3 --max-states 60000 --dir DIR", "exploration.json", "visited ", ""},
		{"explore --protocol mesi-two-level --cores 3 --max-states 60000 --dir DIR", "exploration.json", "visited ", "explore --resume DIR"},
		{"mutate run --protocol mi --core tso --budget 20000 --dir DIR", "matrix.jsonl", "mi, tso", ""},
		{"bench papers --only wsc-kernel --scale 0.01 -o DIR", "results.jsonl", "wsc-kernel", ""},
		{"bench bugs --bugs LIST --gem5-tree CLONE --cpu 0s --steps 1000000 --dir DIR", "audits.jsonl", "found 1 of 1", ""},
		{"bench history --since HEAD~1 --gem5-tree CLONE --cpu 0s --steps 1000000 --dir DIR", "audits.jsonl", "MI_example", ""},
	} {
		dir := filepath.Join(t.TempDir(), "dir")
		begin := func(line string) *exec.Cmd {
			return process(t, strings.Fields(strings.NewReplacer("DIR", dir, "CLONE", clone, "LIST", list).Replace(line))...)
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
