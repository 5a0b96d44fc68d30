package cli

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
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

	"ordeal/campaigns/cluster"
	"ordeal/campaigns/internal/must"
)

// TestSlurm runs a campaign on a real Slurm of two nodes, which are this machine:
// one shard is killed, one requeued, one near its time limit, one runs through. In
// the end the merged campaign is that of one machine.
func TestSlurm(t *testing.T) {
	if !*soak {
		t.Skip("starts Slurm's daemons and takes minutes: -soak")
	}
	process(t) // skips where programs do not run
	startSlurm(t)
	dir := t.TempDir()
	file, night, whole := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "night"), filepath.Join(dir, "whole")
	must.Succeed(t, os.WriteFile(file, []byte(`
name: night
sim: builtin
keep: all
configs:
  - {name: clean, runs: 60, threads: 3, ops: 100, locations: 4, rounds: 400, core: tso, protocol: mi}
  - {name: faulty, runs: 60, threads: 3, ops: 100, locations: 4, rounds: 400, core: ooo, protocol: ideal-cached, core-bugs: [load-not-squashed]}
`), 0o600))
	first := submitted(t, "--shards", "4", "--time", "10", "--sbatch-arg=--comment=x", "--dir", night, file)
	if shown := slurmCommand(t, "scontrol", "--oneliner", "show", "job", clusterStatus(t, night).Merge.Job); !strings.Contains(shown, " Comment=x ") || !strings.Contains(shown, " TimeLimit=00:10:00 ") {
		t.Errorf("the merge is\n%s", shown)
	}
	runs := func(one cluster.ShardStatus) int {
		if one.Progress == nil {
			return 0
		}
		return one.Progress.Runs
	}
	eventually(t, "all shards to make runs", func() bool {
		return !slices.ContainsFunc(clusterStatus(t, night).Shards, func(one cluster.ShardStatus) bool { return runs(one) < 2 })
	})
	before := clusterStatus(t, night)
	for _, one := range before.Shards[:3] {
		if one.State != "RUNNING" || runs(one) == one.Planned {
			t.Fatalf("the campaign is too short for this machine: %+v", one)
		}
	}
	must.Succeed(t, syscall.Kill(processOf(t, first, 1), syscall.SIGKILL))
	slurmCommand(t, "scontrol", "requeue", first+"_2")
	must.Succeed(t, syscall.Kill(processOf(t, first, 3), syscall.SIGUSR1)) // as Slurm does by --signal
	eventually(t, "the killed shard to fail, the others to wait", func() bool {
		s := clusterStatus(t, night).Shards
		return s[0].State == "FAILED" && s[1].State == "PENDING" && s[2].State == "PENDING"
	})
	// The killed shard is submitted while the others wait in the queue.
	second := submitted(t, "--dir", night)
	for _, task := range []string{"_2", "_3"} { // Slurm would wait for minutes
		slurmCommand(t, "scontrol", "update", "JobId="+first+task, "StartTime=now+2")
	}
	eventually(t, "the merge", func() bool { return clusterStatus(t, night).Merge.State == "COMPLETED" })
	s := clusterStatus(t, night)
	// Since they start anew at once, now and then Slurm takes the end of the first
	// start for that of the second. Then what is not complete is submitted again.
	for tries := 0; !s.Complete && tries < 3; tries++ {
		submitted(t, "--dir", night)
		eventually(t, "another merge", func() bool { s = clusterStatus(t, night); return s.Merge.State == "COMPLETED" })
	}
	if !s.Complete || !s.MergedAll || s.Runs != 120 || s.Shards[0].Job != second {
		t.Errorf("in the end complete %v, merged %v, %d runs, shard 1 of job %s, want %s", s.Complete, s.MergedAll, s.Runs, s.Shards[0].Job, second)
	}
	_, _ = process(t, "campaign", "run", "--dir", whole, file).CombinedOutput() // its status is about findings
	if out, err := process(t, "campaign", "diff", whole, s.Merged).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("the cluster made another campaign: %v\n%s", err, out)
	}
}

var jobLine = regexp.MustCompile(`(?m)^job ([0-9]+): shards? `)

// submitted submits, and returns the id of the array of jobs.
func submitted(t *testing.T, args ...string) string {
	t.Helper()
	out, err := process(t, append([]string{"campaign", "submit"}, args...)...).CombinedOutput()
	m := jobLine.FindSubmatch(out)
	if err != nil || m == nil {
		t.Fatalf("submit %v: %v\n%s", args, err, out)
	}
	return string(m[1])
}

