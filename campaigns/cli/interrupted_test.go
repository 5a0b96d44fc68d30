//go:build unix

package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
)

// TestInterruptedInput has commands read a FIFO that nothing writes to, and a
// standard input that does not end: after the first signal none waits for them.
func TestInterruptedInput(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Succeed(t, syscall.Mkfifo("fifo", 0o600))
	must.Succeed(t, syscall.Mkfifo("@fifo", 0o600))
	must.Succeed(t, os.WriteFile("c.yaml", []byte("name: c\nsim: builtin\nconfigs: [{name: a, runs: 1, protocol: mi}]\n"), 0o600))
	stdin, never := io.Pipe()
	defer never.Close()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for line := range strings.SplitSeq(`check fifo
check --follow fifo
check -
verify fifo
verify -
convert --to axe fifo
run --sim builtin --protocol mi --dir none fifo
run --sim builtin --protocol mi --dir none -
explore --protocol mi --program fifo
litmus --sim builtin --protocol mi --dir none fifo
litmus --sim builtin --protocol mi --dir none @fifo
campaign run --dir none fifo
campaign run --dir none -
campaign run --dir none --known fifo c.yaml
campaign submit --shards 2 --dir none fifo
repro --campaign fifo --run 0
mutate bugs --file fifo
bench bugs --bugs fifo`, "\n") {
		var output bytes.Buffer
		e := command.NewEnv([]string{"ordeal"}, stdin, &output, &output)
		e.Stop = stopped.Done()
		root := newRoot(e, nil, commands)
		root.SetArgs(strings.Fields(line))
		if status := e.Finish(root.ExecuteContext(stopped)); status != summary.ExitUndecided {
			t.Errorf("%s: status %d, want %d: %s", line, status, summary.ExitUndecided, &output)
		}
		left, err := filepath.Glob("none*")
		must.Succeed(t, err)
		if len(left) > 0 {
			t.Errorf("%s left %v", line, left)
		}
	}
	// What waits goes on to wait.
	for _, name := range []string{"fifo", "@fifo"} {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		must.Succeed(t, err)
		must.Succeed(t, f.Close())
	}
}
