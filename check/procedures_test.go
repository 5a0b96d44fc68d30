package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// models are those that the default pipeline is compared under.
var models = []model.Model{model.SC, model.TSO, model.PSO, model.RMO}

func dump(h *parse.History) string {
	s := ""
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			s += fmt.Sprintf("%d: op %d %+v\n", t, id, h.Ops[id])
		}
	}
	return s + fmt.Sprintf("final %v order %v deps %v\n", h.Final, h.StoreOrder, h.Deps)
}

// named returns the procedures of some names, separated by spaces.
func named(t testing.TB, names string) []search.Procedure {
	t.Helper()
	var list []search.Procedure
	for _, name := range strings.Fields(names) {
		p, ok := check.Procedure(name)
		if !ok {
			t.Fatalf("no procedure is named %s", name)
		}
		list = append(list, p)
	}
	return list
}

// decide asks a procedure, by way of check.Check, which has the evidence
// verified. A complete procedure must not answer Unknown.
func decide(t testing.TB, p search.Procedure, h *parse.History, m model.Model) check.Answer {
	t.Helper()
	v, err := check.Check(t.Context(), h, m, check.Options{Procedure: p.Name})
	if err != nil {
		t.Fatalf("%v\n%s", err, dump(h))
	}
	if v.Answer == check.Unknown && (p.Complete || v.Reason == "") {
		t.Fatalf("%s under %s: unknown, reason %q\n%s", p.Name, m.Name, v.Reason, dump(h))
	}
	return v.Answer
}

// agree compares procedures with brute force. It counts by procedure what was
// decided.
func agree(t testing.TB, procedures []search.Procedure, h *parse.History, decided map[string]int) {
	t.Helper()
	for _, m := range models {
		want := check.Forbidden
		if brute.Allowed(h, m) {
			want = check.Allowed
		}
		for _, p := range procedures {
			if !p.Supports(m) {
				continue
			}
			switch got := decide(t, p, h, m); {
			case got != check.Unknown && got != want:
				t.Fatalf("%s under %s: %v, brute force: %v\n%s", p.Name, m.Name, got, want, dump(h))
			case got != check.Unknown:
				decided[p.Name]++
			}
		}
	}
}

// dependent is a history whose values come out of thin air under RMO.
func dependent() *parse.History {
	h := cases.Compact("x?1 y=1 y?1 z=1 | z?1 x=1")
	h.Deps = []parse.Dep{{From: 0, To: 1}, {From: 2, To: 3}, {From: 4, To: 5}}
	return h
}

// The complete procedures agree with brute force on histories that saturation
// does not decide.
func TestHard(t *testing.T) {
	split, _ := histgen.SplitNeeded()
	histories := []*parse.History{split, dependent()}
	for _, forbid := range []bool{false, true} {
		for _, fences := range []bool{false, true} {
			h, _ := histgen.Kernel{Pairs: 1, Conflicts: 2, Forbid: forbid, Fences: fences}.History()
			histories = append(histories, h)
		}
	}
	procedures := named(t, "enum ccm+enum frontier sat-full wsc+sat ccm+sat subset")
	decided := map[string]int{}
	for _, h := range histories {
		agree(t, procedures, h, decided)
	}
	want := map[string]int{}
	for _, p := range procedures {
		for _, m := range models {
			if p.Supports(m) {
				want[p.Name] += len(histories)
			}
		}
	}
	if diff := cmp.Diff(want, decided); diff != "" {
		t.Errorf("histories decided:\n%s", diff)
	}
}

// The procedures agree with the default pipeline on larger histories.
func TestLarge(t *testing.T) {
	for _, c := range []struct {
		n, ops     int
		procedures string
	}{
		{40, 14, "frontier-plain"}, {40, 20, "subset"}, {20, 40, "sat-full"},
		{40, 60, "enum ccm+enum frontier"}, {40, 80, "wsc+sat ccm+sat"}, {60, 200, "vc tsotool"},
	} {
		rng := rand.New(rand.NewPCG(42, 0))
		for range c.n {
			m := models[rng.IntN(4)]
			p := histgen.Params{
				Threads: 2 + rng.IntN(4), Ops: c.ops, Locations: 2 + rng.IntN(6),
				RMWs: 0.1 * float64(rng.IntN(2)), Fences: 0.1 * float64(rng.IntN(2)), Burst: 1 + rng.IntN(4),
			}
			h := histgen.Mutate(rng, histgen.Machine(rng, m, p), rng.IntN(3))
			want := decide(t, search.Auto, h, m)
			for _, proc := range named(t, c.procedures) {
				if !proc.Supports(m) {
					continue
				}
				if got := decide(t, proc, h, m); got != want && got != check.Unknown {
					t.Fatalf("%s under %s: %v, default: %v\n%s", proc.Name, m.Name, got, want, dump(h))
				}
			}
		}
	}
}

