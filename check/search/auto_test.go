package search

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Each stage decides what it is there for.
func TestStages(t *testing.T) {
	const passing = "0: M[x] := 1\n0: M[y] := 2\n1: M[y] == 2\n1: M[x] == 0\n" // a message that arrives too early
	known := histgen.Machine(rand.New(rand.NewPCG(1, 2)), model.TSO, histgen.Params{})
	known.History.StoreOrder = known.History.Writes(known.Order)
	timed := histgen.Machine(rand.New(rand.NewPCG(1, 2)), model.SC, histgen.Params{})
	long := histgen.Params{Threads: 64, Ops: 3 * longHistory, Locations: 256, Writes: 0.3, Fences: 0.02}
	met := map[string]bool{}
	for _, c := range []struct {
		stage  string
		m      model.Model
		answer witness.Answer
		h      *parse.History
	}{
		{"causal", model.CC, witness.Forbidden, cases.Parse(passing)},
		{"closure", model.WSC, witness.Forbidden, cases.Parse(passing)},
		{"timed", model.Linearizable, witness.Allowed, histgen.Timed(rand.New(rand.NewPCG(1, 2)), timed, 9, true)},
		{"conflict", model.TSO, witness.Allowed, known.History},
		{"beginning", model.PSO, witness.Forbidden, histgen.Machine(rand.New(rand.NewPCG(1, 2)), model.RMO, long).History},
		{"early", model.TSO, witness.Allowed, run(model.TSO, 4, 400, 8)},
		{"components", model.SC, witness.Forbidden, cases.Parse(passing + "2: M[z] := 3\n3: M[z] == 3\n")},
		{"closed", model.SC, witness.Forbidden, cases.Parse(passing)},
	} {
		v := witness.Verdict{Model: c.m.Name}
		by, err := (&task{h: c.h, m: c.m, v: &v}).decide(t.Context())
		if err != nil || by != c.stage || v.Answer != c.answer {
			t.Errorf("%s by stage %q: %v, %v; want %v by %q", c.m.Name, by, v.Answer, err, c.answer, c.stage)
			continue
		}
		if err := witness.Check(c.h, c.m, &v); err != nil {
			t.Errorf("%s: %v", c.stage, err)
		}
		met[by] = true
	}
	for _, s := range stages {
		if !met[s.name] {
			t.Errorf("no history for stage %q", s.name)
		}
	}
}

// What is hard is decided whatever random operations are around it.
func TestEmbedded(t *testing.T) {
	decide := func(h *parse.History, m model.Model, allowed bool) {
		v, err := Auto.Run(t.Context(), h, m, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if v.Answer == witness.Unknown || (v.Answer == witness.Allowed) != allowed {
			t.Fatalf("%s: %v (%s), allowed: %v", m.Name, v.Answer, v.Reason, allowed)
		}
		accepted(t, h, m, v)
	}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 2))
		f := histgen.RandomCNF(rng, 8, []int{24, 40}[seed%2])
		for _, m := range []model.Model{model.SC, model.TSO} {
			h, _ := histgen.Embed(rng, histgen.FromCNF(f, m.Name != model.SC.Name), m,
				histgen.Params{Threads: 4, Ops: 4000, Locations: 8})
			decide(h, m, f.Satisfiable())
		}
	}
	core, _ := histgen.Kernel{Pairs: 2, Conflicts: 5, Forbid: true}.History()
	h, _ := histgen.Embed(rand.New(rand.NewPCG(1, 3)), core, model.SC, histgen.Params{Threads: 8, Ops: 4000, Locations: 8})
	decide(h, model.SC, false)
}
