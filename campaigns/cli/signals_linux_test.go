package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
)

// stubborn is a tool that neither answers nor ends when it is asked to.
const stubborn = "#!/bin/sh\ntrap '' TERM INT\nwhile :; do sleep 1; done\n"

// phases lists commands by what they do when the signal comes: each would go on for hours, or for ever. In the
// words, BEGUN is a file that is there as soon as the phase is; one that waits for a tool has a child; others begin
// a moment after the command, which its profile shows.
var phases = []struct {
	name, line string
	statuses   []int
}{
	{"reads standard input", "check -", []int{3}},
	{"follows standard input", "check --follow --format axe -", []int{3}},
	{"reads a pipe", "check pipe", []int{3}},
	{"reads the program of a log from a pipe", "check --program pipe passed/log.bin", []int{3}},
	{"verifies a pipe", "verify pipe", []int{3}},
	{"converts a pipe", "convert --to axe pipe", []int{3}},
	{"opens a pipe to write", "gen -o full-pipe", []int{3}},
	{"opens a pipe for the report", "campaign report -o full-pipe failed-night", []int{3}},
	{"opens a pipe for the page", "explain --html full-pipe failed", []int{3}},
	{"reads endless text", "run --protocol mi --dir OUT /dev/zero", []int{2, 3}},
	{"reads an enormous file", "check --format native enormous", []int{2, 3}},
	{"reads an enormous certificate", "verify enormous", []int{2, 3}},
	{"runs", "run --protocol mi --seed 1 --threads 8 --ops 20000 --rounds 600 --timeout 10h --dir OUT", []int{3}},
	{"runs on the host", "run --sim host --seed 1 --threads 2 --ops 1000 --rounds 100000 --timeout 10h --dir OUT", []int{3}},
	{"runs a campaign", "campaign run --quiet --dir BEGUN endless.yaml", []int{3}},
	{"explores", "explore --protocol moesi-hammer --cores 3 --lines 2 --dir BEGUN", []int{3}},
	{"audits", "audit --protocol mesi-two-level --cpu 10h --dir BEGUN", []int{3}},
	{"audits for git bisect", "audit --protocol mi --cpu 10h --title x* --dir BEGUN", []int{128}},
	{"audits what it has found bugs in", "audit --slicc broken/MI_example.slicc --cpu 10h --engines sample --dir BEGUN", []int{1, 3}},
	{"tries mutants", "mutate run --protocol mesi-two-level --dir BEGUN", []int{1, 3}},
	{"tries bugs", "mutate bugs --seeds 100000", []int{1, 3}},
	{"repeats experiments", "bench papers --scale 1 -o BEGUN", []int{3}},
	{"repeats a run", "repro --tries 1000000000 failed", []int{1, 3}},
	{"reduces", "reduce --model sc wide.axe", []int{1, 3}},
	{"searches repairs", "mutate repair --steps 1000000000000 --tries 1000000000 failed", []int{1, 3, 4}},
	{"runs litmus tests", "litmus --protocol mi --rounds 1000000000 --dir OUT sb.litmus", []int{3}},
	{"serves", "serve failed-night", []int{0}},
	{"waits for git", "bench bugs --gem5-tree clone --dir OUT", []int{3}},
	{"waits for git of a history", "bench history --gem5-tree clone --since v24.0..v25.0 --dir OUT", []int{3}},
	{"waits for sbatch", "campaign submit --shards 2 --time 1:00 --dir OUT endless.yaml", []int{3}},
	{"waits for herd7", "litmus --protocol mi --rounds 10 --herd herd7 --dir OUT sb.litmus", []int{3}},
	{"waits for gem5", "run --sim gem5 --gem5 tools/gem5 --gem5-tree tree --timeout 10h --seed 1 --dir OUT", []int{3}},
	{"waits for a rebuild", "run --sim gem5 --gem5 tools/gem5 --gem5-tree tree --protocol MI_example --mutant MI_example/L1Cache/(M,Store)/delete --rebuild BIN/scons --seed 1 --dir OUT", []int{3, 4}},
	{"waits for a tool's version", "doctor", []int{3, 0, 4}},
}