// The rules of TSOtool find all violations in histories that are small, its
// heuristic an order for all others, and the dynamic programme decides all.
func TestSmallDecided(t *testing.T) {
	bound := histgen.Bound{Threads: 2, Locations: 2, Ops: 4, RMW: true, Fences: []parse.FenceMask{
		parse.FullFence, parse.StoreStore, parse.StoreLoad, parse.LoadLoad, parse.LoadStore,
	}}
	if testing.Short() {
		bound.Ops = 3
	}
	n, decided := 0, map[string]int{}
	procedures := named(t, "vc tsotool subset")
	for h := range histgen.All(bound) {
		n++
		agree(t, procedures, h, decided)
	}
	if vc := decided["vc"]; vc == 0 || vc == 2*n {
		t.Errorf("vc decides %d of %d, want some", vc, 2*n)
	}
	delete(decided, "vc")
	if diff := cmp.Diff(map[string]int{"tsotool": 2 * n, "subset": 4 * n}, decided); diff != "" {
		t.Errorf("histories decided:\n%s", diff)
	}
}

// The figures of the paper on TSOtool. Fig. 5 is about an edge, A=1 before A=2,
// that the rules miss; with a mirror image that asks for A=2 before A=1 they
// miss a violation. The paper does not say how its stores and loads are ordered
// around A; here by flags (u, v and w, q) and by reads of A.
func TestFiguresOfTSOtool(t *testing.T) {
	const (
		half   = "B=3 u=1 | B=4 v=1 | u?1 v?1 A=2 | A?1 B?3 | A?1 B?4 | "
		mirror = "C=5 w=1 | C=6 q=1 | w?1 q?1 A=1 | A?2 C?5 | A?2 C?6"
	)
	for _, tc := range []struct {
		name, history     string
		vc, tsotool, want check.Answer
	}{
		{"Fig. 2", "B=91 A=1 A?2 | A=2 | B=92 A?2 B?92 | B?92 B?91", check.Forbidden, check.Forbidden, check.Forbidden},
		{"Fig. 5", half + "A=1", check.Unknown, check.Allowed, check.Allowed},
		{"Fig. 5 mirrored", half + mirror, check.Unknown, check.Unknown, check.Forbidden},
	} {
		h := cases.Compact(tc.history)
		for _, m := range []model.Model{model.SC, model.TSO} {
			for _, p := range named(t, "vc tsotool auto frontier frontier-plain enum ccm+enum sat-full wsc+sat ccm+sat subset") {
				want := tc.want
				switch p.Name {
				case "vc":
					want = tc.vc
				case "tsotool":
					want = tc.tsotool
				}
				if got := decide(t, p, h, m); got != want {
					t.Errorf("%s: %s under %s: %v, want %v", tc.name, p.Name, m.Name, got, want)
				}
			}
		}
	}
}

