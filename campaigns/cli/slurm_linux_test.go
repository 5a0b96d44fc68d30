package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/cluster"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/internal/slurmtest"
)

// TestSlurm runs campaigns on a real Slurm. With -soak it takes minutes.
func TestSlurm(t *testing.T) {
	if !*soak {
		t.Skip("starts Slurm's daemons and takes minutes: -soak")
	}
	process(t) // skips where programs do not run
	c := slurmtest.Start(t)
	t.Run("failures", func(t *testing.T) { testSlurmFailures(t, c.On(t)) })
	t.Run("ends", func(t *testing.T) { testSlurmEnds(t, c.On(t)) })
}

// TestSlurmStrict runs a campaign where jobs without a time limit or an account are
// refused, the merge's too, and has one shard's job get near its time limit.
func TestSlurmStrict(t *testing.T) {
	if !*soak {
		t.Skip("starts Slurm's daemons and a database, and takes minutes: -soak")
	}
	process(t)
	c := slurmtest.StartStrict(t)
	dir := t.TempDir()
	file, night := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "night")
	must.Succeed(t, os.WriteFile(file, []byte(`
name: night
sim: builtin
keep: all
configs:
  - {name: clean, runs: 120, threads: 3, ops: 100, locations: 4, rounds: 200, core: tso, protocol: mi}
`), 0o600))
	many := []string{"campaign", "submit", "--shards", strconv.Itoa(slurmtest.MaxArray + 1), "--dir", filepath.Join(dir, "many"), file}
	if out, err := process(t, many...).CombinedOutput(); err == nil || !strings.Contains(string(out), "this cluster takes at most 6 in a job array (MaxArraySize=7)") {
		t.Errorf("too many shards: %v\n%s", err, out)
	}
	if _, err := os.Lstat(filepath.Join(dir, "many")); err == nil {
		t.Error("too many shards: the directory is made")
	}
	for message, args := range map[string][]string{
		"Time limit specification required": {"--account", slurmtest.Account},
		"Invalid account":                   {"--time", "10"},
		"Requested time limit is invalid":   {"--account", slurmtest.Account, "--time", "61"},
	} {
		args = append([]string{"campaign", "submit", "--shards", "3", "--dir", night}, append(args, file)...)
		if out, err := process(t, args...).CombinedOutput(); err == nil || !strings.Contains(string(out), message) {
			t.Errorf("%v: %v, want %q\n%s", args, err, message, out)
		}
		must.Succeed(t, os.RemoveAll(night))
	}
	// One at a time.
	job := submitted(t, "--shards", "3", "--at-a-time", "1", "--account", slurmtest.Account, "--time", "10", "--mem", "100M", "--sbatch-arg=--comment=x", "--dir", night, file)
	status := func() *cluster.Status { return clusterStatus(t, night) }
	merge := status().Merge.Job
	shown := c.Run("scontrol", "--oneliner", "show", "job", merge)
	for _, want := range []string{" Account=" + slurmtest.Account + " ", " TimeLimit=00:10:00 ", " MinMemoryNode=100M ", " Comment=x ", " Partition=main "} {
		if !strings.Contains(shown, want) {
			t.Errorf("the merge has no%sin\n%s", want, shown)
		}
	}
	// Another name changes nothing.
	c.Run("scontrol", "update", "JobId="+job, "JobName=other")
	c.Run("scontrol", "update", "JobId="+merge, "JobName=another")
	c.Eventually("the first shard to make runs", func() bool { return status().Shards[0].Runs > 1 })
	s := status()
	if s.Shards[0].State != "RUNNING" || s.Shards[0].Runs == s.Shards[0].Planned {
		t.Fatalf("the campaign is too short for this machine: %+v", s.Shards[0])
	}
	if s.Shards[1].State != "PENDING" || s.Shards[1].Reason != "JobArrayTaskLimit" || s.Merge.State != "PENDING" {
		t.Errorf("shard 2 is %+v, the merge %+v", s.Shards[1], s.Merge)
	}
	if s.Rate <= 0 || s.Left <= 0 {
		t.Errorf("%v runs/s, %v left", s.Rate, s.Left)
	}
	began := beganAt(t, night, 1)
	// What Slurm sends, by --signal, before the time limit: scancel sends none to
	// a task whose array has others pending.
	signalJob(t, c.Process(job, 1), syscall.SIGUSR1)
	c.Eventually("the first shard to be requeued", func() bool {
		one := status().Shards[0]
		return one.State == "PENDING" && one.Limit.Requeued == 1 && one.End == journal.EndInterrupted
	})
	out, _ := process(t, "campaign", "status", night).CombinedOutput() // its status is about completeness
	if !strings.Contains(string(out), "requeued at its time limit (1)") {
		t.Errorf("the status is\n%s", out)
	}
	c.Eventually("the other shards to complete", func() bool {
		s := status().Shards
		return s[1].State == "COMPLETED" && s[2].State == "COMPLETED"
	})
	if s := status(); s.Merge.State != "PENDING" {
		t.Errorf("the merge does not wait for the requeued shard: %+v", s.Merge)
	}
	// The merge gets near its limit, too, while another process merges.
	other, err := os.OpenFile(filepath.Join(night, "merge.lock"), os.O_CREATE|os.O_WRONLY, 0o600)
	must.Succeed(t, err)
	defer other.Close()
	must.Succeed(t, syscall.Flock(int(other.Fd()), syscall.LOCK_EX))
	c.StartSoon(job + "_1")
	c.Eventually("the merge to be requeued", func() bool {
		s := status()
		if s.Merge.State == "RUNNING" { // it may not have begun to handle the signal
			_ = exec.Command("scancel", "--batch", "--signal=USR1", merge).Run()
		}
		return s.Merge.State == "PENDING" && s.MergeLimit.Requeued == 1
	})
	out, _ = process(t, "campaign", "status", "--brief", night).CombinedOutput()
	if !strings.Contains(string(out), "requeued at its time limit (1)") {
		t.Errorf("the status is\n%s", out)
	}
	must.Succeed(t, other.Close())
	c.StartSoon(merge)
	c.Eventually("the merge", func() bool { return status().Merge.State == "COMPLETED" })
	s = status()
	if !s.Complete || s.Merged == "" || s.Runs != 120 || s.Shards[0].Job != job || s.Merge.Job != merge {
		t.Errorf("in the end %+v", s)
	}
	if !beganAt(t, night, 1).Equal(began) {
		t.Error("shard 1 began anew")
	}
}

