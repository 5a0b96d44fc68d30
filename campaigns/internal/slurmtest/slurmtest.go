//go:build linux

// Package slurmtest starts a Slurm cluster of its own on the loopback
// interface, for tests.
package slurmtest

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nodes are the names of the nodes; all of them are this machine.
var nodes = []string{"n1", "n2"}

// cpusPerNode is how many processors each node claims to have.
const cpusPerNode = 2

// Cluster is a running cluster of two nodes with two processors each.
type Cluster struct {
	t       *testing.T
	dir     string
	daemons map[string]*exec.Cmd // munged, slurmctld, and slurmd by node; mariadbd, slurmdbd
}

// Account is the account that a strict cluster charges jobs to, MaxArray the
// greatest number of a task that it allows.
const (
	Account  = "proj"
	MaxArray = 6
)

// Start starts a cluster, which ends with the test, and sets SLURM_CONF for
// Slurm's commands. It skips the test where Slurm is not installed or its
// daemons cannot run.
func Start(t *testing.T) *Cluster {
	t.Helper()
	return start(t, false)
}

// StartStrict is Start of a cluster as large sites have them: jobs without a time
// limit are refused (job_submit/require_timelimit), as are those that exceed the
// partition's, or of another account than Account (AccountingStorageEnforce with
// slurmdbd), and arrays of more than MaxArray tasks.
func StartStrict(t *testing.T) *Cluster {
	t.Helper()
	return start(t, true)
}

// needed are the programs of Slurm and munge, and those of its accounting.
var (
	needed     = []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo"}
	accounting = []string{"slurmdbd", "sacctmgr", "sacct", "mariadbd", "mariadb", "mariadb-install-db"}
)

func start(t *testing.T, strict bool) *Cluster {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("Slurm's daemons must be started by root")
	}
	programs, packages := needed, "slurm-wlm munge"
	if strict {
		programs, packages = append(slices.Clone(needed), accounting...), "slurm-wlm munge slurmdbd mariadb-server"
	}
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no Slurm on this machine (Debian: %s): %v", packages, err)
		}
	}
	// Socket paths must be short, and munge must trust all parent directories.
	dir, err := os.MkdirTemp("/run", "ordeal-slurm-")
	if err != nil {
		t.Skipf("no place for sockets: %v", err)
	}
	c := &Cluster{t: t, dir: dir, daemons: make(map[string]*exec.Cmd)}
	t.Setenv("SLURM_CONF", c.path("slurm.conf"))
	t.Cleanup(c.stop)
	ports := freePorts(t, 3+len(nodes))
	c.configure(strict, ports)
	c.start("munged", "munged", "--foreground", "--force", "--socket="+c.path("munge.sock"), "--key-file="+c.path("munge.key"),
		"--log-file="+c.path("munged.log"), "--pid-file="+c.path("munged.pid"), "--seed-file="+c.path("munged.seed"))
	c.Eventually("munged to listen", func() bool {
		_, err := os.Stat(c.path("munge.sock"))
		return err == nil
	})
	if strict {
		c.startAccounting(ports[1+len(nodes)], ports[2+len(nodes)])
	}
	c.start("slurmctld", "slurmctld", "-D", "-c", "-f", c.path("slurm.conf"))
	for _, node := range nodes {
		c.StartNode(node)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		out, err := exec.Command("sinfo", "--noheader", "--Node", "--format=%N %T").Output()
		if err == nil && strings.Count(string(out), " idle\n") == len(nodes) {
			return c
		}
		if time.Now().After(deadline) {
			t.Skipf("Slurm's daemons do not run here: %v, %s\n%s", err, out, c.logs())
		}
	}
}

