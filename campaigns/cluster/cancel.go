package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// shardScript and mergeScript are the batch scripts in the directory of a campaign.
const (
	shardScript = "shard.sh"
	mergeScript = "merge.sh"
)

// cancel cancels jobs and tasks of this campaign and returns their ids. The ids come
// from cluster.json, and the directory may come from others: a job is of this campaign
// if what it executes, as Slurm says, is a script of this directory. The error names
// the jobs that are not, which are left alone, or no longer known.
func (d Dir) cancel(ctx context.Context, ids []string) ([]string, error) {
	var jobs []string
	for _, id := range ids {
		if job, _, _ := strings.Cut(id, "_"); !slices.Contains(jobs, job) {
			jobs = append(jobs, job)
		}
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	scripts, err := scriptsOf(ctx, jobs)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, job := range jobs {
		if d.has(scripts[job]) {
			continue
		}
		errs = append(errs, fmt.Errorf("job %s is not cancelled: it executes %q, no script of %s, although its cluster.json names that job", job, scripts[job], d))
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == job || strings.HasPrefix(id, job+"_") })
	}
	if len(ids) > 0 {
		if _, err := slurm(ctx, "scancel", ids...); err != nil {
			return nil, errors.Join(append(errs, err)...)
		}
	}
	return ids, errors.Join(errs...)
}

// has reports whether a path is that of a batch script of this directory.
func (d Dir) has(script string) bool {
	if base := filepath.Base(script); base != shardScript && base != mergeScript || !filepath.IsAbs(script) {
		return false
	}
	here, err := filepath.Abs(string(d))
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return false
	}
	there, err := filepath.EvalSymlinks(filepath.Dir(script))
	return err == nil && there == here
}

// scriptFormat are the columns of squeue: the id of the job or its array, and what it
// executes.
const scriptFormat = "%F|%o"

// scriptsOf asks Slurm for the batch scripts of jobs and job arrays, by their ids.
// Those that it does not know have none.
func scriptsOf(ctx context.Context, ids []string) (map[string]string, error) {
	scripts := make(map[string]string)
	out, err := slurm(ctx, "squeue", "--noheader", "--all", "--states=all", "--jobs="+strings.Join(ids, ","), "--format="+scriptFormat)
	if err != nil && strings.Contains(err.Error(), "Invalid job id") { // it knows none of them
		return scripts, nil
	} else if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		if id, script, ok := strings.Cut(strings.TrimRight(line, "\n"), "|"); ok {
			scripts[id] = script
		}
	}
	return scripts, nil
}
