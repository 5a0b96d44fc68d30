package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// procedures are those of this package itself.
var procedures = []Procedure{Auto, Saturate, Greedy, SAT}

// run is what a machine did in many operations.
func run(m model.Model, threads, ops, locations int) *parse.History {
	rng := rand.New(rand.NewPCG(1, 91))
	return histgen.Machine(rng, m, histgen.Params{Threads: threads, Ops: ops, Locations: locations}).History
}

// A cancelled context is an error with its cause, and no verdict.
func TestCancelled(t *testing.T) {
	reason := errors.New("no longer wanted")
	h := run(model.TSO, 8, 10000, 16)
	for _, p := range procedures {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(reason)
		if v, err := p.Run(ctx, h, model.TSO, Limits{}); !errors.Is(err, reason) || v.Answer != witness.Unknown {
			t.Errorf("%s: %v, %v", p.Name, v.Answer, err)
		}
	}
}

// A passed deadline is Unknown with a reason, in every phase.
func TestDeadline(t *testing.T) {
	passed, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	h := run(model.TSO, 8, 10000, 16)
	for _, p := range procedures {
		v, err := p.Run(passed, h, model.TSO, Limits{})
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if diff := cmp.Diff(Unknown(model.TSO, p.Name, "time budget exhausted"), v); diff != "" {
			t.Errorf("%s after the deadline (-want +got):\n%s", p.Name, diff)
		}
	}
	// In the middle of the case splits.
	hard := histgen.FromCNF(histgen.RandomCNF(rand.New(rand.NewPCG(3, 92)), 150, 640), false)
	soon, cancel2 := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel2()
	v, err := SAT.Run(soon, hard, model.SC, Limits{})
	if err != nil || v.Answer == witness.Unknown && v.Reason == "" {
		t.Errorf("%v %q, %v", v.Answer, v.Reason, err)
	}
}

// A history that is estimated to need more memory than allowed is Unknown
// before the memory is taken: all that is made until then is a plan of chains,
// a few bytes an operation.
func TestMemoryBudget(t *testing.T) {
	for _, m := range totals {
		h := run(m, 16, 50000, 16)
		need := min(estimate(h, m), saturate.EstimateStaticBytes(h, m))
		for _, p := range procedures {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v, err := p.Run(t.Context(), h, m, Limits{MemoryBytes: need - 1})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Errorf("%s by %s: %v", m.Name, p.Name, err)
			}
			if diff := cmp.Diff(Unknown(m, p.Name, v.Reason), v); diff != "" || v.Reason == "" {
				t.Errorf("%s by %s, reason %q (-want +got):\n%s", m.Name, p.Name, v.Reason, diff)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > uint64(len(h.Ops))*32 {
				t.Errorf("%s by %s: %d bytes an operation taken before the refusal", m.Name, p.Name, taken/uint64(len(h.Ops)))
			}
		}
	}
	h := run(model.TSO, 4, 1000, 4)
	if v, err := Auto.Run(t.Context(), h, model.TSO, Limits{MemoryBytes: estimate(h, model.TSO)}); err != nil || v.Answer != witness.Allowed {
		t.Errorf("within the budget: %v %q, %v", v.Answer, v.Reason, err)
	}
}

// live is how many bytes of the heap are in use.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// The estimate is what a saturated graph and a finished placer keep alive,
// within a tenth.
func TestEstimate(t *testing.T) {
	const ops = 10000
	for _, m := range totals {
		for _, threads := range []int{2, 16, 64} {
			if testing.Short() && threads > 16 {
				continue
			}
			h := run(m, threads, ops, 16)
			before := live()
			g := graphOf(t, h, m)
			p := newPlacer(g)
			for {
				p.settle()
				if p.choices.Len() == 0 {
					break
				}
				v := p.choices.Pop()
				if !p.placed[v] && p.wait[v] == 0 && p.writable(v) {
					p.place(v)
				}
			}
			measured := live() - before
			runtime.KeepAlive(g)
			runtime.KeepAlive(p)
			estimated := estimate(h, m)
			if ratio := float64(estimated) / float64(measured); ratio < 0.95 || ratio > 1.1 {
				t.Errorf("%s, %d threads: %d bytes an operation, estimated %d", m.Name, threads, measured/int64(ops), estimated/int64(ops))
			}
			t.Logf("%s, %d threads, %d chains: %d bytes an operation, estimated %d", m.Name, threads, g.Chains(), measured/int64(ops), estimated/int64(ops))
			runtime.KeepAlive(h)
		}
	}
}

// Two runs give the same verdict, evidence included.
func TestDeterminism(t *testing.T) {
	again := func(h *parse.History, m model.Model) {
		for _, p := range procedures {
			v, err := p.Run(t.Context(), h, m, Limits{})
			w, err2 := p.Run(t.Context(), h, m, Limits{})
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			for _, s := range []*witness.Stats{&v.Stats, &w.Stats} {
				s.Search, s.Evidence = 0, 0
			}
			if !reflect.DeepEqual(v, w) {
				t.Fatalf("%s by %s: %v and %v, or different evidence\n%s", m.Name, p.Name, v.Answer, w.Answer, text(h))
			}
		}
	}
	for seed := range many(60) {
		h := draw(rand.New(rand.NewPCG(seed, 93)), 10, 200)
		for _, m := range totals {
			again(h, m)
		}
	}
	for seed := range many(10) {
		again(histgen.FromCNF(histgen.RandomCNF(rand.New(rand.NewPCG(seed, 94)), 8, 32), false), model.SC)
	}
}

// What the search by case splits counts is about what it keeps alive, and it ends
// at the limit: Unknown while it searches, Forbidden without a proof after that.
func TestGrowth(t *testing.T) {
	h := histgen.FromCNF(histgen.RandomCNF(rand.New(rand.NewPCG(1, 95)), 12, 80), false)
	before := live()
	g := graphOf(t, h, model.SC)
	s := newPairSolver(g)
	_, ref, err := s.run(t.Context(), nil)
	measured := live() - before
	runtime.KeepAlive(s)
	runtime.KeepAlive(g)
	if err != nil || ref == nil {
		t.Fatal(ref, err)
	}
	graph := estimate(h, model.SC)
	t.Logf("graph %d, growth %d, alive %d bytes; %d clauses", graph, s.bytes, measured, len(s.clauses))
	if n := graph + s.bytes; n < measured/2 || n > 4*measured {
		t.Errorf("%d bytes counted, %d alive", n, measured)
	}
	unproved := false
	for _, part := range []int64{0, 60, 70, 80, 90, 100} {
		v, err := SAT.Run(t.Context(), h, model.SC, Limits{AvailableBytes: graph + s.bytes*part/100})
		switch {
		case err != nil || v.Answer == witness.Unknown && v.Reason == "":
			t.Errorf("with %d %% of what it takes: %v %q, %v", part, v.Answer, v.Reason, err)
		case part == 0 && v.Answer != witness.Unknown, part == 100 && v.Refutation == nil:
			t.Errorf("with %d %% of what it takes: %v %q", part, v.Answer, v.Unproved)
		}
		unproved = unproved || v.Answer == witness.Forbidden && v.Unproved != ""
	}
	if !unproved {
		t.Error("no limit ends the proof alone")
	}
}