// The procedure for known store orders is complete where there is one: on every
// store order of small histories, and on random ones.
func TestConflict(t *testing.T) {
	conflict := named(t, "conflict")
	want, decided := 0, map[string]int{}
	compare := func(h *parse.History) {
		want += len(models)
		agree(t, conflict, h, decided)
	}
	ops, n, every := scale.Of(4, 5, 5), scale.Of(600, 600, 2000), scale.Of(3, 23, 3)
	rng := rand.New(rand.NewPCG(31, 0))
	for _, b := range []histgen.Bound{
		{Threads: 3, Locations: 2, Ops: ops, Exact: true},
		{Threads: 3, Locations: 2, Ops: ops - 1, RMW: true},
		{Threads: 2, Locations: 2, Ops: ops - 1, RMW: true, Fences: []parse.FenceMask{
			parse.FullFence, parse.StoreStore, parse.StoreLoad, parse.LoadLoad, parse.LoadStore,
		}},
	} {
		i := 0
		for h := range histgen.All(b) {
			if i++; i%every != 0 {
				continue
			}
			histgen.AddStoreOrder(rng, h)
			h.Final = nil
			compare(h)
			h.StoreOrder = nil
		}
	}
	for i := range n {
		p := histgen.Params{
			Threads: 1 + rng.IntN(4), Ops: 4 + rng.IntN(8), Locations: 1 + rng.IntN(3),
			RMWs: 0.2 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
			Deps: 0.5 * float64(rng.IntN(2)),
		}
		run := histgen.Machine(rng, models[rng.IntN(4)], p)
		h := histgen.Mutate(rng, run, rng.IntN(3))
		h.StoreOrder = h.Writes(run.Order)
		if i%3 == 0 {
			histgen.AddStoreOrder(rng, h)
		}
		if i%2 == 0 {
			h.Final = histgen.Final(h, run.Order)
		} else if i%5 == 0 {
			histgen.AddFinal(rng, h)
		}
		compare(h)
	}
	thin := dependent()
	thin.StoreOrder = [][]parse.OpID{{5}, {1}, {3}}
	compare(thin)
	if diff := cmp.Diff(want, decided["conflict"]); diff != "" {
		t.Errorf("histories decided:\n%s", diff)
	}
}

// Where a procedure runs out of memory, time or what it can do, it says so
// instead of a verdict.
func TestProcedureLimits(t *testing.T) {
	run := func(m model.Model, threads, ops int) *parse.History {
		return histgen.Machine(rand.New(rand.NewPCG(1, 1)), m, histgen.Params{Threads: threads, Ops: ops}).History
	}
	huge, small := run(model.SC, 4, 40_000), run(model.SC, 4, 300)
	for _, c := range []struct {
		procedure string
		h         *parse.History
		m         model.Model
		options   check.Options
		reason    string
	}{
		{"sat-full", huge, model.SC, check.Options{}, "memory budget exhausted"},
		{"wsc+sat", huge, model.SC, check.Options{}, "memory budget exhausted"},
		{"sat-full", small, model.SC, check.Options{MemoryBytes: 1 << 20}, "memory budget exhausted"},
		{"sat-full", run(model.TSO, 4, 600), model.TSO, check.Options{Timeout: 20 * time.Millisecond}, "time budget exhausted"},
		{"subset", small, model.SC, check.Options{}, "more than the 24"},
		{"conflict", small, model.SC, check.Options{}, "does not include its store order"},
		{"closure", huge, model.WSC, check.Options{MemoryBytes: 1000}, "memory budget exhausted"},
		{"closure", huge, model.WTSO, check.Options{Timeout: time.Nanosecond}, "time budget exhausted"},
	} {
		c.options.Procedure = c.procedure
		v, err := check.Check(context.Background(), c.h, c.m, c.options)
		if err != nil {
			t.Errorf("%s: %v", c.procedure, err)
		}
		if v.Answer != check.Unknown || !strings.Contains(v.Reason, c.reason) {
			t.Errorf("%s: %v %q, want %q", c.procedure, v.Answer, v.Reason, c.reason)
		}
	}
	if _, err := check.Check(t.Context(), small, model.CCM, check.Options{Procedure: "closure"}); err == nil {
		t.Error("procedure closure decides CCM, want an error")
	}
}

