package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// queueFormat are the columns of squeue: the id of the job or its array, task,
// state, node and reason.
const queueFormat = "%F|%K|%T|%N|%r"

// queued asks squeue for the jobs of some names, hidden partitions included. Slurm
// remembers ended jobs for some minutes.
func queued(ctx context.Context, names ...string) ([]Task, error) {
	out, err := slurm(ctx, "squeue", "--noheader", "--all", "--array", "--states=all", "--name="+strings.Join(names, ","), "--format="+queueFormat)
	if err != nil {
		return nil, err
	}
	var list []Task
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), "|", 5)
		if len(f) != 5 || !jobID().MatchString(f[0]) {
			return nil, fmt.Errorf("squeue printed %q, want fields as %s", line, queueFormat)
		}
		task, _ := strconv.Atoi(f[1]) // N/A without an array
		t := Task{Shard: task, Job: f[0], State: f[2], Node: f[3], Reason: f[4]}
		if t.Reason == "None" || t.Reason == "(null)" {
			t.Reason = ""
		}
		list = append(list, t)
	}
	return list, nil
}

// Ranges lists sorted numbers as Slurm does: 1-3,7.
func Ranges(tasks []int) string {
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

// ended are the states of jobs that do not run any more. A job in any other
// state, known or not, is active.
var ended = map[string]bool{
	"BOOT_FAIL": true, "CANCELLED": true, "COMPLETED": true, "DEADLINE": true, "FAILED": true,
	"NODE_FAIL": true, "OUT_OF_MEMORY": true, "PREEMPTED": true, "TIMEOUT": true, "REVOKED": true,
	stateUnknown: true,
}

func (t *Task) active() bool { return t.State != "" && !ended[t.State] }
