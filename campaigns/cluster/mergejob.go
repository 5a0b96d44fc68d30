package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/signal"
	"path/filepath"
	"slices"

	"ordeal/campaigns/engine/merge"
	"ordeal/campaigns/run"
)

// MergeJob is the job that merges the shards of a campaign.
type MergeJob struct {
	Dir Dir
	// Merge has how commands are shown; Run sets its Dir and Sources.
	Merge merge.Merge
	// Logf logs a line; nil logs nothing.
	Logf func(format string, args ...any)
	_    struct{}
}

// MergeResult is the result of a job that merges.
type MergeResult struct {
	// Result is that of the last step; nil if none was made.
	*merge.Result
	// Requeued says that the job gave up before its time limit and is in the queue
	// again.
	Requeued bool
	_        struct{}
}

// MergeLimit is merge.json: what the job that merges did near its time limit.
type MergeLimit struct {
	// Job is the id of that job: another one begins anew.
	Job string `json:"job"`
	Limit
	// AtOnce is how many shards it merges at once, Merged which it has merged.
	AtOnce int      `json:"at_once"`
	Merged []string `json:"merged"`
}

func (d Dir) mergeLimitFile() string { return d.path("merge.json") }

// mergeLimit reads what a job did near its time limit; zero if it did nothing.
func (d Dir) mergeLimit(job string) (MergeLimit, error) {
	var l MergeLimit
	err := run.ReadJSON(d.mergeLimitFile(), &l)
	if errors.Is(err, fs.ErrNotExist) || err == nil && l.Job != job {
		return MergeLimit{Job: job}, nil
	}
	return l, err
}

// Run merges the shards as far as they have run. It waits while another process
// still merges them. A job that is near its time limit gets limitSignal: then it
// gives up the step it is at and requeues itself. The first attempt merges all
// shards in one step; one that does not end a step has half of the shards in the
// next, until a step of one shard is too long.
func (j *MergeJob) Run(ctx context.Context) (*MergeResult, error) {
	limited, stop := signal.NotifyContext(ctx, limitSignal)
	defer stop()
	r := new(MergeResult)
	started, err := j.Dir.Started()
	if err != nil {
		return r, err
	}
	if len(started) == 0 {
		return r, fmt.Errorf("no shard of %s has started: nothing to merge", j.Dir)
	}
	l, err := j.Dir.mergeLimit(ownJob())
	if err != nil {
		return r, err
	}
	left := slices.DeleteFunc(started, func(dir string) bool { return slices.Contains(l.Merged, filepath.Base(dir)) })
	l.AtOnce = cmp.Or(max(l.AtOnce, 0), len(left))
	steps, err := j.steps(limited, &l, left, r)
	if err == nil {
		if err = run.Remove(j.Dir.mergeLimitFile()); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return r, err
	}
	if limited.Err() == nil || ctx.Err() != nil {
		return r, err
	}
	var refused error
	switch {
	case steps > 0:
	case l.AtOnce > 1:
		l.AtOnce /= 2
	default:
		refused = errors.New("one shard was not merged before the time limit: a longer --time is needed")
	}
	r.Requeued, err = requeueSelf(ctx, &l.Limit, refused, "the merge", func() error { return run.WriteJSON(j.Dir.mergeLimitFile(), &l, true) })
	return r, err
}

// steps merges shards, l.AtOnce at a time, until ctx is done, and counts the
// steps.
func (j *MergeJob) steps(ctx context.Context, l *MergeLimit, left []string, r *MergeResult) (steps int, err error) {
	locked, err := await(ctx, j.Dir.path("merge.lock"), j.Logf)
	if err != nil {
		return 0, err
	}
	defer locked.Close()
	for step := range slices.Chunk(left, max(l.AtOnce, 1)) {
		m := j.Merge
		m.Dir, m.Sources = j.Dir.Merged(), step
		result, err := m.Run(ctx)
		if err != nil {
			return steps, err
		}
		r.Result = result
		for _, dir := range step {
			l.Merged = append(l.Merged, filepath.Base(dir))
		}
		steps++
	}
	return steps, nil
}
