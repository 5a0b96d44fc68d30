package stream

import (
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// arrivals is an interleaving of the threads of a run: the order in which
// operations took effect, shaken by up to jitter places, in program order.
func arrivals(rng *rand.Rand, run histgen.Run, jitter int) []parse.OpID {
	h := run.History
	var list []parse.OpID
	next := append([]parse.OpID(nil), h.Start[:h.Threads()]...)
	at := make([]int, len(h.Ops))
	for i, id := range run.Order {
		at[id] = i + rng.IntN(jitter+1)
	}
	for len(list) < len(h.Ops) {
		best := -1
		for t := range next {
			if next[t] < h.Start[t+1] && (best < 0 || at[next[t]] < at[next[best]]) {
				best = t
			}
		}
		list = append(list, next[best])
		next[best]++
	}
	return list
}

// follow feeds a history to a checker, and gives the committed operations in order.
func follow(t *testing.T, h *parse.History, m model.Model, list []parse.OpID, opt Options) (Result, []parse.OpID) {
	t.Helper()
	c, err := New(m, opt)
	if err != nil {
		t.Fatal(err)
	}
	var order []parse.OpID
	c.onCommit = func(r ref) { order = append(order, h.Start[r.thread]+parse.OpID(r.index)) }
	for _, id := range list {
		final, err := c.Add(t.Context(), int32(h.Thread(id)), h.Ops[id], int64(id))
		if err != nil {
			t.Fatal(err)
		}
		if final {
			break
		}
	}
	r, err := c.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r, order
}

// Following agrees with the check of the whole, whatever the window: a violation is
// one, by a part of the history, and where all is allowed, the commitments are an
// order of the whole.
func TestFollow(t *testing.T) {
	runs := scale.Of(600, 600, 60_000)
	seen := map[[2]check.Answer]int{}
	gaps := 0
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 23))
		m := []model.Model{model.SC, model.TSO}[rng.IntN(2)]
		run := histgen.Machine(rng, m, histgen.Params{
			Threads: 1 + rng.IntN(5), Ops: 40 + rng.IntN(160), Locations: 1 + rng.IntN(5),
			RMWs: float64(rng.IntN(2)) * 0.1, Fences: float64(rng.IntN(2)) * 0.1, Burst: 1 + rng.IntN(3),
		})
		list := arrivals(rng, run, rng.IntN(20))
		h := run.History
		if rng.IntN(2) == 0 {
			h = histgen.Mutate(rng, run, 1+rng.IntN(2))
		}
		opt := Options{Window: 2 + rng.IntN(60)}
		whole, err := check.Check(t.Context(), h, m, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, order := follow(t, h, m, list, opt)
		seen[[2]check.Answer{whole.Answer, r.Answer}]++
		switch {
		case r.Answer == check.Unknown:
			if r.Reason == "" {
				t.Errorf("seed %d: no reason", seed)
			}
			if r.Gaps > 0 {
				gaps++
			}
		case r.Answer != whole.Answer:
			t.Fatalf("seed %d: %s %v, the whole %v", seed, m.Name, r.Answer, whole.Answer)
		case r.Answer == check.Allowed:
			if err := witness.Replay(h, m, &witness.Order{Ops: order}); err != nil {
				t.Fatalf("seed %d: the commitments: %v", seed, err)
			}
		default:
			violates(t, h, m, r.Violation)
		}
	}
	t.Logf("whole, followed: %v; %d gaps", seen, gaps)
	allowed, forbidden := seen[[2]check.Answer{check.Allowed, check.Allowed}], seen[[2]check.Answer{check.Forbidden, check.Forbidden}]
	if unknown := runs - allowed - forbidden; allowed < runs/3 || forbidden < runs/10 || unknown > runs/3 {
		t.Errorf("%d allowed, %d forbidden, %d unknown of %d", allowed, forbidden, unknown, runs)
	}
}

// violates demands that a violation be a part of a history, and forbidden.
func violates(t *testing.T, h *parse.History, m model.Model, v *Violation) {
	t.Helper()
	if err := witness.Verify(v.History, m, v.Verdict.Refutation); err != nil {
		t.Fatal(err)
	}
	for id, line := range v.Lines {
		got, of := v.History.Ops[id], h.Ops[line]
		if got.Kind == parse.Write && of.Kind == parse.RMW {
			of.Kind, of.Read = parse.Write, 0
		}
		if got.Reads() && got.RF >= 0 && parse.OpID(v.Lines[got.RF]) != of.RF {
			t.Fatalf("operation %d reads another write than in the whole", line)
		}
		if got.RF, of.RF = 0, 0; got != of {
			t.Fatalf("operation %d is %v in the part, and %v", line, got, of)
		}
		if id > 0 && v.History.Thread(parse.OpID(id)) == v.History.Thread(parse.OpID(id-1)) && v.Lines[id-1] >= line {
			t.Fatalf("operation %d stands before %d", v.Lines[id-1], line)
		}
	}
}

// A window of the usual kind on a machine's run has no gap, and few operations are
// kept.
func TestFollowMemory(t *testing.T) {
	for _, m := range []model.Model{model.SC, model.TSO} {
		rng := rand.New(rand.NewPCG(5, 5))
		run := histgen.Machine(rng, m, histgen.Params{Threads: 4, Ops: 40000, Locations: 16, RMWs: 0.05, Fences: 0.02})
		r, order := follow(t, run.History, m, arrivals(rng, run, 64), Options{Window: 2048})
		if r.Answer != check.Allowed || r.Peak > 4*2048 || len(order) != len(run.Order) {
			t.Errorf("%s: %+v, %d operations in order", m.Name, r, len(order))
		}
	}
}
