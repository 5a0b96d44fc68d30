package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// commandTimeout bounds each call of one of Slurm's commands.
const commandTimeout = 2 * time.Minute

// slurm calls one of Slurm's commands and gives what it printed.
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
	if said := strings.TrimSpace(stderr.String()); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return "", fmt.Errorf("%s: %w", name, err)
}

// batch is a job, or an array of jobs, to submit.
type batch struct {
	script, name, output string
	tasks                string // of an array, as Slurm lists them; empty for a job
	after                []string
	workDir              string
	request              Request
}

// warning is how long before its end a job is told of it, in seconds: enough
// to give up the runs in flight, and for the last lines to reach the disk.
const warning = 60

// args are the arguments of sbatch.
func (b *batch) args() []string {
	args := []string{
		"--parsable", "--job-name=" + b.name, "--output=" + b.output, "--open-mode=append", "--chdir=" + b.workDir,
		// A node that fails, or a job that has to give way, begins anew.
		"--requeue",
		// The script becomes this program, so that the batch step is what to tell.
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

// jobForm is the form of Slurm's job ids.
var jobForm = regexp.MustCompile(`^[0-9]+$`)

// submit submits a job and gives its id.
func (b *batch) submit(ctx context.Context) (string, error) {
	out, err := slurm(ctx, "sbatch", b.args()...)
	if err != nil {
		return "", err
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // the name of the cluster follows
	if !jobForm.MatchString(id) {
		return "", fmt.Errorf("sbatch printed %q, want the id of a job", out)
	}
	return id, nil
}

// cancel cancels jobs.
func cancel(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := slurm(ctx, "scancel", ids...)
	return err
}

// job is a job, or a task of an array of jobs, that Slurm knows.
type job struct {
	Task
	name string
}

// jobs asks Slurm for the jobs with some names. Of those that ended it knows
// for some minutes, or from its accounting, where there is one: known are the
// ids to ask that for.
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

// queueFormat is what squeue is to print of a job: its id or that of its array,
// the task, state, name, node and reason.
const queueFormat = "%F|%K|%T|%j|%N|%r"

// queued asks squeue, or scontrol where there is none.
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
		if len(f) != 6 || !jobForm.MatchString(f[0]) {
			return nil, fmt.Errorf("squeue printed %q, want fields as %s", line, queueFormat)
		}
		task, _ := strconv.Atoi(f[1]) // N/A for a job that is no array
		list = append(list, job{Task{Shard: task, Job: f[0], State: f[2], Node: f[4], Reason: reason(f[5])}, f[3]})
	}
	return list, nil
}

// reason drops what Slurm says for no reason.
func reason(text string) string {
	if text == "None" || text == "(null)" {
		return ""
	}
	return text
}

// parseShow reads what scontrol --oneliner show job prints: a job a line, in
// words KEY=VALUE.
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

// accounted asks sacct. Many clusters have no accounting, so that it does not
// matter what goes wrong: then these jobs have no state.
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

// formatTasks lists tasks as Slurm does: 1-3,7. They are in order.
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

// maxTasks is the greatest number of a task that Slurm can be configured for.
const maxTasks = 4000001

// parseTasks reads a list of tasks, 1-3,7%2: the number behind % is how many
// may run at a time. What is no list is empty.
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

// ended are the states from which a job does not come back by itself. A job in
// any other, and be it one that this program does not know, is on its way.
var ended = map[string]bool{
	"BOOT_FAIL": true, "CANCELLED": true, "COMPLETED": true, "DEADLINE": true, "FAILED": true,
	"NODE_FAIL": true, "OUT_OF_MEMORY": true, "PREEMPTED": true, "TIMEOUT": true, "REVOKED": true,
	stateForgotten: true,
}

// active tells whether the engine has yet to do something about a job.
func (t *Task) active() bool { return t.State != "" && !ended[t.State] }
