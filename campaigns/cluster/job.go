package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/merge"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/run"
	"ordeal/sim/osfile"
)

// ShardJob is the job of a shard.
type ShardJob struct {
	Dir   Dir
	Shard int
	// Engine runs the campaign; Run sets its Dir, Shard and Cores. Its Gate holds
	// for the first job of the shard, too.
	Engine engine.Engine
	_      struct{}
}

// lockPoll is the time between attempts to take a lock.
const lockPoll = time.Second

// ShardResult is the result of a shard's job.
type ShardResult struct {
	// Summary is that of the shard so far.
	*summary.Summary
	// Requeued says that the job ended its runs before its time limit and is in
	// the queue again.
	Requeued bool
	_        struct{}
}

// Run starts the shard, or resumes it: an earlier job may have been killed at any
// moment. It waits while another process still runs the shard, as on a node that
// the engine has lost contact with. A job that is near its time limit gets
// limitSignal: then it gives up the runs in flight and requeues itself.
func (j *ShardJob) Run(ctx context.Context) (*ShardResult, error) {
	limited, stop := signal.NotifyContext(ctx, limitSignal)
	defer stop()
	made := 0 // runs that this job has recorded
	sum, err := j.run(limited, &made)
	r := &ShardResult{Summary: sum}
	if limited.Err() == nil || ctx.Err() != nil || sum == nil || err != nil || !sum.Interrupted {
		return r, err
	}
	if made == 0 { // the next job would reach the limit, too
		return r, errNoProgress
	}
	if err := requeueSelf(ctx); err != nil {
		return r, fmt.Errorf("shard %d is near its time limit and is not requeued: %w", j.Shard, err)
	}
	r.Requeued = true
	return r, nil
}

// errNoProgress is for a time limit that a job would reach again and again.
var errNoProgress = errors.New("no run was recorded before the time limit: a longer --time, or less work in a run, is needed")

// requeueSelf requeues the job that this process is.
func requeueSelf(ctx context.Context) error {
	id := cmp.Or(os.Getenv("SLURM_JOB_ID"), os.Getenv("SLURM_JOBID"))
	if !jobID().MatchString(id) {
		return errors.New("this process is not a job of Slurm (SLURM_JOB_ID)")
	}
	return requeue(ctx, id)
}

// Merge merges the shards as far as they have run into Merged. It waits while
// another process still merges them.
func (d Dir) Merge(ctx context.Context, m merge.Merge, logf func(format string, args ...any)) (*merge.Result, error) {
	started, err := d.Started()
	if err != nil {
		return nil, err
	}
	if len(started) == 0 {
		return nil, fmt.Errorf("no shard of %s has started: nothing to merge", d)
	}
	locked, err := await(ctx, d.path("merge.lock"), logf)
	if err != nil {
		return nil, err
	}
	defer locked.Close()
	m.Dir, m.Sources = d.Merged(), started
	return m.Run(ctx)
}

// head reads the header of a campaign's directory; nil if it has not started.
func head(dir string) (*journal.Header, error) {
	h := new(journal.Header)
	err := run.ReadJSON(filepath.Join(dir, journal.HeaderFile), h)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return h, err
}

// run is Run until ctx is done, and counts the runs that it records.
func (j *ShardJob) run(ctx context.Context, made *int) (*summary.Summary, error) {
	state, err := j.Dir.State()
	if err != nil {
		return nil, err
	}
	if j.Shard < 1 || j.Shard > state.Shards {
		return nil, fmt.Errorf("no shard %d: the campaign in %s has shards 1 to %d", j.Shard, j.Dir, state.Shards)
	}
	locked, err := await(ctx, j.Dir.Shard(j.Shard)+".lock", j.Engine.Logf)
	if err != nil {
		return nil, err
	}
	defer locked.Close()
	loop := j.Engine
	loop.Dir = j.Dir.Shard(j.Shard)
	loop.Shard = config.Shard{Index: j.Shard, Of: state.Shards}
	loop.Cores = cores()
	loop.OnResult = func(s *summary.Summary, e *journal.Entry) {
		*made++
		if j.Engine.OnResult != nil {
			j.Engine.OnResult(s, e)
		}
	}
	h, err := head(loop.Dir)
	switch {
	case err != nil:
		return nil, err
	case h != nil && h.Shard != loop.Shard:
		return nil, fmt.Errorf("%s has shard %s, want %s", loop.Dir, h.Shard, loop.Shard)
	case h != nil:
		return loop.Resume(ctx)
	}
	// Without a header there is no run: an earlier job was killed before the first.
	if err := run.RemoveAll(loop.Dir); err != nil {
		return nil, err
	}
	c, err := j.Dir.Campaign()
	if err != nil {
		return nil, err
	}
	if loop.Runner == nil {
		// The directory may come from others, and be submitted as it is.
		gate := cmp.Or(loop.Gate, &run.Gate{Dir: string(j.Dir)})
		if err := gate.Campaign(c); err != nil {
			return nil, err
		}
		loop.Runner = gate.NewRunner
	}
	return loop.Run(ctx, c)
}

// await locks a file when it is free.
func await(ctx context.Context, path string, logf func(format string, args ...any)) (*os.File, error) {
	for first := true; ; first = false {
		locked, err := lock(path)
		if !errors.Is(err, osfile.ErrLocked) {
			return locked, err
		}
		if first && logf != nil {
			logf("%v: waiting until it ends", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// cores is the number of cores of this node that the job has, 0 if unknown.
func cores() int {
	n, err := strconv.Atoi(os.Getenv("SLURM_CPUS_ON_NODE"))
	if err != nil || n < 1 {
		return 0
	}
	return n
}