// BenchmarkProcedure measures procedures on consistent runs of machines.
func BenchmarkProcedure(b *testing.B) {
	for _, c := range []struct {
		procedures        string
		models            []model.Model
		threads, ops, loc int
		order             bool
	}{
		{"enum ccm+enum wsc+sat ccm+sat", models[:2], 4, 100, 16, false},
		{"enum ccm+enum wsc+sat ccm+sat", models[:2], 4, 400, 16, false},
		{"sat-full", models[:2], 4, 100, 16, false},
		{"frontier", models[:2], 8, 800, 16, false},
		{"frontier-plain", models[:2], 4, 100, 16, false},
		{"subset", models, 4, 32, 4, false},
		{"vc tsotool", models[:2], 8, 800, 16, false},
		{"vc tsotool", models[:2], 16, 8192, 16, false},
		{"conflict", models, 16, 1 << 17, 64, true},
	} {
		for _, p := range named(b, c.procedures) {
			for _, m := range c.models {
				run := histgen.Machine(rand.New(rand.NewPCG(1, 1)), m, histgen.Params{Threads: c.threads, Ops: c.ops, Locations: c.loc})
				if c.order {
					run.History.StoreOrder = run.History.Writes(run.Order)
				}
				b.Run(fmt.Sprintf("%s/%s/threads=%d/ops=%d", p.Name, m.Name, c.threads, c.ops), func(b *testing.B) {
					for b.Loop() {
						v, err := p.Run(context.Background(), run.History, m, search.Limits{})
						if err != nil || v.Answer == check.Forbidden {
							b.Fatal(v.Answer, err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.ops), "ns/access")
				})
			}
		}
	}
}

// A search that keeps no proof takes that of the default pipeline, and says so;
// where the limit lets the search end but not the proof, whose graph grows with
// the threads, the answer stands without one.
func TestProver(t *testing.T) {
	text := "0: M[x] := 1\n0: M[y] == 0\n1: M[y] := 1\n1: M[x] := 2\n1: M[z] == 0\n2: M[z] := 1\n2: M[x] == 1\n"
	h := cases.Parse(text)
	before := "z" // more threads, each of which waits for the one before it
	for i := 3; i < 19; i++ {
		after := fmt.Sprint("r", i)
		text += fmt.Sprintf("%d: M[%s] == 1\n%d: M[%s] := 1\n", i, before, i, after)
		before = after
	}
	wide := cases.Parse(text + "0: M[" + before + "] == 1\n")
	split, _ := histgen.SplitNeeded()
	for _, procedure := range []string{"auto", "sat", "sat-full", "wsc+sat", "dbcop"} {
		v, err := check.Check(t.Context(), split, model.SC, check.Options{Procedure: procedure})
		if err != nil || v.Answer != check.Forbidden || v.Prover != witness.CaseSplits {
			t.Errorf("%s: %v, prover %q, %v; want %q", procedure, v.Answer, v.Prover, err, witness.CaseSplits)
		}
	}
	for _, test := range []struct {
		procedure string
		memory    int64
		prover    string
		unproved  string
	}{
		{"auto", 0, "", ""},
		{"enum", 0, "", ""},
		{"frontier-plain", 0, "saturate", ""},
		{"subset", 0, "saturate", ""},
		{"sat-full", 0, "saturate", ""},
		{"frontier-plain", 6500, "auto", "memory budget exhausted"},
	} {
		h := h
		if test.memory > 0 {
			h = wide
		}
		v, err := check.Check(t.Context(), h, model.SC, check.Options{Procedure: test.procedure, MemoryBytes: test.memory})
		if err != nil {
			t.Fatalf("%s: %v", test.procedure, err)
		}
		if v.Answer != check.Forbidden || v.Prover != test.prover || !strings.HasPrefix(v.Unproved, test.unproved) || (v.Refutation == nil) != (v.Unproved != "") {
			t.Errorf("%s: %v, prover %q, unproved %q; want forbidden, %q, %q", test.procedure, v.Answer, v.Prover, v.Unproved, test.prover, test.unproved)
		}
		if (v.Prover == "") != (v.Stats.Proof == 0) {
			t.Errorf("%s: prover %q took %v", test.procedure, v.Prover, v.Stats.Proof)
		}
	}
}

// Every procedure estimates what it needs before it takes it, also for what it
// infers before its search.
func TestMemoryOfProcedures(t *testing.T) {
	h := histgen.Machine(rand.New(rand.NewPCG(1, 97)), model.SC, histgen.Params{Threads: 16, Ops: 20000, Locations: 16}).History
	for _, p := range check.Procedures() {
		for _, m := range []model.Model{model.SC, model.WSC, model.CCM} {
			if !p.Supports(m) {
				continue
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v, err := check.Check(t.Context(), h, m, check.Options{Procedure: p.Name, MemoryBytes: 1 << 20})
			runtime.ReadMemStats(&after)
			if err != nil || v.Answer != check.Unknown || v.Reason == "" {
				t.Errorf("%s under %s: %v %q, %v", p.Name, m.Name, v.Answer, v.Reason, err)
			}
			if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 8 {
				t.Errorf("%s under %s: %d MiB taken before the refusal", p.Name, m.Name, taken)
			}
		}
	}
}
