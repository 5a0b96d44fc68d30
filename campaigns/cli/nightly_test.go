package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/sim/protocols"
)

// nightlyScripts is the folder of the examples for cron, systemd and GitHub.
const nightlyScripts = "../../scripts/nightly"

// nightScript is scripts/nightly/nightly.sh with a campaign, in a group of its
// own.
func nightScript(t *testing.T, nights, campaign string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("nightly.sh wants flock, of util-linux")
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(campaign), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", append([]string{abs(t, filepath.Join(nightlyScripts, "nightly.sh"))}, args...)...)
	cmd.Env = append(os.Environ(), "ORDEAL="+process(t).Path, "CAMPAIGN="+file, "NIGHTS="+nights)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

// runNight calls nightly.sh and wants an exit status.
func runNight(t *testing.T, nights, campaign string, status int, args ...string) string {
	t.Helper()
	cmd, out := nightScript(t, nights, campaign, args...)
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Errorf("nightly.sh %v: exit status %d, want %d\n%s", args, got, status, out)
	}
	return out.String()
}

// aNight takes a second or so with sixty runs, however many cores there are.
const aNight = `
name: night
sim: builtin
workers: 1
configs: [{name: a, runs: %d, threads: 4, ops: 100, locations: 8, rounds: 5, protocol: mi, core: %s, core-bugs: [%s]}]
`

// waitUnlocked waits until no process has a lock: the kernel removes a killed process
// after its parent has ended.
func waitUnlocked(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for deadline := time.Now().Add(patience); syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: a process still has the lock", path)
		}
	}
}

