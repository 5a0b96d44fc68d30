//go:build unix

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestInterruptedWork interrupts commands in the middle of their work, soon and later, which none of them
// outlasts: the limit is one of hanging, far above what they take.
func TestInterruptedWork(t *testing.T) {
	t.Chdir(t.TempDir())
	for n, line := range []string{
		"explore --protocol moesi-hammer --cores 3 --dir DIR",
		"audit --protocol mesi-two-level --cpu 10m --dir DIR",
		"audit --protocol mi --cpu 10m --title x* --dir DIR",
		"mutate run --protocol mesi-two-level --dir DIR",
		"mutate bugs",
		"run --protocol mi --seed 1 --threads 8 --ops 20000 --rounds 100 --dir DIR",
	} {
		for i, after := range []time.Duration{10 * time.Millisecond, 500 * time.Millisecond} {
			var output bytes.Buffer
			ctx, stop := context.WithTimeout(t.Context(), after)
			e := command.NewEnv([]string{"ordeal"}, strings.NewReader(""), &output, &output)
			e.Stop = ctx.Done()
			root := newRoot(e, nil, commands)
			root.SetArgs(strings.Fields(strings.ReplaceAll(line, "DIR", fmt.Sprintf("%d-%d", n, i))))
			ended := make(chan int, 1)
			go func() { ended <- e.Finish(root.ExecuteContext(ctx)) }()
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Fatalf("%s: not ended a minute after its interrupt at %v: %s", line, after, &output)
			}
			stop()
		}
	}
}
