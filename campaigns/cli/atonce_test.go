package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
)

// TestRunAtOnce begins campaigns of other seeds in one directory by processes at
// once: one of them runs, and the others change nothing and say why.
func TestRunAtOnce(t *testing.T) {
	const processes, runs = 3, 6
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Succeed(t, os.WriteFile(file, []byte(fmt.Sprintf(
		"name: at-once\nsim: builtin\nkeep: all\nconfigs: [{name: a, runs: %d, threads: 2, ops: 6, locations: 2, rounds: 2, protocol: mi}]\n", runs)), 0o600))
	for range 5 {
		dir := filepath.Join(t.TempDir(), "campaign")
		var started [processes]*exec.Cmd
		var said [processes]bytes.Buffer
		for i := range started {
			started[i] = process(t, "campaign", "run", "--quiet", "--set", fmt.Sprintf("seed=%d", i), "--dir", dir, file)
			started[i].Stderr = &said[i]
		}
		for _, cmd := range started {
			must.Succeed(t, cmd.Start())
		}
		begun := -1
		for i, cmd := range started {
			_ = cmd.Wait() // its exit status tells
			status := cmd.ProcessState.ExitCode()
			switch text := said[i].String(); {
			case status == summary.ExitOK && begun >= 0:
				t.Fatalf("campaigns %d and %d have run in one directory", begun, i)
			case status == summary.ExitOK:
				begun = i
			case !strings.Contains(text, "another process") && !strings.Contains(text, "is not empty"):
				t.Errorf("exit status %d\n%s", status, text)
			}
		}
		if begun < 0 {
			t.Fatalf("no campaign has run: %v", said)
		}
		a, err := journal.Open(dir)
		must.Succeed(t, err)
		recorded := 0
		for e, err := range a.Entries() {
			must.Succeed(t, err)
			spec, err := e.Dir.Spec()
			if err != nil || spec.Seed != uint64(begun) {
				t.Errorf("run %d: seed %d, %v", e.Number, spec.Seed, err)
			}
			recorded++
		}
		if recorded != runs || a.Campaign.Seed != uint64(begun) || a.Header.Seed != uint64(begun) || a.Header.End != journal.EndComplete {
			t.Errorf("campaign %d has run; the file has seed %d, the header %d and end %q, and %d runs are recorded", begun, a.Campaign.Seed, a.Header.Seed, a.Header.End, recorded)
		}
	}
}
