package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ordeal/sim/lazyregexp"
)

// commandTimeout bounds each call of one of Slurm's commands.
const commandTimeout = 2 * time.Minute

// slurm calls one of Slurm's commands and returns its output.
func slurm(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, commandTimeout, fmt.Errorf("no end after %s", commandTimeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	cmd.Env = slices.DeleteFunc(os.Environ(), overriding)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return stdout.String(), nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if text := strings.TrimSpace(stderr.String()); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return "", fmt.Errorf("%s: %w", name, err)
}

// overriding reports whether a variable NAME=VALUE of the environment would
// change what Slurm's commands are asked for here: it has squeue show
// other columns or hide jobs, scancel wait for an answer, or makes an array of
// the merge. SBATCH_ACCOUNT and the like stay: the command line precedes them.
func overriding(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	for _, prefix := range []string{"SQUEUE_", "SACCT_", "SCANCEL_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"SBATCH_ARRAY_INX", "SBATCH_WAIT", "SBATCH_ERROR", "SBATCH_INPUT"}, name)
}

// batch is a job or a job array to submit.
type batch struct {
	script, name, output string
	tasks                string // of a job array, as Slurm lists them; empty for a job
	after                []string
	workDir              string
	request              Request
}

// warning is how many seconds before its time limit a job gets limitSignal:
// enough to give up the runs in flight, to write the last lines and to requeue the
// job. Slurm may send it up to a minute earlier (sbatch(1),
// --signal).
const warning = 60

// limitSignal is another signal than those of scancel and preemption, after
// which a job must not requeue itself.
const (
	limitSignal     = syscall.Signal(10) // SIGUSR1 of Linux, where Slurm runs
	limitSignalName = "USR1"
)

func (b *batch) args() []string {
	args := []string{
		"--parsable", "--job-name=" + b.name, "--output=" + b.output, "--open-mode=append", "--chdir=" + b.workDir,
		// Jobs are restarted after a node failure or preemption.
		"--requeue",
		// The script execs this program, so that the batch step gets the signal.
		fmt.Sprintf("--signal=B:%s@%d", limitSignalName, warning),
	}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag+"="+value)
		}
	}
	array := b.tasks
	if array != "" && b.request.AtATime > 0 {
		array += "%" + strconv.Itoa(b.request.AtATime)
	}
	add("--array", array)
	if len(b.after) > 0 {
		add("--dependency", "afterany:"+strings.Join(b.after, ":"))
	}
	add("--account", b.request.Account)
	add("--partition", b.request.Partition)
	add("--time", b.request.Time)
	add("--mem", b.request.Memory)
	if b.request.CPUs > 0 {
		add("--cpus-per-task", strconv.Itoa(b.request.CPUs))
	}
	args = append(args, b.request.Args...)
	return append(args, b.script)
}

var jobID = lazyregexp.New(`^[0-9]+$`)

func (b *batch) submit(ctx context.Context) (string, error) {
	out, err := slurm(ctx, "sbatch", b.args()...)
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // the name of the cluster follows
	if !jobID().MatchString(id) {
		return "", fmt.Errorf("sbatch printed %q, want the id of a job", out)
	}
	return id, nil
}

// requeue puts a job that runs back in the queue. Slurm ends it and starts it
// again, some minutes later, with the same id.
func requeue(ctx context.Context, id string) error {
	_, err := slurm(ctx, "scontrol", "requeue", id)
	return err
}
