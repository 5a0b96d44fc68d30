package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/merge"
	"ordeal/campaigns/summary"
)

// ShardJob is what the job of a shard does.
type ShardJob struct {
	Dir   Dir
	Shard int
	// Loop says how to make runs; its Dir, Shard and Cores are set by Run.
	Loop engine.Engine
	_    struct{}
}

// lockPoll is the time between attempts to take a lock.
const lockPoll = time.Second

// Run begins the shard, or goes on with it, whatever an earlier job left: it
// may have been killed at any moment. While another process still makes the
// shard, as on a node that the engine has lost touch with, the job waits.
func (j *ShardJob) Run(ctx context.Context) (*summary.Summary, error) {
	state, err := j.Dir.State()
	if err != nil {
		return nil, err
	}
	if j.Shard < 1 || j.Shard > state.Shards {
		return nil, fmt.Errorf("no shard %d: the campaign in %s has shards 1 to %d", j.Shard, j.Dir, state.Shards)
	}
	lock, err := j.await(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	loop := j.Loop
	loop.Dir = j.Dir.Shard(j.Shard)
	loop.Shard = config.Shard{Index: j.Shard, Of: state.Shards}
	loop.Cores = cores()
	h, err := head(loop.Dir)
	switch {
	case err != nil:
		return nil, err
	case h != nil && h.Shard != loop.Shard:
		return nil, fmt.Errorf("%s has shard %s, want %s", loop.Dir, h.Shard, loop.Shard)
	case h != nil:
		return loop.Resume(ctx)
	}
	// Without a head it has no run: what is there was killed before the first.
	if err := os.RemoveAll(loop.Dir); err != nil {
		return nil, err
	}
	c, err := j.Dir.Campaign()
	if err != nil {
		return nil, err
	}
	return loop.Run(ctx, c)
}

// await takes the lock of the shard when it is free.
func (j *ShardJob) await(ctx context.Context) (*os.File, error) {
	path := j.Dir.Shard(j.Shard) + ".lock"
	for told := false; ; told = true {
		lock, err := hold(path)
		if !errors.Is(err, errHeld) {
			return lock, err
		}
		if !told && j.Loop.Tell != nil {
			j.Loop.Tell(fmt.Sprintf("%v: waiting for its end", err))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// cores is the number of cores of this node that are the job's, 0 where Slurm
// does not say.
func cores() int {
	n, err := strconv.Atoi(os.Getenv("SLURM_CPUS_ON_NODE"))
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// MergeJob merges what the shards of a campaign have left so far.
func MergeJob(ctx context.Context, d Dir, m merge.Merge) (*merge.Result, error) {
	begun, err := d.Begun()
	if err != nil {
		return nil, err
	}
	if len(begun) == 0 {
		return nil, fmt.Errorf("no shard of %s has begun: nothing to merge", d)
	}
	m.Dir, m.Sources = d.Merged(), begun
	return m.Run(ctx)
}
