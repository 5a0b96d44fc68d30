package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"ordeal/campaigns/run"
)

// Limit is shards/3.json: what the jobs of shard 3 did near their time limits.
type Limit struct {
	// Requeued counts how often a job requeued itself, Reached when one last got
	// near its limit.
	Requeued int       `json:"requeued"`
	Reached  time.Time `json:"reached"`
	// NotRequeued is why the job that last got near its limit is not queued again.
	NotRequeued string `json:"not_requeued,omitempty"`
	_           struct{}
}

func (d Dir) limitFile(shard int) string { return d.Shard(shard) + ".json" }

// limit reads what a shard's jobs did near their time limits; zero if none was.
func (d Dir) limit(shard int) (Limit, error) {
	var l Limit
	err := run.ReadJSON(d.limitFile(shard), &l)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return l, err
}

// errNoProgress is for a time limit that a job would reach again and again.
var errNoProgress = errors.New("no run was recorded before the time limit: a longer --time, or less work in a run, is needed")

// requeueShard requeues the job that this process is, near its time limit, unless
// it has made no run.
func (d Dir) requeueShard(ctx context.Context, shard, made int) (bool, error) {
	l, err := d.limit(shard)
	if err != nil {
		return false, err
	}
	var refused error
	if made == 0 {
		refused = errNoProgress
	}
	return requeueSelf(ctx, &l, refused, fmt.Sprintf("shard %d", shard), func() error { return run.WriteJSON(d.limitFile(shard), &l, true) })
}

// requeueSelf requeues the job that this process is, near its time limit, unless
// it is refused. It records what was done first, by write, as Slurm then ends
// this process.
func requeueSelf(ctx context.Context, l *Limit, refused error, what string, write func() error) (bool, error) {
	l.Reached, l.NotRequeued = time.Now(), ""
	id := ownJob()
	err := refused
	switch {
	case err != nil:
	case id == "":
		err = errors.New("this process is not a job of Slurm (SLURM_JOB_ID)")
	default:
		l.Requeued++
		if err := write(); err != nil {
			return false, err
		}
		if err = requeue(ctx, id); err == nil {
			return true, nil
		}
		l.Requeued--
	}
	l.NotRequeued = err.Error()
	return false, errors.Join(fmt.Errorf("%s is near its time limit and is not requeued: %w", what, err), write())
}

// ownJob is the id of the job that this process is, empty if it is none.
func ownJob() string {
	if id := cmp.Or(os.Getenv("SLURM_JOB_ID"), os.Getenv("SLURM_JOBID")); jobID().MatchString(id) {
		return id
	}
	return ""
}
