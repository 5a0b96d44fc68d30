package execute

import (
	"runtime"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
)

// What the machine had is divided by the checks that run at a time, and bounds
// the check of a run that sets no limit.
func TestMemoryShare(t *testing.T) {
	old := atStart
	t.Cleanup(func() { atStart = old })
	atStart = func() int64 { return 6000 }
	if got := MemoryShare(3); got != 2000 {
		t.Errorf("%d bytes each, want 2000", got)
	}
	if got := MemoryShare(0); got != 6000/int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d bytes for each processor", got)
	}
	family := config.DefaultPrograms()
	p, err := family.Program(5, 1)
	must.Succeed(t, err)
	r, err := builtin.New(builtin.Options{Core: core.InOrder})
	must.Succeed(t, err)
	result, err := r.Run(t.Context(), sim.Job{Program: p, Rounds: 1, Seed: 1})
	must.Succeed(t, err)
	for _, c := range []struct {
		options check.Options
		want    check.Answer
	}{{check.Options{}, check.Unknown}, {check.Options{MemoryBytes: 1 << 30}, check.Allowed}} {
		got, err := Evaluate(t.Context(), p, 1, &result, CheckOptions{Models: []model.Model{model.TSO}, Options: c.options, Workers: 6})
		if err != nil || got.Verdicts[0].Answer != c.want {
			t.Errorf("%+v: %+v, %v; want %v", c.options, got, err, c.want)
		}
	}
}