// TestNightKilled kills a night with everything that belongs to it, as a power
// failure does, and wants the rest of it after the reboot, and no more.
func TestNightKilled(t *testing.T) {
	const runs = 60
	nights := filepath.Join(t.TempDir(), "my nights")
	campaign := fmt.Sprintf(aNight, runs, "tso", "")
	if out := runNight(t, nights, campaign, 0, "--resume"); out != "" {
		t.Errorf("with nothing to resume it says\n%s", out)
	}
	cmd, out := nightScript(t, nights, campaign)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	current := filepath.Join(nights, "current")
	made := func() int {
		text, _ := os.ReadFile(filepath.Join(current, "runs.jsonl"))
		return bytes.Count(text, []byte("\n"))
	}
	for deadline := time.Now().Add(patience); made() < 3 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
	}
	// While it runs there is no other. It is stopped, lest it ends meanwhile.
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if said := runNight(t, nights, campaign, 0); !strings.Contains(said, "is running") {
		t.Errorf("a second one says\n%s", said)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	waitUnlocked(t, filepath.Join(nights, ".lock"))
	before := made()
	if before < 3 || before >= runs {
		t.Fatalf("%d of %d runs were made before the kill\n%s", before, runs, out)
	}
	night, err := os.Readlink(current)
	if err != nil {
		t.Fatal(err)
	}
	if said := runNight(t, nights, campaign, 0, "--resume"); said != "" {
		t.Errorf("a night without findings says\n%s", said)
	}
	a, err := journal.Open(filepath.Join(nights, night))
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, e.Number)
	}
	slices.Sort(numbers)
	if len(slices.Compact(numbers)) != runs {
		t.Errorf("runs %v", numbers)
	}
	if _, err := os.Lstat(current); err == nil {
		t.Error("the night is still current after its end")
	}
	if last, err := os.Readlink(filepath.Join(nights, "last")); err != nil || last != night {
		t.Errorf("the last night is %q, %v, want %s", last, err, night)
	}
	for _, file := range []string{".log", ".html", ".xml"} {
		if info, err := os.Stat(filepath.Join(nights, night+file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestNightInterrupted ends a night as a shutdown does, and goes on with it at
// the next call without --resume.
func TestNightInterrupted(t *testing.T) {
	nights := t.TempDir()
	campaign := fmt.Sprintf(aNight, 60, "tso", "")
	cmd, out := nightScript(t, nights, campaign)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(nights, "current", "runs.jsonl")
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(journal); err == nil && info.Size() > 0 {
			break
		}
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	night, err := os.Readlink(filepath.Join(nights, "current"))
	if err != nil {
		t.Fatalf("no night to go on with: %v\n%s", err, out)
	}
	// What the shell left may still be writing its tables.
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if said := runNight(t, nights, campaign, 0); !strings.Contains(said, "is running") {
			break
		}
	}
	if last, err := os.Readlink(filepath.Join(nights, "last")); err != nil || last != night {
		t.Errorf("the last night is %q, %v, want %s", last, err, night)
	}
}

// TestNightFinds wants what was found to be printed, and what is new.
func TestNightFinds(t *testing.T) {
	nights := t.TempDir()
	if said := runNight(t, nights, "name: [\n", 2); !strings.Contains(said, "c.yaml:1:") {
		t.Errorf("a campaign file with a fault: %s", said)
	}
	runNight(t, nights, fmt.Sprintf(aNight, 2, "tso", ""), 0)
	time.Sleep(1100 * time.Millisecond) // nights are named by the second
	said := runNight(t, nights, fmt.Sprintf(aNight, 4, "tso", "buffer-out-of-order"), 1)
	for _, want := range []string{"finding: store performed before an earlier store (violation, ", "new"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if said := runNight(t, nights, "", 2, "--fast"); !strings.Contains(said, "want nothing, or --resume") {
		t.Errorf("an unknown word: %s", said)
	}
}

// TestUnits has systemd look at the units, the paths being those of this
// machine.
func TestUnits(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze here")
	}
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join(nightlyScripts, "*.[st]*r*"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"verify"}
	for _, file := range files {
		if ext := filepath.Ext(file); ext != ".service" && ext != ".timer" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("/usr/local/share/ordeal/nightly"), []byte(abs(t, nightlyScripts)))
		path := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if len(args) != 4 {
		t.Fatalf("units %v", args)
	}
	if out, err := exec.Command("systemd-analyze", args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestWorkflow reads GitHub's workflow: steps that are commands are of the
// shell, and call ordeal with flags that it has.
func TestWorkflow(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(nightlyScripts, "github-actions.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		On   map[string]any `yaml:"on"`
		Jobs map[string]struct {
			Minutes int `yaml:"timeout-minutes"`
			Steps   []struct {
				Name, Uses, Run, If string
				With                map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	if workflow.On["schedule"] == nil || workflow.Jobs["night"].Minutes > 360 {
		t.Errorf("%+v", workflow)
	}
	dir := t.TempDir()
	link(t, lookPath(t, "ordeal"), filepath.Join(dir, "bin", "ordeal"))
	file := filepath.Join(dir, "campaigns", "nightly.yaml")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, aNight, 2, "tso", ""), 0o600); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, step := range workflow.Jobs["night"].Steps {
		if step.Run == "" || step.Name == "Build" {
			continue
		}
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", step.Run)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "BUDGET=1m", "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "page.md"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", step.Name, err, out)
		}
		ran++
	}
	page, err := os.ReadFile(filepath.Join(dir, "page.md"))
	if ran != 2 {
		t.Errorf("%d steps, want 2", ran)
	}
	if err != nil || !bytes.Contains(page, []byte("campaign night, seed 20")) {
		t.Errorf("%v: the page is\n%s", err, page)
	}
	for _, step := range workflow.Jobs["night"].Steps {
		for _, path := range strings.Fields(step.With["path"]) {
			if _, err := os.Stat(filepath.Join(dir, path)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestAuditWorkflow executes the audit of GitHub's workflow on a change of one of two
// protocols.
func TestAuditWorkflow(t *testing.T) {
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(nightlyScripts, "github-audit.yml"))
	must.Succeed(t, err)
	var workflow struct {
		Jobs map[string]struct {
			Minutes int `yaml:"timeout-minutes"`
			Steps   []struct{ Name, Run string }
		}
	}
	must.Succeed(t, yaml.Unmarshal(text, &workflow))
	if m := workflow.Jobs["audit"].Minutes; m < 1 || m > 5 {
		t.Errorf("the audit has %d minutes, want at most 5", m)
	}
	dir := t.TempDir()
	link(t, lookPath(t, "ordeal"), filepath.Join(dir, ".ordeal", "bin", "ordeal"))
	for _, file := range []string{"MI_example.slicc", "MI_example-cache.sm", "MI_example-dir.sm", "MI_example-dma.sm", "MI_example-msg.sm", "MESI_Two_Level.slicc", "native.sm"} {
		protocol, err := fs.ReadFile(protocols.Files(), file)
		must.Succeed(t, err)
		must.Succeed(t, os.WriteFile(filepath.Join(dir, file), protocol, 0o600))
	}
	shell := func(script string) (string, error) {
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "BASE=HEAD~1", "CPU_SECONDS=2", "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "page.md"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const change = `git init -q && git add *.sm *.slicc && git commit -qm before && sed -i '/^  transition(M, Fwd_GETX, I)/,/}/{/e_sendData;/d}' MI_example-cache.sm && git commit -qam after`
	if out, err := shell(change); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	steps := workflow.Jobs["audit"].Steps
	step := steps[slices.IndexFunc(steps, func(s struct{ Name, Run string }) bool { return s.Name == "Audit" })]
	if out, err := shell(step.Run); err == nil {
		t.Errorf("the audit of a broken protocol passes:\n%s", out)
	}
	log, err := os.ReadFile(filepath.Join(dir, "audit", "report.sarif"))
	if err != nil || !bytes.Contains(log, []byte(`"uri": "MI_example-`)) {
		t.Errorf("%v: the log is\n%s", err, log)
	}
	page, err := os.ReadFile(filepath.Join(dir, "page.md"))
	if err != nil || !bytes.Contains(page, []byte("    changed  MI_example\n")) || !bytes.Contains(page, []byte("      new      ")) {
		t.Errorf("%v: the page is\n%s", err, page)
	}
	if out, err := shell("git commit -q --allow-empty -m 'nothing else' && rm -r audit\n" + step.Run); err != nil {
		t.Errorf("a change of no protocol fails: %v\n%s", err, out)
	}
}
