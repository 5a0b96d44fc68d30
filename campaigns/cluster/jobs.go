package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// jobs asks Slurm for jobs and job arrays by their ids. Slurm remembers ended
// jobs for some minutes; its accounting, where there is one, is asked for those
// known, which are ids of jobs and of tasks.
func jobs(ctx context.Context, ids, known []string) ([]Task, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := queued(ctx, "--jobs="+strings.Join(ids, ","), func(id, _ string) bool { return slices.Contains(ids, id) })
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

// named asks for the jobs of one name.
func named(ctx context.Context, name string) ([]Task, error) {
	return queued(ctx, "--name="+name, func(_, has string) bool { return has == name })
}

// queueFormat are the columns of squeue: the id of the job or its array, task,
// state, node and reason.
const queueFormat = "%F|%K|%T|%N|%r"

// unknownJob is in squeue's error if it knows none of the jobs asked for; of
// several it leaves out the unknown.
const unknownJob = "Invalid job id"

// queued asks squeue for the jobs that a flag selects, or scontrol where that is
// not installed for those of which has says so, by their id and name. Jobs in
// hidden partitions count.
func queued(ctx context.Context, flag string, has func(id, name string) bool) ([]Task, error) {
	out, err := slurm(ctx, "squeue", "--noheader", "--all", "--array", "--states=all", flag, "--format="+queueFormat)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		out, err = slurm(ctx, "scontrol", "--all", "--oneliner", "show", "job")
		if err != nil {
			return nil, err
		}
		return parseShow(out, has), nil
	case err != nil && strings.Contains(err.Error(), unknownJob):
		return nil, nil
	case err != nil:
		return nil, err
	}
	var list []Task
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), "|", 5)
		if len(f) != 5 || !jobID().MatchString(f[0]) {
			return nil, fmt.Errorf("squeue printed %q, want fields as %s", line, queueFormat)
		}
		task, _ := strconv.Atoi(f[1]) // N/A without an array
		list = append(list, Task{Shard: task, Job: f[0], State: f[2], Node: f[3], Reason: reason(f[4])})
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

// parseShow reads the output of scontrol --oneliner show job.
func parseShow(out string, has func(id, name string) bool) []Task {
	var list []Task
	for line := range strings.Lines(out) {
		values := shown(line)
		array := values["ArrayJobId"]
		t := Task{Job: cmp.Or(array, values["JobId"]), State: values["JobState"], Reason: reason(values["Reason"]), Node: reason(values["NodeList"])}
		if !has(t.Job, values["JobName"]) {
			continue
		}
		if array == "" {
			list = append(list, t)
			continue
		}
		for _, t.Shard = range parseTasks(values["ArrayTaskId"]) {
			list = append(list, t)
		}
	}
	return list
}

// shown are the words KEY=VALUE of a line, of which the first of each key counts.
func shown(line string) map[string]string {
	values := make(map[string]string)
	for _, word := range strings.Fields(line) {
		if key, value, ok := strings.Cut(word, "="); ok && values[key] == "" {
			values[key] = value
		}
	}
	return values
}

// accounted asks sacct. Many clusters have no accounting: after an error these
// jobs have no state.
func accounted(ctx context.Context, ids []string) []Task {
	if len(ids) == 0 {
		return nil
	}
	out, err := slurm(ctx, "sacct", "--noheader", "--parsable2", "--allocations", "--jobs="+strings.Join(ids, ","), "--format=JobID,State,NodeList")
	if err != nil {
		return nil
	}
	var list []Task
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), "|", 3)
		if len(f) != 3 {
			continue
		}
		id, task, _ := strings.Cut(f[0], "_")
		state, _, _ := strings.Cut(f[1], " ") // CANCELLED by 0
		t := Task{Job: id, State: state, Node: f[2]}
		if task == "" {
			list = append(list, t)
			continue
		}
		for _, t.Shard = range parseTasks(strings.Trim(task, "[]")) {
			list = append(list, t)
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
