package engine

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/rundir"
)

// TestReductionQueue requires that runs are reduced one at a time and in order,
// that run ends when the queue is closed and empty, and that an interrupted
// reduction stays in the queue.
func TestReductionQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newReductionQueue()
		var reduced []rundir.Dir
		ended := false
		go func() {
			q.run(t.Context(), func(_ context.Context, dir rundir.Dir) { reduced = append(reduced, dir) })
			ended = true
		}()
		q.add("a")
		q.add("b")
		synctest.Wait()
		q.add("c")
		synctest.Wait()
		if ended {
			t.Error("run ends before the queue is closed")
		}
		q.close()
		synctest.Wait()
		if diff := cmp.Diff([]rundir.Dir{"a", "b", "c"}, reduced); diff != "" || !ended || q.due() != 0 {
			t.Errorf("ended: %v, %d due; reduced (-want +got):\n%s", ended, q.due(), diff)
		}

		q = newReductionQueue()
		q.add("a")
		q.add("b")
		ctx, cancel := context.WithCancel(t.Context())
		q.run(ctx, func(context.Context, rundir.Dir) { cancel() })
		if q.due() != 2 {
			t.Errorf("%d reductions are due after an interrupt, want 2", q.due())
		}
	})
}