// TestSignals ends every command by SIGTERM in each of its phases, which would go on for hours. That it ends is
// wanted, within the patience of a machine that is busy elsewhere; two seconds are what it has of a free one.
func TestSignals(t *testing.T) {
	inputsOf(t)
	for _, name := range []string{"pipe", "full-pipe"} {
		must.Succeed(t, syscall.Mkfifo(name, 0o600))
	}
	must.Succeed(t, os.WriteFile("endless.yaml", []byte(strings.Replace(endless, "configs:", "sim: builtin\nconfigs:", 1)), 0o600))
	must.Succeed(t, os.WriteFile("enormous", nil, 0o600))
	must.Succeed(t, os.Truncate("enormous", 1<<40))
	var wide strings.Builder
	wide.WriteString("0: M[8] := 1\n0: M[9] == 0\n1: M[9] := 1\n1: M[8] == 0\n") // which SC forbids
	for n := range 20_000 {
		fmt.Fprintf(&wide, "%d: M[%d] := %d\n%d: M[%d] == 0\n", n, n%7, n+1, n, n%5)
	}
	must.Succeed(t, os.WriteFile("wide.axe", []byte(wide.String()), 0o600))
	for _, dir := range []string{"tools", "tree/configs/ruby", "clone/.git"} {
		must.Succeed(t, os.MkdirAll(dir, 0o700))
	}
	for _, tool := range []string{"git", "sbatch", "herd7", "gem5", "scons", "squeue"} {
		must.Succeed(t, os.WriteFile(filepath.Join("tools", tool), []byte(stubborn), 0o700))
	}
	here, err := os.Getwd()
	must.Succeed(t, err)
	path := filepath.Join(here, "tools") + ":" + os.Getenv("PATH")
	for n, p := range phases {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			begun := filepath.Join(here, fmt.Sprint("begun-", n))
			words := strings.Fields(strings.NewReplacer("BEGUN", begun, "OUT", fmt.Sprint("out-", n), "BIN", filepath.Join(here, "tools")).Replace(p.line))
			cmd := process(t, append(words, "--cpuprofile", fmt.Sprintf("profile-%d", n))...)
			stdin, never, err := os.Pipe()
			must.Succeed(t, err)
			defer never.Close()
			defer stdin.Close()
			var output bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = stdin, &output, &output, here
			cmd.Env = append(os.Environ(), "PATH="+path)
			must.Succeed(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			begins := func() bool {
				profiles, _ := filepath.Glob(fmt.Sprintf("*profile-%d.*", n)) // the pattern is well-formed
				return len(profiles) > 0 && (!strings.Contains(p.line, "BEGUN") || run.Exists(begun))
			}
			if strings.HasPrefix(p.name, "waits") {
				begins = func() bool {
					tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", cmd.Process.Pid)) // the pattern is well-formed
					return slices.ContainsFunc(tasks, func(file string) bool { text, _ := os.ReadFile(file); return len(text) > 0 })
				}
			}
			for start := time.Now(); !begins() && time.Since(start) < patience; {
				select {
				case <-ended:
					t.Fatalf("ended before the signal: %s", &output)
				case <-time.After(5 * time.Millisecond):
				}
			}
			select {
			case <-ended:
				t.Fatalf("ended before the signal: %s", &output)
			case <-time.After(300 * time.Millisecond):
			}
			must.Succeed(t, cmd.Process.Signal(syscall.SIGTERM))
			select {
			case <-ended:
			case <-time.After(time.Minute):
				must.Succeed(t, cmd.Process.Kill())
				t.Fatalf("a minute after SIGTERM it still runs: %s", &output)
			}
			if status := cmd.ProcessState.ExitCode(); !slices.Contains(p.statuses, status) {
				t.Errorf("exit status %d, want one of %v: %s", status, p.statuses, &output)
			}
		})
	}
}
