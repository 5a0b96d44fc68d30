package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/internal/must"
)

// soakCampaign has tiny programs on correct and on faulty machines, a canary and
// a negative control.
const soakCampaign = `
name: soak
sim: builtin
seed: 11
reduce: 2s
configs:
  - &tiny {name: mi, runs: %[1]d, threads: 2, ops: 8, locations: 2, rounds: 1, core: tso, protocol: mi}
  - {<<: *tiny, name: ideal, protocol: ideal, core: ooo}
  - {<<: *tiny, name: mesi, runs: %[2]d, protocol: mesi-two-level}
  - {<<: *tiny, name: faulty, runs: %[2]d, ops: 12, locations: 2, rounds: 2, core: ooo, protocol: ideal-cached, core-bugs: [load-not-squashed]}
  - {<<: *tiny, name: canary, runs: %[3]d, ops: 12, rounds: 2, core-bugs: [forward-oldest], bug: {about: the oldest store is forwarded}}
`

// TestSoakCampaign kills a campaign without warning, again and again, and
// resumes it: nothing may be lost or come twice, and every file has to be as a
// campaign in one go leaves it, apart from times. At full size it has 20,000
// runs and hundreds of kills, otherwise 500 and a few.
func TestSoakCampaign(t *testing.T) {
	runs, kills := 500, 6
	if *soak {
		runs, kills = 20_000, 200
	}
	dir := t.TempDir()
	text := fmt.Sprintf(soakCampaign, runs*38/100, runs*10/100, runs*4/100)
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "soak.yaml"), []byte(text), 0o600))
	out := killed(t, dir, kills, "campaign", "run", "--dir", "camp", "soak.yaml")
	if n := lines(filepath.Join(dir, "camp", "runs.jsonl")); n != runs {
		t.Errorf("%d runs of %d in the journal", n, runs)
	}
	if !strings.Contains(out, "1 of 1 caught") || !strings.Contains(out, "reduced  from") {
		t.Errorf("no canary is caught, or nothing is reduced:\n%s", out)
	}
}

// TestSoakAudit kills an audit as TestSoakCampaign does a campaign.
func TestSoakAudit(t *testing.T) {
	steps, kills := 300_000, 3
	if *soak {
		steps, kills = 3_000_000, 80 // about half of the parts come to their end before
	}
	inputsOf(t)
	here, err := os.Getwd()
	must.Succeed(t, err)
	killed(t, here, kills, "audit", "--slicc", "broken/MI_example.slicc", "--cpu", "0s", "--steps", fmt.Sprint(steps), "--dir", "camp")
}

// killed executes a command in dir whose results are in camp below it: once in one go, which finds something, and
// once killed so often and resumed each time, and compares the results. It returns what the last part printed.
func killed(t *testing.T, dir string, kills int, args ...string) string {
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(lookPath(t, "ordeal"), args...)
		cmd.Dir = dir
		return cmd
	}
	start := time.Now()
	// Both write a directory of the same name, which stands in what is found.
	out, err := command(args...).Output()
	if status := exitStatus(err); status != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(start)
	must.Succeed(t, os.Rename(filepath.Join(dir, "camp"), filepath.Join(dir, "whole")))
	size := sizeOf(filepath.Join(dir, "whole", "runs.jsonl"))
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	cmd := command(args...)
	killed, recorded, again := 0, 0, 0
	start = time.Now()
	for {
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		must.Succeed(t, cmd.Start())
		if killed < kills {
			// In the mean a part makes what the campaign would, cut in as many and
			// one more, however fast the machine is at the moment; some are killed
			// while they begin.
			grown := rng.Int64N(2*size/int64(kills+1)) + 1
			if rng.IntN(5) == 0 {
				grown = 0
			}
			err = killedAt(cmd, filepath.Join(dir, "camp", "runs.jsonl"), grown, time.Duration(rng.IntN(20))*time.Millisecond)
		} else {
			err = cmd.Wait()
		}
		n := lines(filepath.Join(dir, "camp", "runs.jsonl"))
		if n < recorded {
			t.Fatalf("%d runs were in the journal before a kill, %d after it", recorded, n)
		}
		recorded = n
		if exitStatus(err) == 1 {
			out = stdout.Bytes()
			break
		}
		if strings.Contains(stderr.String(), "ordeal:") && !strings.Contains(stderr.String(), "campaign.yaml") {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
		killed++
		cmd = command("campaign", "resume", "camp")
		if _, err := os.Stat(filepath.Join(dir, "camp", "runs.jsonl")); err != nil { // killed before it was there
			again++
			must.Succeed(t, os.RemoveAll(filepath.Join(dir, "camp")))
			cmd = command(args...)
		}
	}
	t.Logf("%d runs in %v; with %d kills, %d of them before there was a journal, in %v", recorded, whole, killed, again, time.Since(start))
	// A machine that is busy elsewhere lets much of the campaign pass before a kill.
	if killed == 0 || *soak && killed < kills/2 {
		t.Errorf("only %d kills", killed)
	}
	want, got := tree(t, filepath.Join(dir, "whole")), tree(t, filepath.Join(dir, "camp"))
	paths := slices.AppendSeq(slices.Collect(maps.Keys(want)), maps.Keys(got))
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		if want[path] != got[path] {
			t.Errorf("%s differs:\nin one go: %.300s\nin parts:  %.300s", path, want[path], got[path])
		}
	}
	return string(out)
}

