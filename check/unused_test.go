package check_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/parse"
)

// parts is what Unused may list, and how to leave it out of a history.
var parts = []struct {
	name  string
	strip func(h *parse.History) *parse.History
}{
	{"final memory", func(h *parse.History) *parse.History { h.Final = nil; return h }},
	{"order of writes", func(h *parse.History) *parse.History { h.StoreOrder = nil; return h }},
	{"fences", func(h *parse.History) *parse.History {
		var kept []parse.OpID
		for id := range h.Ops {
			if h.Ops[id].Kind != parse.Fence {
				kept = append(kept, parse.OpID(id))
			}
		}
		sub, _ := h.Select(kept)
		return sub
	}},
	{"times", func(h *parse.History) *parse.History { h.Times = nil; return h }},
	{"transactions", func(h *parse.History) *parse.History { h.Transactions = nil; return h }},
}

// TestUnused leaves each part out of random histories. The answer of a model
// must not depend on a part that Unused lists; of the others there must be a
// history where it does, but for fences under models that keep program order.
func TestUnused(t *testing.T) {
	type pair struct{ model, part string }
	matters, listed := map[pair]bool{}, map[pair]bool{}
	for seed := range uint64(250) {
		rng := rand.New(rand.NewPCG(seed, 11))
		h := histgen.Random(rng, histgen.Params{Threads: 2, Ops: 4 + rng.IntN(5), Locations: 2, Fences: 0.3})
		if seed%2 == 0 {
			run := histgen.Machine(rng, model.RMO, histgen.Params{Threads: 2, Ops: 6 + rng.IntN(5), Locations: 2, Fences: 0.3, Depth: 3, Burst: 3})
			h = run.History
		}
		if seed == 0 { // too rare: the fence matters to wCCM, which orders stores as CCM does
			h = cases.Parse("0: M[x] := 1\n0: sync\n0: M[y] == 0\n1: M[y] := 1\n1: M[x] := 2\n2: M[x] == 2\n2: M[x] == 1\n")
		}
		h.Transactions = []parse.Transaction{{First: 0, End: 1}}
		if seed > 0 {
			histgen.AddFinal(rng, h)
			histgen.AddStoreOrder(rng, h)
		}
		h.Times = make([]parse.Interval, len(h.Ops))
		for i := range h.Times {
			h.Times[i].Return = int64(rng.IntN(5))
		}
		if seed%3 == 0 {
			h.Final = nil
		}
		if seed%3 == 1 {
			h.StoreOrder = nil
		}
		for _, m := range model.All() {
			whole := answer(t, h, m)
			unused := check.Unused(h, m)
			for _, part := range parts {
				p := pair{m.Name, part.name}
				is := slices.Contains(unused, part.name)
				listed[p] = listed[p] || is
				changed := answer(t, part.strip(histgen.Clone(h)), m) != whole
				matters[p] = matters[p] || changed
				if is && changed {
					t.Fatalf("seed %d: %s is not used by %s, and changes its answer", seed, part.name, m.Name)
				}
			}
		}
	}
	for _, m := range model.All() {
		for _, part := range parts {
			p := pair{m.Name, part.name}
			implied := part.name == "fences" && m.PPO == parse.FullFence
			if !listed[p] && !matters[p] && !implied {
				t.Errorf("%s never changes an answer of %s, and is not listed", part.name, m.Name)
			}
		}
	}
}

func answer(t *testing.T, h *parse.History, m model.Model) check.Answer {
	t.Helper()
	v, err := check.Check(t.Context(), h, m, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v.Answer
}

// TestUnusedNothing: what a history does not say is not listed.
func TestUnusedNothing(t *testing.T) {
	h := histgen.Random(rand.New(rand.NewPCG(1, 1)), histgen.Params{Threads: 2, Ops: 6, Locations: 2})
	h.Final = []parse.OpID{parse.NoOp, parse.NoOp}
	for _, m := range model.All() {
		if got := check.Unused(h, m); got != nil {
			t.Errorf("%s: %v", m.Name, got)
		}
	}
}

// TestUnusedAttributes: a model says which attributes and kinds of dependencies
// it does not know.
func TestUnusedAttributes(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n0: M[y] := 1 release\n1: M[y] == 1 acquire\n1: M[x] == 0\ndep 1: 1 -> 2 ctrl\n")
	const marks, deps = "acquire and release", "dependencies of some kinds"
	for name, want := range map[string][]string{
		"sc": nil, "tso": {marks}, "pso": {marks}, "rmo": {marks, deps}, "armv8": nil, "rvwmo": nil, "wmo": {marks, deps}, "pow": {marks, deps},
	} {
		m, _ := model.ByName(name)
		if got := check.Unused(h, m); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	fences := cases.Parse("0: M[x] == 0\n0: isync\n0: M[y] == 0\n0: stbar\n0: M[y] := 1\n0: sync\n")
	const barriers, partial = "instruction barriers", "partial fences"
	for name, want := range map[string][]string{
		"sc": nil, "pso": nil, "rmo": {barriers}, "armv8": nil, "rvwmo": {barriers}, "wmo": {barriers}, "pow": {barriers, partial},
	} {
		m, _ := model.ByName(name)
		if got := check.Unused(fences, m); !slices.Equal(got, want) {
			t.Errorf("fences: %s: %q, want %q", name, got, want)
		}
	}
	h.Deps[0].Kind = 0
	if got := check.Unused(h, model.RVWMO); !slices.Equal(got, []string{deps}) {
		t.Errorf("rvwmo of a dependency of no kind: %q", got)
	}
}
