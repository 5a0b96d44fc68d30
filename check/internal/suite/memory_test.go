package suite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/parse"
)

// liveHeap is what the last garbage collection found alive, in bytes.
func liveHeap() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// peakLive is the most that f kept alive on the heap at any time, in bytes
// beyond what was alive before. The collector runs whenever the heap has grown
// by a fiftieth, and a finalizer looks after each run at what was left.
func peakLive(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	runtime.GC()
	before := liveHeap()
	var peak atomic.Int64
	type sentinel struct{ _ *int }
	var arm func()
	arm = func() {
		runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
			if now := liveHeap(); now > peak.Load() {
				peak.Store(now)
			}
			if peak.Load() >= 0 {
				arm()
			}
		})
	}
	arm()
	f()
	return peak.Swap(-1<<62) - before
}

// rowBytes is the memory of the clock rows: 4 bytes for each operation and
// thread under SC, twice that under TSO. Under PSO it is 4 bytes for each
// operation and thread, and as much again for each write; under RMO without
// fences and dependencies the latter alone.
func rowBytes(h *parse.History, m model.Model) int {
	writes := 0
	for i := range h.Ops {
		if h.Ops[i].Writes() {
			writes++
		}
	}
	switch m {
	case model.TSO:
		return 8 * h.Threads() * len(h.Ops)
	case model.PSO:
		return 4 * h.Threads() * (len(h.Ops) + writes)
	case model.RMO:
		return 4 * h.Threads() * writes
	}
	return 4 * h.Threads() * len(h.Ops)
}

// What Check holds at once, besides the history, is at most 120 bytes and a
// clock row (rowBytes) for each operation: graph, saturation, search,
// verdict and its check. A few MB, for copies of rows while a search guards its
// decisions, do not grow with the history. The limits are close enough to what
// is measured that no array can be added unnoticed. EstimateBytes, by which a
// budget is refused, is not much less.
func TestMemoryBound(t *testing.T) {
	for _, c := range []struct {
		m                       model.Model
		ops, threads, locations int
		limit                   float64 // bytes an operation besides the rows
	}{
		{model.SC, 100000, 4, 16, 90},
		{model.TSO, 100000, 4, 16, 90},
		{model.TSO, 50000, 16, 64, 100},
		{model.PSO, 50000, 8, 16, 120},
		{model.PSO, 50000, 16, 1000, 170},
		{model.RMO, 50000, 8, 16, 90},
		{model.RMO, 50000, 16, 1000, 90},
		{model.TSO, 100000, 64, 64, 120},
	} {
		if testing.Short() && c.threads > 16 {
			continue
		}
		t.Run(fmt.Sprintf("%s/%d/%d/%d", c.m.Name, c.ops, c.threads, c.locations), func(t *testing.T) {
			p := histgen.Params{Threads: c.threads, Ops: c.ops, Locations: c.locations}
			h := histgen.Machine(rand.New(rand.NewPCG(1, 2)), c.m, p).History
			rows := float64(rowBytes(h, c.m)) / float64(c.ops)
			peak := peakLive(func() {
				if v, err := check.Check(context.Background(), h, c.m, check.Options{}); err != nil || v.Answer != check.Allowed {
					t.Error(v.Answer, err)
				}
			})
			each := float64(peak) / float64(c.ops)
			most, _ := saturate.EstimateBytes(h, c.m)
			estimate := float64(most) / float64(c.ops)
			t.Logf("%.1f bytes an operation, %.1f besides the rows, estimated %.1f", each, each-rows, estimate)
			if each > rows+c.limit {
				t.Errorf("%.1f bytes an operation besides the rows, want at most %.0f", each-rows, c.limit)
			}
			if each > 1.06*estimate {
				t.Errorf("estimated %.1f bytes an operation, measured %.1f", estimate, each)
			}
			runtime.KeepAlive(h)
		})
	}
}