func clusterStatus(t *testing.T, dir string) *cluster.Status {
	t.Helper()
	out, _ := process(t, "campaign", "status", "--json", dir).Output() // its status is about findings
	s := new(cluster.Status)
	if err := json.Unmarshal(out, s); err != nil || s.EngineError != "" {
		t.Fatalf("status: %v, %s\n%s", err, s.EngineError, out)
	}
	return s
}

// startSlurm starts a cluster on the loopback interface, which ends with the test.
// It skips the test where Slurm is not installed or its daemons cannot run.
func startSlurm(t *testing.T) {
	t.Helper()
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo"} {
		if _, err := exec.LookPath(name); err != nil || os.Getuid() != 0 {
			t.Skipf("no Slurm on this machine that root can start (Debian: slurm-wlm munge): %v", err)
		}
	}
	dir, err := os.MkdirTemp("/run", "ordeal-slurm-") // short, for sockets; munge trusts its parents
	must.Succeed(t, err)
	must.Succeed(t, os.Chmod(dir, 0o755))
	path := func(name string) string { return filepath.Join(dir, name) }
	conf := path("slurm.conf")
	t.Setenv("SLURM_CONF", conf)
	t.Cleanup(func() {
		for _, pid := range processesWith(t, "SLURM_CONF="+conf) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
		must.Succeed(t, os.RemoveAll(dir))
	})
	key := make([]byte, 128)
	rand.Read(key)
	must.Succeed(t, os.WriteFile(path("munge.key"), key, 0o400))
	host, err := os.Hostname()
	must.Succeed(t, err)
	host, _, _ = strings.Cut(host, ".")
	text := strings.NewReplacer("HOST", host, "DIR", dir, "PORT0", freePort(t), "PORT1", freePort(t), "PORT2", freePort(t)).Replace(`ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
SlurmctldPort=PORT0
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=DIR/munge.sock
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool-%n
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd-%n.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdLogFile=DIR/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
PlugStackConfig=/dev/null
ReturnToService=2
SlurmdTimeout=300
KillWait=5
NodeName=n1 NodeHostname=HOST NodeAddr=127.0.0.1 Port=PORT1 CPUs=2 RealMemory=500
NodeName=n2 NodeHostname=HOST NodeAddr=127.0.0.1 Port=PORT2 CPUs=2 RealMemory=500
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
`)
	must.Succeed(t, os.WriteFile(conf, []byte(text), 0o644))
	start := func(argv ...string) {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
		if err := cmd.Start(); err != nil {
			t.Skipf("%s cannot be started: %v", argv[0], err)
		}
		go func() { _ = cmd.Wait() }() // reaps it
	}
	start("munged", "--foreground", "--force", "--socket="+path("munge.sock"), "--key-file="+path("munge.key"),
		"--log-file="+path("munged.log"), "--pid-file="+path("munged.pid"), "--seed-file="+path("munged.seed"))
	eventually(t, "munged to listen", func() bool { _, err := os.Stat(path("munge.sock")); return err == nil })
	start("slurmctld", "-D", "-c", "-f", conf)
	start("slurmd", "-D", "-N", "n1", "-f", conf)
	start("slurmd", "-D", "-N", "n2", "-f", conf)
	eventually(t, "the nodes to be idle", func() bool {
		out, err := exec.Command("sinfo", "--noheader", "--Node", "--format=%N %T").Output()
		return err == nil && strings.Count(string(out), " idle\n") == 2
	})
}

// freePort returns an unused port of the loopback interface.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must.Succeed(t, err)
	t.Cleanup(func() { _ = l.Close() })
	must.Succeed(t, l.Close())
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// slurmCommand runs one of Slurm's commands.
func slurmCommand(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// eventually waits until condition holds, for at most 20 minutes: only a failure
// takes that long, however busy the machine is.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Minute); !condition(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waiting for %s takes too long", what)
		}
	}
}

// processOf returns the process of a task of a job array.
func processOf(t *testing.T, job string, task int) int {
	t.Helper()
	list := processesWith(t, "SLURM_ARRAY_JOB_ID="+job, fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", task))
	if len(list) == 0 {
		t.Fatalf("no process of task %d of job %s", task, job)
	}
	return list[0]
}

// processesWith lists the processes, except this one, whose environment has variables.
func processesWith(t *testing.T, variables ...string) []int {
	entries, err := os.ReadDir("/proc")
	must.Succeed(t, err)
	var list []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		data, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		lacks := func(v string) bool { return !bytes.Contains(append([]byte{0}, data...), []byte("\x00"+v+"\x00")) }
		if err == nil && pid != os.Getpid() && !slices.ContainsFunc(variables, lacks) {
			list = append(list, pid)
		}
	}
	return list
}