// killedAt waits for a command, which it kills when a file has grown by some
// bytes, and a pause is over.
func killedAt(cmd *exec.Cmd, file string, bytes int64, pause time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for until := sizeOf(file) + bytes; sizeOf(file) < until; {
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(pause)
	cmd.Process.Kill()
	return <-ended
}

// sizeOf is the size of a file in bytes, 0 where there is none.
func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// exitStatus is that of a command that ended by itself, -1 for others.
func exitStatus(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return -1
}

// variable is what differs between campaigns that end the same: times, and the
// command line, which is that of the run or of the resumption.
var variable = regexp.MustCompile(`"[a-z_]+_ns": ?[0-9]+|"(started|session|crc32c)": ?"[^"]*"|"command": \[[^]]*\]`)

// tree is every file of a campaign by its path, apart from what varies. Of
// reductions, whose length is bounded in time, it is only that there is one.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			if d.Name() == "reduced" {
				all[name] = "a reduction"
				return fs.SkipDir
			}
			return nil
		case name == "summary.txt" || d.Name() == "reduction.json":
			all[name] = "text with times"
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch {
		case name == "report.html" || name == "report.sarif":
			data = []byte("a report with times")
		case name == "summary.json":
			data = withoutReductions(t, data)
		}
		all[name] = variable.ReplaceAllString(string(data), "")
		return nil
	})
	must.Succeed(t, err)
	return all
}

// withoutReductions is a summary that says of each finding only whether it is reduced.
func withoutReductions(t *testing.T, data []byte) []byte {
	t.Helper()
	var s map[string]any
	must.Succeed(t, json.Unmarshal(data, &s))
	findings, _ := s["findings"].([]any)
	for _, f := range findings {
		f := f.(map[string]any)
		f["reduction"] = f["reduction"] != nil
		delete(f, "best")
	}
	data, err := json.MarshalIndent(s, "", " ")
	must.Succeed(t, err)
	return data
}

// peakOf watches the peak of a process's memory in kB until it has ended. What
// the kernel reports of an ended process is at least the peak of the one that
// started it.
func peakOf(pid int, done chan error) int64 {
	var peak int64
	for {
		select {
		case err := <-done:
			go func() { done <- err }()
			return peak
		case <-time.After(5 * time.Millisecond):
		}
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		var now int64
		if n, _ := fmt.Sscan(rest, &now); n == 1 {
			peak = max(peak, now)
		}
	}
}

// TestSoakMemory runs campaigns of ever more runs and looks at the peak of the
// command's memory, which must not grow with them.
func TestSoakMemory(t *testing.T) {
	ordeal := lookPath(t, "ordeal")
	sizes := []int{300, 1200}
	if *soak {
		sizes = []int{1000, 5000, 20_000, 50_000}
	}
	dir := t.TempDir()
	var first int64
	for _, runs := range sizes {
		file := filepath.Join(dir, fmt.Sprint(runs, ".yaml"))
		text := "name: memory\nsim: builtin\nconfigs:\n" +
			fmt.Sprintf("  - &a {name: a, runs: %d, threads: 2, ops: 8, locations: 2, rounds: 1, core: tso, protocol: mi}\n", runs/2) +
			"  - {<<: *a, name: b, core: ooo}\n"
		must.Succeed(t, os.WriteFile(file, []byte(text), 0o600))
		cmd := exec.Command(ordeal, "campaign", "run", "--dir", filepath.Join(dir, fmt.Sprint(runs)), file)
		cmd.Env = append(os.Environ(), "GOGC=100") // without the spare heap, which the first size does not fill
		must.Succeed(t, cmd.Start())
		done := make(chan error)
		go func() { done <- cmd.Wait() }()
		peak := peakOf(cmd.Process.Pid, done)
		must.Succeed(t, <-done)
		t.Logf("%6d runs: peak %d kB, user %v, system %v", runs, peak, cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime())
		if first == 0 {
			first = peak
		}
		// What there is for each run is its place in the schedule.
		if limit := first + first/2 + int64(runs)*64/1024; peak > limit {
			t.Errorf("%d runs take %d kB, more than %d", runs, peak, limit)
		}
	}
}