// On returns the cluster for a subtest, which its failures then fail.
func (c *Cluster) On(t *testing.T) *Cluster {
	same := *c
	same.t = t
	return &same
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

// configure writes slurm.conf and the key. The ports are those of slurmctld, of
// the nodes and of slurmdbd.
func (c *Cluster) configure(strict bool, ports []int) {
	host, err := os.Hostname()
	if err != nil {
		c.t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	key := make([]byte, 128)
	rand.Read(key)
	if err := os.WriteFile(c.path("munge.key"), key, 0o400); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Chmod(c.dir, 0o755); err != nil {
		c.t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `ClusterName=test
SlurmctldHost=%s(127.0.0.1)
SlurmctldPort=%d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=%s
StateSaveLocation=%s
SlurmdSpoolDir=%s
SlurmctldPidFile=%s
SlurmdPidFile=%s
SlurmctldLogFile=%s
SlurmdLogFile=%s
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
PlugStackConfig=/dev/null
ReturnToService=2
SlurmdTimeout=300
KillWait=5
`, host, ports[0], c.path("munge.sock"), c.path("state"), c.path("spool-%n"), c.path("slurmctld.pid"), c.path("slurmd-%n.pid"),
		c.path("slurmctld.log"), c.path("slurmd-%n.log"))
	for i, node := range nodes {
		fmt.Fprintf(&b, "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=500\n", node, host, ports[1+i], cpusPerNode)
	}
	partition := "MaxTime=INFINITE"
	if strict {
		// A message of accounting finds munge by the password.
		fmt.Fprintf(&b, `AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=%d
AccountingStoragePass=%s
AccountingStorageEnforce=associations,limits,qos
JobSubmitPlugins=require_timelimit
EnforcePartLimits=ALL
MaxArraySize=%d
`, ports[1+len(nodes)], c.path("munge.sock"), MaxArray+1)
		// Root has an account of its own, which this partition does not take.
		partition = "MaxTime=60 AllowAccounts=" + Account
	} else {
		b.WriteString("AccountingStorageType=accounting_storage/none\n")
	}
	fmt.Fprintf(&b, "PartitionName=main Nodes=%s Default=YES %s State=UP\n", strings.Join(nodes, ","), partition)
	if err := os.WriteFile(c.path("slurm.conf"), []byte(b.String()), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// startAccounting starts a database and slurmdbd, and makes Account.
func (c *Cluster) startAccounting(dbdPort, databasePort int) {
	c.t.Helper()
	if out, err := exec.Command("mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=normal", "--user=root",
		"--skip-test-db", "--datadir="+c.path("db")).CombinedOutput(); err != nil {
		c.t.Skipf("no database for slurmdbd: %v\n%s", err, out)
	}
	c.start("mariadbd", "mariadbd", "--no-defaults", "--user=root", "--datadir="+c.path("db"), "--socket="+c.path("db.sock"),
		"--bind-address=127.0.0.1", "--port="+strconv.Itoa(databasePort), "--pid-file="+c.path("db.pid"), "--innodb-buffer-pool-size=32M")
	database := func(statement string) error {
		return exec.Command("mariadb", "--no-defaults", "--user=root", "--socket="+c.path("db.sock"), "--execute="+statement).Run()
	}
	c.Eventually("the database to answer", func() bool { return database("SELECT 1") == nil })
	for _, statement := range []string{
		"CREATE DATABASE slurm_acct_db", "CREATE USER slurm@localhost", "CREATE USER slurm@'127.0.0.1'",
		"GRANT ALL ON slurm_acct_db.* TO slurm@localhost", "GRANT ALL ON slurm_acct_db.* TO slurm@'127.0.0.1'",
	} {
		if err := database(statement); err != nil {
			c.t.Fatalf("%s: %v", statement, err)
		}
	}
	host, err := os.Hostname()
	if err != nil {
		c.t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	conf := fmt.Sprintf(`AuthType=auth/munge
AuthInfo=socket=%s
DbdHost=%s
DbdAddr=127.0.0.1
DbdPort=%d
SlurmUser=root
LogFile=%s
PidFile=%s
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=%d
StorageUser=slurm
StorageLoc=slurm_acct_db
`, c.path("munge.sock"), host, dbdPort, c.path("slurmdbd.log"), c.path("slurmdbd.pid"), databasePort)
	if err := os.WriteFile(c.path("slurmdbd.conf"), []byte(conf), 0o600); err != nil { // slurmdbd refuses others
		c.t.Fatal(err)
	}
	c.start("slurmdbd", "slurmdbd", "-D", "-s")
	c.Eventually("slurmdbd to answer", func() bool { return exec.Command("sacctmgr", "--noheader", "list", "cluster").Run() == nil })
	c.Run("sacctmgr", "--immediate", "add", "cluster", "test")
	c.Run("sacctmgr", "--immediate", "add", "account", Account, "Description=test", "Organization=test")
	c.Run("sacctmgr", "--immediate", "add", "user", "root", "account="+Account)
}

// freePorts returns unused ports of the loopback interface.
func freePorts(t *testing.T, n int) []int {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// start starts a daemon in a session of its own.
func (c *Cluster) start(as string, argv ...string) {
	c.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	out, err := os.OpenFile(c.path(as+".out"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		c.t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Skipf("%s cannot be started: %v", argv[0], err)
	}
	c.daemons[as] = cmd
	go func() { _ = cmd.Wait() }() // reaps it
}

// StartNode starts the daemon of a node.
func (c *Cluster) StartNode(node string) {
	c.t.Helper()
	c.start(node, "slurmd", "-D", "-N", node, "-f", c.path("slurm.conf"))
}

// FailNode kills all processes of a node, as if its power failed, and marks it
// as down.
func (c *Cluster) FailNode(node string) {
	c.t.Helper()
	pids := []int{c.daemons[node].Process.Pid}
	for _, pid := range c.processes("SLURMD_NODENAME=" + node) {
		if parent := parentOf(pid); strings.HasPrefix(commandOf(parent), "slurmstepd") {
			pids = append(pids, parent)
		}
		pids = append(pids, pid)
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	c.Run("scontrol", "update", "NodeName="+node, "State=DOWN", "Reason=test")
}

// Process returns the process of a task of a job array, or 0.
func (c *Cluster) Process(job string, task int) int {
	for _, pid := range c.processes("SLURM_ARRAY_JOB_ID=" + job) {
		if has(pid, "SLURM_ARRAY_TASK_ID="+strconv.Itoa(task)) {
			return pid
		}
	}
	return 0
}

// StartSoon has a job that was requeued start in two seconds, and not in two minutes.
// One that starts in the second in which it ended is refused by slurmd, which
// compares the times in whole seconds ("Job credential revoked").
func (c *Cluster) StartSoon(job string) {
	c.t.Helper()
	c.Run("scontrol", "update", "JobId="+job, "StartTime=now+2")
}

// Run runs one of Slurm's commands.
func (c *Cluster) Run(name string, args ...string) string {
	c.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// Eventually waits until condition holds, for at most 20 minutes: only a
// failure takes that long, however busy the machine is.
func (c *Cluster) Eventually(what string, condition func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(20 * time.Minute); !condition(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("waiting for %s takes too long\n%s", what, c.logs())
		}
	}
}

// logs returns the last lines of the daemons' logs.
func (c *Cluster) logs() string {
	var b strings.Builder
	files, _ := filepath.Glob(c.path("*.[ol][ou][tg]"))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		fmt.Fprintf(&b, "--- %s\n%s\n", file, data[max(0, len(data)-1500):])
	}
	return b.String()
}

// stop ends all processes of the cluster, jobs included.
func (c *Cluster) stop() {
	for _, cmd := range c.daemons {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	}
	for tries := 0; tries < 50; tries++ {
		pids := c.processes("SLURM_CONF=" + c.path("slurm.conf"))
		if len(pids) == 0 {
			break
		}
		if tries > 20 {
			for _, pid := range pids {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := os.RemoveAll(c.dir); err != nil {
		c.t.Error(err)
	}
}

// processes lists the processes of this cluster, except this one, whose
// environment has a variable.
func (c *Cluster) processes(variable string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		c.t.Fatal(err)
	}
	var list []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err == nil && pid != os.Getpid() && has(pid, variable) && has(pid, "SLURM_CONF="+c.path("slurm.conf")) {
			list = append(list, pid)
		}
	}
	return list
}

// has reports whether the environment of a process has a variable.
func has(pid int, variable string) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && bytes.Contains(append([]byte{0}, data...), []byte("\x00"+variable+"\x00"))
}

func commandOf(pid int) string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return filepath.Base(string(data))
}

func parentOf(pid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "PPid:"); ok {
			parent, _ := strconv.Atoi(strings.TrimSpace(text))
			return parent
		}
	}
	return 0
}
