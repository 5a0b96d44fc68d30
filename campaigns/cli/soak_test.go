package cli

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

var soak = flag.Bool("soak", false, "run TestSoak at full size")

// TestSoak runs, parses and evaluates one large run under TSO and looks at the
// peak of the command's memory: at full size 4 threads × 1,000 operations ×
// 1,000 rounds in less than 4 GiB, otherwise a fiftieth of that.
func TestSoak(t *testing.T) {
	rounds, limit := 20, int64(256<<20)
	if *soak {
		rounds, limit = 1000, 4<<30
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "p.txt")
	gen := process(t, "gen", "--seed", "1", "--threads", "4", "--ops", "1000", "--locations", "16", "--delays", "0", "-o", program)
	if out, err := gen.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := process(t, "run", "--rounds", strconv.Itoa(rounds), "--model", "tso", "--set", "limits.check-timeout=10m",
		"--dir", filepath.Join(dir, "run"), program)
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := strconv.Itoa(4*1000*rounds) + " operations"
	if !strings.Contains(string(out), want) {
		t.Errorf("no %q in\n%s", want, out)
	}
	// What the kernel counts begins with the peak of the process that started it: the
	// test's own, which other tests may have made large.
	first := process(t, "version")
	if out, err := first.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	peak, inherited := peakMemory(run), peakMemory(first)
	t.Logf("%d operations: peak %d MiB, user %v, system %v\n%s", 4*1000*rounds, peak>>20,
		run.ProcessState.UserTime(), run.ProcessState.SystemTime(), out)
	if peak > limit && peak > inherited+16<<20 {
		t.Errorf("peak of memory %d MiB exceeds %d MiB", peak>>20, limit>>20)
	}
}

// peakMemory is the peak of the resident memory of a process that has ended.
func peakMemory(cmd *exec.Cmd) int64 {
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}
