package gem5

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/gen/wire"
	"ordeal/sim"
)

// launches counts the launches of a stand-in with a state file.
func launches(t *testing.T, state string) int {
	t.Helper()
	data, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	return len(data)
}

func TestBatch(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	r := newRunner(t, "times=0,state="+state, nil)
	jobs := newJobs(t, 5, 3)
	jobs[1].Program = jobs[0].Program // their order separates runs of one program
	results, err := r.RunBatch(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	if n := launches(t, state); n != 1 || len(results) != len(jobs) {
		t.Fatalf("%d launches, %d results", n, len(results))
	}
	for i := range results {
		if results[i].Outcome != sim.Passed {
			t.Errorf("job %d: %+v", i, results[i])
		}
		whole(t, &jobs[i], &results[i])
	}
	if _, err := os.Stat(filepath.Join(jobs[0].Dir, BatchFile)); err != nil {
		t.Error(err)
	}
	// The statistics are those of the launch: they count once.
	if results[0].Coverage.Taken() != 2 || results[1].Coverage != nil {
		t.Errorf("coverage %v and %v", results[0].Coverage, results[1].Coverage)
	}
}

// TestBatchFailure attributes the end of a launch to the program that had no
// whole log; those before it passed, those after it run in another launch.
func TestBatchFailure(t *testing.T) {
	for at := range 4 {
		state := filepath.Join(t.TempDir(), "state")
		r := newRunner(t, fmt.Sprintf("fault=transition,at=%d,times=1,state=%s", at, state), nil)
		jobs := newJobs(t, 4, 2)
		results, err := r.RunBatch(t.Context(), jobs)
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if i != at {
				if results[i].Outcome != sim.Passed {
					t.Errorf("fault at %d: job %d: %+v", at, i, results[i])
				}
				whole(t, &jobs[i], &results[i])
				continue
			}
			want := fmt.Sprintf("in program %d of a batch of 4\n", at+1)
			for _, file := range []string{BatchFile, StderrFile, ScriptFile} {
				if _, err := os.Stat(filepath.Join(jobs[i].Dir, file)); err != nil {
					t.Errorf("fault at %d: %v", at, err)
				}
			}
			if results[i].Outcome != sim.Crash || !strings.HasPrefix(results[i].Detail, want) {
				t.Errorf("fault at %d: %+v", at, results[i])
			}
		}
		want := 2
		if at == 3 {
			want = 1 // nothing is left
		}
		if n := launches(t, state); n != want {
			t.Errorf("fault at %d: %d launches, want %d", at, n, want)
		}
	}
}

// TestBatchRetry runs a program again whose launch failed for a reason that is
// not its own fault, but not for ever.
func TestBatchRetry(t *testing.T) {
	for _, test := range []struct{ times, launches int }{{1, 2}, {2, 3}, {9, 3}} {
		state := filepath.Join(t.TempDir(), "state")
		r := newRunner(t, fmt.Sprintf("fault=functional-read,at=1,times=%d,state=%s", test.times, state), nil)
		jobs := newJobs(t, 3, 2)
		// With the fault of each launch in its second program, a third try
		// begins with the second program, and the fault is in the third.
		results, err := r.RunBatch(t.Context(), jobs)
		if err != nil {
			t.Fatal(err)
		}
		if n := launches(t, state); test.times < 9 && n != test.launches {
			t.Errorf("%d failures: %d launches, want %d", test.times, n, test.launches)
		}
		if test.times < 9 {
			for i := range results {
				if results[i].Outcome != sim.Passed {
					t.Errorf("%d failures: job %d: %+v", test.times, i, results[i])
				}
			}
		}
	}
	// A lone program that always fails ends as infra after the retries.
	state := filepath.Join(t.TempDir(), "state")
	r := newRunner(t, "fault=functional-read,times=9,state="+state, nil)
	result, err := r.Run(t.Context(), newJobs(t, 1, 2)[0])
	if err != nil || result.Outcome != sim.Infra {
		t.Errorf("always failing: %v, %+v, want infra", err, result)
	}
	if got := launches(t, state); got != 1+DefaultRetries {
		t.Errorf("always failing: %d launches, want %d", got, 1+DefaultRetries)
	}
}

// TestSplit cuts a log of a batch at every byte: what is whole stays whole,
// the rest belongs to the first program that is not, and nothing is lost or
// duplicated.
func TestSplit(t *testing.T) {
	r := newRunner(t, "", nil)
	jobs := newJobs(t, 3, 2)
	results, err := r.RunBatch(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	var log sim.Log
	var ends []int
	for i := range results {
		log = append(log, results[i].Log...)
		ends = append(ends, len(log))
	}
	programs := programsOf(jobs)
	for cut := range len(log) + 1 {
		logs, wholes := split(log[:cut], programs)
		done := 0
		for done < len(ends) && ends[done] <= cut {
			done++
		}
		total := 0
		for k := range logs {
			total += len(logs[k])
			if wholes[k] != (k < done) || k > done && len(logs[k]) > 0 {
				t.Fatalf("cut at %d of %v: program %d: whole %v, %d bytes", cut, ends, k, wholes[k], len(logs[k]))
			}
		}
		if total != cut {
			t.Fatalf("cut at %d: %d bytes are left", cut, total)
		}
	}
}

func FuzzSplit(f *testing.F) {
	p := &gen.Program{Layout: gen.Packed, Locations: []string{"x"}, Threads: [][]gen.Op{{{Kind: gen.Load}}, {{Kind: gen.Store, Value: 1}}}}
	w := wire.NewWriter(p, 1)
	log := w.AppendFinal(w.AppendThread(w.AppendThread(nil, 0, []gen.Value{0}), 1, nil), []gen.Value{1})
	f.Add([]byte(log), 2)
	f.Add([]byte(append(log, log...)), 3)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		if n < 1 || n > 5 {
			return
		}
		programs := make([]*gen.Program, n)
		for i := range programs {
			programs[i] = p
		}
		logs, _ := split(data, programs)
		total := 0
		for _, l := range logs {
			total += len(l)
		}
		if total > len(data) {
			t.Errorf("%d bytes became %d", len(data), total)
		}
	})
}

// startup is the artificial time that the stand-in takes to start in the
// benchmarks, about a tenth of gem5's.
const startup = 50 * time.Millisecond

// BenchmarkBatch compares one launch for each program with batches.
func BenchmarkBatch(b *testing.B) {
	for _, size := range []int{1, 4, 16} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			r := newRunner(b, "startup="+startup.String(), func(o *Options) { o.Emit = elf.Options{Settle: -1} })
			jobs := newJobs(b, size, 2)
			operations := 0
			for b.Loop() {
				results, err := r.RunBatch(b.Context(), jobs)
				if err != nil || results[0].Outcome != sim.Passed {
					b.Fatalf("%+v, %v", results, err)
				}
				for i := range jobs {
					operations += jobs[i].Program.Ops() * jobs[i].Rounds
				}
			}
			b.ReportMetric(float64(operations)/b.Elapsed().Seconds(), "operations/s")
		})
	}
}