// TestSlurmTimeLimit lets Slurm itself notify a job of its time limit of two
// minutes.
func TestSlurmTimeLimit(t *testing.T) {
	if !*soak {
		t.Skip("starts Slurm's daemons and takes minutes: -soak")
	}
	process(t)
	c := slurmtest.StartStrict(t)
	dir := filepath.Join(t.TempDir(), "night")
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Succeed(t, os.WriteFile(file, []byte(endless), 0o600))
	submitted(t, "--set", "sim=builtin", "--set", "configs.0.runs=1000000", "--shards", "1", "--account", slurmtest.Account, "--time", "2", "--dir", dir, file)
	c.Eventually("the job to be requeued", func() bool {
		one := clusterStatus(t, dir).Shards[0]
		return one.State == "PENDING" && one.Limit.Requeued == 1 && one.End == journal.EndInterrupted
	})
	if out, err := process(t, "campaign", "cancel", dir).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// testSlurmFailures has one shard killed, one requeued and the node of others
// fail, and wants the campaign of one machine in the end.
func testSlurmFailures(t *testing.T, c *slurmtest.Cluster) {
	dir := t.TempDir()
	file, night := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "night")
	if err := os.WriteFile(file, []byte(`
name: night
sim: builtin
keep: all
configs:
  - {name: clean, runs: 40, threads: 3, ops: 100, locations: 4, rounds: 400, core: tso, protocol: mi}
  - {name: faulty, runs: 40, threads: 3, ops: 100, locations: 4, rounds: 400, core: ooo, protocol: ideal-cached, core-bugs: [load-not-squashed]}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	first := submitted(t, "--shards", "4", "--dir", night, file)
	status := func() *cluster.Status { return clusterStatus(t, night) }
	// Tasks 1 and 2 run on the first node, 3 and 4 on the second.
	c.Eventually("all shards to make runs", func() bool {
		s := status()
		for _, shard := range s.Shards {
			if shard.Runs == shard.Planned {
				return true // too late, as is found out below
			}
		}
		return !slices.ContainsFunc(s.Shards, func(one cluster.ShardStatus) bool { return one.Runs < 2 })
	})
	before := status()
	for _, shard := range before.Shards {
		if shard.State != "RUNNING" || shard.Runs == shard.Planned {
			t.Fatalf("the campaign is too short for this machine: %+v", shard)
		}
	}
	var began []time.Time
	for _, shard := range before.Shards {
		began = append(began, beganAt(t, night, shard.Shard))
	}
	signalJob(t, c.Process(first, 1), syscall.SIGKILL)
	c.Run("scontrol", "requeue", first+"_2")
	c.FailNode(before.Shards[2].Node)
	c.Eventually("the killed shard to fail, the others to wait", func() bool {
		s := status().Shards
		return s[0].State == "FAILED" && s[1].State == "PENDING" && s[2].State == "PENDING"
	})
	// A shard that is neither complete nor active is submitted, while the
	// others wait for their nodes.
	second := submitted(t, "--dir", night)
	c.StartNode(before.Shards[2].Node)
	c.Eventually("the node to come back", func() bool {
		return !strings.Contains(c.Run("sinfo", "--noheader", "--Node", "--format=%T"), "down")
	})
	for _, shard := range status().Shards[1:] { // Slurm would wait for minutes
		if shard.State == "PENDING" {
			c.StartSoon(shard.ID())
		}
	}
	c.Eventually("the merge", func() bool { return status().Merge.State == "COMPLETED" })
	s := status()
	for i, want := range map[int]string{0: second, 1: first, 3: first} {
		if got := s.Shards[i].Job; got != want {
			t.Errorf("shard %d is of job %s, want %s", i+1, got, want)
		}
	}
	// Having no time to wait, the test has jobs start anew at once; now and then
	// Slurm takes the end of the first start for that of the second, or sends
	// it the first one's signal. Then what is not complete is submitted again.
	for tries := 0; !s.Complete && tries < 3; tries++ {
		third := submitted(t, "--dir", night)
		t.Logf("Slurm ended restarted jobs: what is left is job %s", third)
		c.Eventually("another merge", func() bool { s = status(); return s.Merge.State == "COMPLETED" })
	}
	if !s.Complete || s.Merged == "" {
		t.Errorf("in the end complete %v, merged in %q", s.Complete, s.Merged)
	}
	if s.Runs != 80 {
		t.Errorf("in the end %d runs, want 80: %+v", s.Runs, s)
	}
	for i, shard := range s.Shards {
		if shard.State != "COMPLETED" || shard.End != journal.EndComplete {
			said, _ := os.ReadFile(filepath.Join(night, "shards", fmt.Sprint(i+1)+".log"))
			t.Errorf("shard %d: %+v\n%s", i+1, shard, said)
		}
		if !beganAt(t, night, i+1).Equal(began[i]) {
			t.Errorf("shard %d began anew", i+1)
		}
	}

	whole := filepath.Join(dir, "whole")
	if out, err := process(t, "campaign", "run", "--dir", whole, file).CombinedOutput(); err == nil {
		t.Fatalf("nothing is found:\n%s", out)
	}
	if diff := cmp.Diff(contents(t, whole), contents(t, s.Merged)); diff != "" {
		t.Errorf("the cluster made another campaign (-whole +merged):\n%s", diff)
	}
}

// testSlurmEnds tells one shard that its time is up, as Slurm does, and cancels
// the others: all end in order, and what they made is merged.
func testSlurmEnds(t *testing.T, c *slurmtest.Cluster) {
	dir := filepath.Join(t.TempDir(), "night")
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Succeed(t, os.WriteFile(file, []byte(endless), 0o600))
	job := submitted(t, "--set", "sim=builtin", "--shards", "3", "--time", "10", "--dir", dir, file)
	c.Eventually("all shards to make runs", func() bool {
		for _, shard := range clusterStatus(t, dir).Shards {
			if shard.Runs < 2 {
				return false
			}
		}
		return true
	})
	c.Run("scancel", "--batch", "--signal=TERM", job+"_1")
	c.Eventually("the shard to end whose time is up", func() bool {
		one := clusterStatus(t, dir).Shards[0]
		return one.State == "FAILED" && one.End == journal.EndInterrupted
	})
	out, err := process(t, "campaign", "cancel", dir).CombinedOutput()
	if err != nil || !strings.Contains(string(out), job+"_2 "+job+"_3") {
		t.Errorf("cancel: %v, want tasks 2 and 3 of %s\n%s", err, job, out)
	}
	if strings.Contains(string(out), job+"_1") {
		t.Errorf("cancel: task 1 of %s had ended\n%s", job, out)
	}
	c.Eventually("the others to end in order", func() bool {
		s := clusterStatus(t, dir)
		for _, shard := range s.Shards[1:] {
			if shard.State != "CANCELLED" || shard.End != journal.EndInterrupted {
				return false
			}
		}
		return s.Merge.State == "CANCELLED"
	})
	s := clusterStatus(t, dir)
	merged := filepath.Join(dir, "merged")
	if out, err := process(t, "campaign", "merge", "-o", merged, dir).CombinedOutput(); err == nil || !strings.Contains(string(out), "shard 3/3") {
		t.Errorf("merge: %v\n%s", err, out)
	}
	if s := clusterStatus(t, dir); s.Merged != merged || s.Complete {
		t.Errorf("merged in %q, complete %v", s.Merged, s.Complete)
	}
	a, err := journal.Open(merged)
	must.Succeed(t, err)
	sum, err := summary.Read(a)
	must.Succeed(t, err)
	if got := sum.Total().Runs; got != s.Runs || s.Runs < 6 {
		t.Errorf("%d runs are merged of %d", got, s.Runs)
	}
}

var jobLine = regexp.MustCompile(`(?m)^job ([0-9]+): shards? `)

// submitted submits, and gives the id of the array of jobs.
func submitted(t *testing.T, args ...string) string {
	t.Helper()
	out, err := process(t, append([]string{"campaign", "submit"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("submit %v: %v\n%s", args, err, out)
	}
	m := jobLine.FindSubmatch(out)
	if m == nil {
		t.Fatalf("no job in\n%s", out)
	}
	return string(m[1])
}

func clusterStatus(t *testing.T, dir string) *cluster.Status {
	t.Helper()
	cmd := process(t, "campaign", "status", "--json", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // its status is about findings
	s := new(cluster.Status)
	if err := json.Unmarshal(out, s); err != nil || s.EngineError != "" {
		t.Fatalf("status: %v, %s\n%s%s", err, s.EngineError, out, &stderr)
	}
	return s
}

// beganAt is when a shard began.
func beganAt(t *testing.T, dir string, shard int) time.Time {
	t.Helper()
	a, err := journal.Open(cluster.Dir(dir).Shard(shard))
	must.Succeed(t, err)
	return a.Header.Started
}

func signalJob(t *testing.T, pid int, signal syscall.Signal) {
	t.Helper()
	if pid == 0 {
		t.Fatal("no process of the job")
	}
	must.Succeed(t, syscall.Kill(pid, signal))
}

// contents is what a campaign's directory says, but for times.
func contents(t *testing.T, dir string) any {
	t.Helper()
	a, err := journal.Open(dir)
	must.Succeed(t, err)
	type line struct {
		*journal.Entry
		Program string // of the run directory
	}
	var lines []line
	for e, err := range a.Entries() {
		must.Succeed(t, err)
		e.At, e.Elapsed = 0, 0
		for i := range e.Answers {
			e.Answers[i].Search, e.Answers[i].Evidence = 0, 0
		}
		spec, err := e.Dir.Spec()
		must.Succeed(t, err)
		p, err := e.Dir.Program(spec)
		must.Succeed(t, err)
		lines = append(lines, line{e, string(p.Text())})
	}
	text, err := json.Marshal(lines)
	must.Succeed(t, err)
	sum, err := summary.Read(a)
	must.Succeed(t, err)
	var rows []summary.Row
	for _, r := range sum.Rows {
		r.Simulated, r.Checked = 0, 0
		rows = append(rows, r)
	}
	return []any{string(text), rows}
}
