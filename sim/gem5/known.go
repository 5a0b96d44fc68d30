package gem5

import (
	"context"
	"os"
	"sync"
	"time"
)

// build identifies the contents of a binary as make does.
type build struct {
	path  string
	size  int64
	mtime time.Time
}

// known remembers what the binaries of this process are: a campaign has a runner
// for each of its configurations, often many for one binary, and asking starts
// gem5, which takes a second.
var known sync.Map // of build to *asked

// asked is a binary that is being asked, or was. Its lock is held meanwhile.
type asked struct {
	mu   sync.Mutex
	info *Info // nil if that failed
}

// probeOnce is Probe, but for a binary that has an answer already and was not
// changed since. Failures are not remembered.
func probeOnce(ctx context.Context, binary string) (*Info, error) {
	stat, err := os.Stat(binary)
	if err != nil {
		return Probe(ctx, binary) // which says what is wrong
	}
	v, _ := known.LoadOrStore(build{binary, stat.Size(), stat.ModTime()}, new(asked))
	a := v.(*asked)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.info == nil {
		if a.info, err = Probe(ctx, binary); err != nil {
			return nil, err
		}
	}
	return a.info, nil
}
