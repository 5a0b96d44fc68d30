package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ordeal/campaigns/internal/must"
)

// shownCampaign finds something in every run of one of its configurations, has a
// canary and two protocols, and does not end by itself.
const shownCampaign = `
name: shown
sim: builtin
budget: 1h
configs:
  - {name: fine, runs: 100000, threads: 2, ops: 40, locations: 4, rounds: 2, protocol: mi, core: ooo}
  - {name: other, runs: 100000, threads: 2, ops: 40, locations: 4, rounds: 2, protocol: moesi-hammer, core: ooo}
  - {name: bad, runs: 1000, threads: 4, ops: 40, locations: 4, rounds: 5, protocol: mi, core: tso, core-bugs: [buffer-out-of-order]}
  - {name: bird, runs: 1000, bug: {about: canary}, threads: 4, ops: 40, locations: 4, rounds: 5, protocol: mi, core: tso, core-bugs: [buffer-out-of-order]}
`

// TestLive runs a campaign on a terminal of 120 columns and interrupts it: the
// display tells how it goes while it runs; afterwards what stays is the line
// of the beginning and that of the finding.
func TestLive(t *testing.T) {
	ours, theirs := openTerminal(t, 120, 24)
	cmd := process(t, "campaign", "run", "--dir", "out", "-") // short, so that no line wraps
	cmd.Dir = t.TempDir()
	var stdout bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(shownCampaign), &stdout, theirs
	cmd.Env = append(os.Environ(), "TERM=xterm")
	must.Succeed(t, cmd.Start())
	theirs.Close()
	s := &screen{columns: 120}
	found := regexp.MustCompile(`(?m)^found     1 finding, last \d+\w* ago: violation: store performed before an earlier store; run `)
	wanted := func(text string) bool {
		for _, want := range []string{" left\n", "runs/s", "canaries  1 of 1 caught", "coverage  mi ", "moesi-hammer "} {
			if !strings.Contains(text, want) {
				return false
			}
		}
		return found.MatchString(text)
	}
	seen, drawings := "", 0
	started := time.Now()
	buffer := make([]byte, 1<<16)
	for {
		n, err := ours.Read(buffer)
		s.write(string(buffer[:n]))
		drawings += strings.Count(string(buffer[:n]), "\x1b[J")
		if seen == "" && (wanted(s.String()) || drawings > 20_000) {
			seen = s.String()
			must.Succeed(t, cmd.Process.Signal(os.Interrupt))
		}
		if errors.Is(err, syscall.EIO) || errors.Is(err, io.EOF) { // the other end is closed
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	cmd.Wait()
	if !wanted(seen) {
		t.Errorf("in the middle the screen shows\n%s", seen)
	}
	if len(s.faults) > 0 {
		t.Errorf("%q", s.faults)
	}
	// However slow this process and that one are, none draws earlier than it should.
	if drawings < 2 || float64(drawings) > 10*time.Since(started).Seconds()+10 {
		t.Errorf("drawn %d times in %v", drawings, time.Since(started))
	}
	left := strings.Split(strings.TrimSpace(s.String()), "\n")
	if len(left) != 2 {
		t.Fatalf("at the end the screen shows %d lines, want 2\n%s", len(left), s)
	}
	for i, want := range []string{"campaign shown: 202,000 runs, at most 1h00m in ", "finding: run "} {
		if !strings.HasPrefix(left[i], want) {
			t.Errorf("at the end line %d of the screen is %q, want %q first", i+1, left[i], want)
		}
	}
	if got := cmd.ProcessState.ExitCode(); got != 1 || !strings.Contains(stdout.String(), "total") {
		t.Errorf("exit status %d, and on standard output\n%s", got, &stdout)
	}
}

// TestProgressModes wants plain lines where there is no terminal, silence where
// that is wanted, and what contradicts itself refused.
func TestProgressModes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Succeed(t, os.WriteFile(file, []byte(strings.NewReplacer("100000", "10", "1000", "2").Replace(shownCampaign)), 0o600))
	for i, tt := range []struct {
		flags  string
		status int
		want   []string
	}{
		{"", 1, []string{"campaign shown: 24 runs, at most 1h00m in ", "finding: run "}},
		{"--progress plain", 1, []string{"campaign shown: ", "finding: run "}},
		{"--quiet", 1, nil},
		{"--progress none", 1, nil},
		{"--quiet --progress none", 1, nil},
		{"--progress live", 2, []string{"ordeal: --progress live: standard error is no terminal"}},
		{"--progress loud", 2, []string{"ordeal: --progress loud: want auto, live, plain, none"}},
		{"--quiet --progress plain", 2, []string{"ordeal: --quiet contradicts --progress plain"}},
	} {
		args := append([]string{"campaign", "run", "--dir", filepath.Join(t.TempDir(), fmt.Sprint(i))}, strings.Fields(tt.flags)...)
		cmd := process(t, append(args, file)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		cmd.Run()
		lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
		ok := len(lines) == len(tt.want) || len(tt.want) == 0 && stderr.Len() == 0
		for i := range tt.want {
			ok = ok && strings.HasPrefix(lines[min(i, len(lines)-1)], tt.want[i])
		}
		if got := cmd.ProcessState.ExitCode(); !ok || got != tt.status {
			t.Errorf("%s: exit status %d, want %d, and on standard error\n%s\nwant lines that begin with %q", tt.flags, got, tt.status, &stderr, tt.want)
		}
	}
}
