package gem5

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen/background"
	"ordeal/sim"
)

// TestRunAround runs programs of one thread, which leave one log only, in one launch
// with a background each: their logs are those of the programs alone, whichever way
// values leave, and each has its own background.
func TestRunAround(t *testing.T) {
	for _, test := range []struct{ tracing, log string }{{"on", LogMemory}, {"on", LogPseudo}, {"off", LogPseudo}} {
		state := filepath.Join(t.TempDir(), "state")
		r := newRunner(t, "times=0,tracing="+test.tracing+",state="+state, func(o *Options) { o.Log = test.log })
		jobs := newJobs(t, 3, 1)
		jobs[2].Program = jobs[1].Program
		want, err := r.RunBatch(t.Context(), jobs)
		if err != nil {
			t.Fatal(err)
		}
		around := []background.Options{{Length: 4, Lead: 3, Threads: 4, Seed: 1}, {Length: 4, Lead: 3, Threads: 4, Seed: 2}, {Length: 2, Lead: 3, Threads: 4, Seed: 3}}
		got, err := r.RunAround(t.Context(), jobs, around)
		if err != nil {
			t.Fatal(err)
		}
		if n := launches(t, state); n != 2 {
			t.Errorf("%+v: %d launches, want one without backgrounds and one with them", test, n)
		}
		texts := map[string]bool{}
		for i := range jobs {
			if got[i].Outcome != sim.Passed {
				t.Errorf("%+v, job %d: %+v", test, i, got[i])
			}
			if diff := cmp.Diff(wordsOf(t, want[i].Log), wordsOf(t, got[i].Log)); diff != "" {
				t.Errorf("%+v, job %d: log (-alone +with a background):\n%s", test, i, diff)
			}
			text, err := os.ReadFile(filepath.Join(jobs[i].Dir, BackgroundFile))
			if err != nil {
				t.Fatal(err)
			}
			texts[string(text)] = true
		}
		if len(texts) != len(jobs) {
			t.Errorf("%+v: %d different backgrounds, want %d", test, len(texts), len(jobs))
		}
		for want, bad := range map[string][]background.Options{
			"0 backgrounds for 3 jobs": nil,
			"2 backgrounds for 3 jobs": around[:2],
			"with 3 and 1 rounds":      {around[0], around[1], {Length: 2, Lead: 1, Threads: 4}},
		} {
			if _, err := r.RunAround(t.Context(), jobs, bad); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %+v: error %v, want %q", test, bad, err, want)
			}
		}
	}
}
