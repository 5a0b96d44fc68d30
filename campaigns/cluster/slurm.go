package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"ordeal/sim/lazyregexp"
)

// commandTimeout bounds each call of one of Slurm's commands.
const commandTimeout = 2 * time.Minute

// slurm calls one of Slurm's commands and returns its output.
func slurm(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return stdout.String(), nil
	}
	if text := strings.TrimSpace(stderr.String()); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return "", fmt.Errorf("%s: %w", name, err)
}

// batch is a job or a job array to submit.
type batch struct {
	script, name, output string
	tasks                string // of a job array, as Slurm lists them; empty for a job
	after                []string
	workDir              string
	request              Request
}

// warning is how many seconds before its time limit a job gets SIGTERM: enough
// to give up the runs in flight and to write the last lines.
const warning = 60

func (b *batch) args() []string {
	args := []string{
		"--parsable", "--job-name=" + b.name, "--output=" + b.output, "--open-mode=append", "--chdir=" + b.workDir,
		// Jobs are restarted after a node failure or preemption.
		"--requeue",
		// The script execs this program, so that the batch step gets the signal.
		fmt.Sprintf("--signal=B:TERM@%d", warning),
	}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag+"="+value)
		}
	}
	add("--array", b.tasks)
	if len(b.after) > 0 {
		add("--dependency", "afterany:"+strings.Join(b.after, ":"))
	}
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

func cancel(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := slurm(ctx, "scancel", ids...)
	return err
}

// job is a job, or a task of a job array, that Slurm knows.
type job struct {
	Task
	name string
}

// jobs asks Slurm for the jobs with some names. Slurm remembers ended jobs for
// some minutes; its accounting, where there is one, is asked for the ids known.
func jobs(ctx context.Context, names, known []string) ([]job, error) {
	list, err := queued(ctx, names)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for i := range list {
		seen[list[i].ID()] = true
	}
	for _, j := range accounted(ctx, known) {
		if !seen[j.ID()] {
			list = append(list, j)
		}
	}
	return list, nil
}

// queueFormat are the columns of squeue: the id of the job or its array, task,
// state, name, node and reason.
const queueFormat = "%F|%K|%T|%j|%N|%r"

// queued asks squeue, or scontrol where that is not installed.
func queued(ctx context.Context, names []string) ([]job, error) {
	out, err := slurm(ctx, "squeue", "--noheader", "--array", "--states=all", "--name="+strings.Join(names, ","), "--format="+queueFormat)
	if errors.Is(err, exec.ErrNotFound) {
		out, err = slurm(ctx, "scontrol", "--oneliner", "show", "job")
		if err != nil {
			return nil, err
		}
		return parseShow(out, names), nil
	} else if err != nil {
		return nil, err
	}
	var list []job
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), "|", 6)
		if len(f) != 6 || !jobID().MatchString(f[0]) {
			return nil, fmt.Errorf("squeue printed %q, want fields as %s", line, queueFormat)
		}
		task, _ := strconv.Atoi(f[1]) // N/A without an array
		list = append(list, job{Task{Shard: task, Job: f[0], State: f[2], Node: f[4], Reason: reason(f[5])}, f[3]})
	}
	return list, nil
}

// reason drops what Slurm prints for no reason.
func reason(text string) string {
	if text == "None" || text == "(null)" {
		return ""
	}
	return text
}

// parseShow reads the output of scontrol --oneliner show job: lines of words
// KEY=VALUE.
func parseShow(out string, names []string) []job {
	var list []job
	for line := range strings.Lines(out) {
		values := make(map[string]string)
		for _, word := range strings.Fields(line) {
			if key, value, ok := strings.Cut(word, "="); ok && values[key] == "" {
				values[key] = value
			}
		}
		j := job{Task{Job: values["JobId"], State: values["JobState"], Reason: reason(values["Reason"]), Node: reason(values["NodeList"])}, values["JobName"]}
		if !slices.Contains(names, j.name) {
			continue
		}
		if values["ArrayJobId"] == "" {
			list = append(list, j)
			continue
		}
		j.Job = values["ArrayJobId"]
		for _, task := range parseTasks(values["ArrayTaskId"]) {
			j.Shard = task
			list = append(list, j)
		}
	}
	return list
}

// accounted asks sacct. Many clusters have no accounting: after an error these
// jobs have no state.
func accounted(ctx context.Context, ids []string) []job {
	if len(ids) == 0 {
		return nil
	}
	out, err := slurm(ctx, "sacct", "--noheader", "--parsable2", "--allocations", "--jobs="+strings.Join(ids, ","), "--format=JobID,State,NodeList,JobName")
	if err != nil {
		return nil
	}
	var list []job
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), "|", 4)
		if len(f) != 4 {
			continue
		}
		id, task, _ := strings.Cut(f[0], "_")
		state, _, _ := strings.Cut(f[1], " ") // CANCELLED by 0
		j := job{Task{Job: id, State: state, Node: f[2]}, f[3]}
		if task == "" {
			list = append(list, j)
			continue
		}
		for _, j.Shard = range parseTasks(strings.Trim(task, "[]")) {
			list = append(list, j)
		}
	}
	return list
}

// formatTasks lists sorted tasks as Slurm does: 1-3,7.
func formatTasks(tasks []int) string {
	var parts []string
	for i := 0; i < len(tasks); {
		k := i
		for k+1 < len(tasks) && tasks[k+1] == tasks[k]+1 {
			k++
		}
		part := strconv.Itoa(tasks[i])
		if k > i {
			part += "-" + strconv.Itoa(tasks[k])
		}
		parts = append(parts, part)
		i = k + 1
	}
	return strings.Join(parts, ",")
}

// maxTasks is the greatest task number that Slurm can be configured for.
const maxTasks = 4000001

// parseTasks reads a list of tasks, 1-3,7%2: the number after % limits how many
// run at a time. It returns nil for anything else.
func parseTasks(text string) []int {
	text, _, _ = strings.Cut(text, "%")
	var tasks []int
	for part := range strings.SplitSeq(text, ",") {
		low, high, ok := strings.Cut(part, "-")
		if !ok {
			high = low
		}
		from, errFrom := strconv.Atoi(low)
		to, errTo := strconv.Atoi(high)
		if errFrom != nil || errTo != nil || from < 0 || to > maxTasks {
			return nil
		}
		for task := from; task <= to; task++ {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

// ended are the states of jobs that do not run any more. A job in any other
// state, known or not, is active.
var ended = map[string]bool{
	"BOOT_FAIL": true, "CANCELLED": true, "COMPLETED": true, "DEADLINE": true, "FAILED": true,
	"NODE_FAIL": true, "OUT_OF_MEMORY": true, "PREEMPTED": true, "TIMEOUT": true, "REVOKED": true,
	stateUnknown: true,
}

func (t *Task) active() bool { return t.State != "" && !ended[t.State] }
