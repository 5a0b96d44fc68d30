package suite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
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

// collector makes peakLive a function of the code, not of how busy the machine is: all
// is marked and swept while nothing else runs, so that what is allocated meanwhile does
// not count as alive, and the finalizer mostly runs before the function that is
// measured goes on. (One time in 61 the scheduler of Go looks elsewhere first.)
var collector = []string{"GODEBUG=gcstoptheworld=2,asyncpreemptoff=1", "GOMAXPROCS=1", "GOGC="}

// peakLive is the most that f kept alive on the heap at any time, in bytes
// beyond what was alive before. The collector runs whenever the heap has grown
// by a fiftieth, and a finalizer looks after each run at what was left.
func peakLive(t *testing.T, f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	runtime.GC()
	before := liveHeap()
	var peak atomic.Int64
	var looks atomic.Uint32
	var done atomic.Bool
	type sentinel struct{ _ *int }
	var arm func()
	arm = func() {
		runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
			if !done.Load() {
				looks.Add(1)
				peak.Store(max(peak.Load(), liveHeap()))
				arm()
			}
		})
	}
	arm()
	first := collections()
	f()
	done.Store(true)
	if runs := collections() - first; looks.Load() < runs*9/10 {
		t.Errorf("looked after %d of %d collections", looks.Load(), runs)
	}
	return peak.Load() - before
}

// collections is how often the collector has run.
func collections() uint32 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.NumGC
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

// What Check holds at once, besides the history, is at most 136 bytes and a
// clock row (rowBytes) for each operation where it saturates: graph, saturation, search,
// verdict and its check. A few MB, for copies of rows while a search guards its
// decisions, do not grow with the history. An order that is found without saturation
// takes no rows. The limits are close enough to what
// is measured that no array can be added unnoticed. The estimates, by which a
// budget is refused, are not much less. That is measured in a process of its own,
// without -soak for one size under each model.
func TestMemoryBound(t *testing.T) {
	const child = "ORDEAL_TEST_MEMORY"
	if os.Getenv(child) == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestMemoryBound$", "-test.v", fmt.Sprint("-soak=", scale.Soak()))
		cmd.Env = append(append(os.Environ(), child+"=1"), collector...)
		out, err := cmd.CombinedOutput()
		if t.Logf("%s", out); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, c := range []struct {
		m                       model.Model
		ops, threads, locations int
		auto                    float64 // bytes an operation
		saturated               float64 // bytes an operation besides the rows
		often                   bool    // without -soak, too
	}{
		{model.SC, 100000, 4, 16, 88, 86, true},
		{model.TSO, 100000, 4, 16, 93, 89, false},
		{model.TSO, 50000, 16, 64, 99, 96, true},
		{model.PSO, 50000, 8, 16, 126, 133, false},
		{model.PSO, 50000, 16, 1000, 137, 136, true},
		{model.RMO, 50000, 8, 16, 70, 74, false},
		{model.RMO, 50000, 16, 1000, 78, 74, true},
		{model.TSO, 100000, 64, 64, 99, 104, false},
	} {
		if !c.often && !scale.Soak() {
			continue
		}
		p := histgen.Params{Threads: c.threads, Ops: c.ops, Locations: c.locations}
		h := histgen.Machine(rand.New(rand.NewPCG(1, 2)), c.m, p).History
		g, err := saturate.Build(h, c.m)
		if err != nil {
			t.Fatal(err)
		}
		estimated := g.EstimateBytes()
		for _, run := range []struct {
			procedure string
			rows      int // bytes
			limit     float64
			estimate  int64 // bytes
		}{
			{"auto", 0, c.auto, saturate.EstimateStaticBytes(h, c.m)},
			{"greedy", rowBytes(h, c.m), c.saturated, estimated},
		} {
			t.Run(fmt.Sprintf("%s/%s/%d/%d/%d", run.procedure, c.m.Name, c.ops, c.threads, c.locations), func(t *testing.T) {
				peak := peakLive(t, func() {
					v, err := check.Check(context.Background(), h, c.m, check.Options{Procedure: run.procedure})
					if err != nil || v.Answer != check.Allowed {
						t.Error(v.Answer, v.Reason, err)
					}
				})
				runtime.KeepAlive(h)
				each := func(bytes int64) float64 { return float64(bytes) / float64(c.ops) }
				rest := each(peak - int64(run.rows))
				t.Logf("%.1f bytes an operation, %.1f besides the rows, estimated %.1f", each(peak), rest, each(run.estimate))
				if rest > run.limit {
					t.Errorf("%.1f bytes an operation besides the rows, want at most %.0f", rest, run.limit)
				}
				if float64(peak) > 1.06*float64(run.estimate) {
					t.Errorf("estimated %.1f bytes an operation, measured %.1f", each(run.estimate), each(peak))
				}
			})
		}
	}
}
