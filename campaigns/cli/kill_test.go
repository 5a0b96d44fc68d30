package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/internal/must"
)

// TestKilled kills a campaign without warning several times, goes on with it
// each time, and wants each run once, byte for byte that of a campaign in one
// go.
func TestKilled(t *testing.T) {
	ordeal := lookPath(t, "ordeal")
	dir := t.TempDir()
	file := filepath.Join(dir, "night.yaml")
	err := os.WriteFile(file, []byte(`
name: night
sim: builtin
keep: all
configs:
  - {name: mi, runs: 60, threads: 4, ops: 40, locations: 8, rounds: 5, core: tso, protocol: mi}
  - {name: mesi, runs: 60, threads: 4, ops: 40, locations: 8, rounds: 5, core: ooo, protocol: mesi-two-level}
`), 0o600)
	must.Succeed(t, err)
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command(ordeal, args...)
		cmd.Dir = dir
		return cmd
	}
	if out, err := run("campaign", "run", "--dir", "whole", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := run("campaign", "run", "--dir", "parts", file)
	kills := 0
	for {
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		must.Succeed(t, cmd.Start())
		journal := filepath.Join(dir, "parts", "runs.jsonl")
		if kills < 4 {
			for start, before := time.Now(), lines(journal); lines(journal) < before+12 && time.Since(start) < patience; {
				time.Sleep(time.Millisecond)
			}
			if err := cmd.Process.Kill(); err == nil {
				kills++
			}
		}
		if err := cmd.Wait(); err == nil {
			break
		} else if strings.Contains(out.String(), "ordeal:") {
			t.Fatalf("%v\n%s", err, out.String())
		}
		cmd = run("campaign", "resume", "parts")
	}
	if n := lines(filepath.Join(dir, "parts", "runs.jsonl")); kills < 3 || n != 120 {
		t.Errorf("%d kills, and %d runs of 120 in the journal", kills, n)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "whole", "*", "log.bin"))
	if err != nil || len(logs) != 120 {
		t.Fatalf("%d logs: %v", len(logs), err)
	}
	for _, log := range logs {
		want, err := os.ReadFile(log)
		must.Succeed(t, err)
		got, err := os.ReadFile(strings.Replace(log, "whole", "parts", 1))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", log, err)
		}
	}
}

// lines counts the lines of a file, none if it is not there.
func lines(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte("\n"))
}
