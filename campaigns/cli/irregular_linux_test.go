package cli

import (
	"bytes"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ordeal/campaigns/internal/must"
)

// irregular lists, for each way in which a command opens a path, a command line; BAD is the path, and ends in
// what the command wants of names. What users may name as <(...) is in TestInterruptedInput.
var irregular = []string{
	"run --slicc BAD --seed 1 --dir OUT",
	"run --slicc broken/MI_example.slicc --builtins BAD --seed 1 --dir OUT",
	"run --sim gem5 --gem5 /bin/true --gem5-tree BAD --seed 1 --dir OUT",
	"run --sim gem5 --gem5 BAD --gem5-tree tree --seed 1 --dir OUT",
	"run --protocol mi --set machine.machine-file=BAD --seed 1 --dir OUT",
	"explore --slicc BAD --dir OUT",
	"explore --resume BAD",
	"audit --slicc BAD --cpu 1s --dir OUT",
	"audit --gem5-tree BAD --protocol MI_example --cpu 1s --dir OUT",
	"audit --protocol mi --cpu 1s --dir BAD",
	"slicc check BAD",
	"slicc convert BAD",
	"slicc table BAD",
	"mutate list --slicc BAD",
	"mutate show --results BAD MI_example/L1Cache/(M,Load)/delete",
	"mutate apply --gem5-tree BAD --protocol MI_example --repair",
	"mutate run --slicc BAD --dir OUT",
	"mutate repair BAD",
	"bench bugs --gem5-tree BAD --dir OUT",
	"bench history --gem5-tree BAD --since HEAD --dir OUT",
	"campaign run --dir OUT includes.yaml",
	"campaign run --dir OUT machine.yaml",
	"campaign resume BAD",
	"campaign status BAD",
	"campaign report -o - BAD",
	"campaign diff BAD failed-night",
	"campaign merge -o OUT BAD",
	"campaign trend BAD",
	"campaign query --db BAD SELECT",
	"campaign reindex --db BAD failed-night",
	"campaign cancel BAD",
	"repro BAD",
	"explain BAD",
	"litmus --protocol mi --rounds 1 --dir OUT @list",
	"serve BAD",
}

// TestIrregular has commands find a pipe, a socket, a directory or a device where they look for a file: they
// say so, and none waits for another process.
func TestIrregular(t *testing.T) {
	inputsOf(t)
	const bad = "bad.yaml"
	for name, text := range map[string]string{
		"includes.yaml": "include: [bad.yaml]\nname: c\nsim: builtin\nconfigs: [{name: a, runs: 1, protocol: mi}]\n",
		"machine.yaml":  "name: c\nsim: builtin\nconfigs: [{name: a, runs: 1, protocol: mi, machine-file: bad.yaml}]\n",
		"@list":         bad + "\n",
	} {
		must.Succeed(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for kind, plant := range map[string]func() error{
		"pipe":   func() error { return syscall.Mkfifo(bad, 0o600) },
		"device": func() error { return os.Symlink("/dev/zero", bad) },
		"socket": func() error {
			l, err := net.Listen("unix", bad)
			if err == nil {
				t.Cleanup(func() { _ = l.Close() })
			}
			return err
		},
	} {
		must.Succeed(t, plant())
		for _, line := range irregular {
			var stdout, stderr bytes.Buffer
			ended := begin(func() int {
				return Main(append([]string{"ordeal"}, strings.Fields(strings.NewReplacer("BAD", bad, "OUT", "out-irregular").Replace(line))...), manual(), strings.NewReader(""), &stdout, &stderr)
			})
			select {
			case status := <-ended:
				if status < 2 || status > 4 || stderr.Len() == 0 && stdout.Len() == 0 {
					t.Errorf("ordeal %s, where there is a %s: exit status %d\n%s%s", line, kind, status, &stdout, &stderr)
				}
			case <-time.After(time.Minute):
				t.Fatalf("ordeal %s, where there is a %s, waits for it", line, kind)
			}
			must.Succeed(t, os.RemoveAll("out-irregular"))
		}
		must.Succeed(t, os.Remove(bad))
	}
}

// begin begins a command.
func begin(command func() int) <-chan int {
	ended := make(chan int, 1)
	go func() { ended <- command() }()
	return ended
}
