package run

import (
	"runtime"
	"strings"
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

// TestMachineLimits requires a long history to be refused by what the machine has,
// where the run has no limit, and a short one to be read without asking.
func TestMachineLimits(t *testing.T) {
	old := memoryOf
	t.Cleanup(func() { memoryOf = old })
	memoryOf = func(workers int) int64 { return int64(workers) << 30 }
	family := config.DefaultPrograms()
	p, err := family.Program(5, 1)
	must.Succeed(t, err)
	fit := (2 << 30) / bytesPerOperation / p.Ops() // rounds
	for _, c := range []struct {
		rounds  int
		memory  int64
		refused bool
	}{{fit, 0, false}, {fit + 1, 0, true}, {fit + 1, 1 << 40, false}, {uncheckedOperations/p.Ops() - 1, 0, false}} {
		r := &Evaluation{Result: &Result{Outcome: sim.Passed}, Log: []byte("x")}
		got := exceedsLimits(r, p, c.rounds, &CheckOptions{Memory: c.memory, Workers: 2})
		if got != c.refused || got && (r.Outcome != sim.Infra || !strings.Contains(r.Detail, "more than the 2147483648 of this machine's memory for it")) {
			t.Errorf("%+v: %t, %+v", c, got, r)
		}
	}
}

// TestGuard has a process that grows, and a machine that others fill.
func TestGuard(t *testing.T) {
	left, taken := int64(800), int64(10)
	full := guard(50, func() int64 { return left }, func() int64 { return taken })
	unlimited := guard(0, func() int64 { return left }, func() int64 { return taken })
	unknown := guard(0, func() int64 { return 0 }, func() int64 { return taken })
	for _, c := range []struct {
		left, taken     int64
		full, unlimited bool
	}{{800, 10, false, false}, {800, 49, false, false}, {800, 50, true, false}, {100, 10, false, false}, {99, 10, true, true}} {
		left, taken = c.left, c.taken
		if a, b, none := full(), unlimited(), unknown(); a != c.full || b != c.unlimited || none {
			t.Errorf("%d left, %d taken: %v, %v without a limit, %v where the system does not say", left, taken, a, b, none)
		}
	}
	if n := processMemory(); n < 1<<20 {
		t.Errorf("the process takes %d bytes", n)
	}
}
