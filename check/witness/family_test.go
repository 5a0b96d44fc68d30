package witness

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/parse"
)

// refuted proves what it can and has Verify look at it.
func refuted(t *testing.T, rng *rand.Rand, h *parse.History, m model.Model, splits bool) bool {
	t.Helper()
	ref := newProver(rng, h, m).prove(splits)
	if ref == nil {
		return false
	}
	if err := Verify(h, m, ref); err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return true
}

// The prover refutes what the literature forbids, case by case.
func TestVerifyOnCases(t *testing.T) {
	all, err := cases.Load("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(61, 0))
	for _, c := range all {
		for _, m := range append(totals, closures...) {
			allowed, stated := c.Allowed[m.Name]
			if stated && refuted(t, rng, c.History, m, m.Family == model.Total) == allowed {
				t.Errorf("%s: %s: refuted: %v", c.Name, m.Name, allowed)
			}
		}
	}
}

// The reduction keeps satisfiability.
func TestReduction(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 0))
	formulas := []histgen.CNF{
		{{1, 1, 1}}, {{-1, -1, -1}}, {{1, 1, 1}, {-1, -1, -1}}, {{1, -1, 1}, {-1, -1, -1}},
		{{1, 2, 2}, {1, -2, -2}, {-1, 2, 2}}, {{1, 2, 2}, {1, -2, -2}, {-1, 1, -1}, {-1, -1, -1}},
	}
	for i, f := range formulas {
		if testing.Short() && len(f) > 2 {
			continue
		}
		if got, want := refuted(t, rng, histgen.FromCNF(f, false), model.SC, true), !f.Satisfiable(); got != want {
			t.Errorf("formula %d: SC refuted: %v, unsatisfiable: %v", i, got, want)
		}
		if len(f) > 2 {
			continue
		}
		h := histgen.FromCNF(f, true)
		for _, m := range totals[:3] {
			if got, want := refuted(t, rng, h, m, true), !f.Satisfiable(); got != want {
				t.Errorf("formula %d: %s refuted: %v, unsatisfiable: %v", i, m.Name, got, want)
			}
		}
	}
}

// Kernel histories are what they say: saturation finds nothing, case splits
// find the kernel, and fences make all models alike.
func TestKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 0))
	sizes := []histgen.Kernel{{Pairs: 1}, {Pairs: 1, Conflicts: 3}, {Pairs: 1, Conflicts: 5}, {Pairs: 2}, {Pairs: 2, Conflicts: 3}}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, k := range sizes {
		h, pairs := k.History()
		if refuted(t, rng, h, model.SC, true) {
			t.Errorf("%+v: SC forbids it", k)
		}
		for _, pair := range pairs {
			h.Final = make([]parse.OpID, len(h.Locations))
			for x := range h.Final {
				h.Final[x] = parse.NoOp
			}
			h.Final[h.Ops[pair[0]].Loc] = pair[1] // the wrong way around
			if !refuted(t, rng, h, model.SC, true) {
				t.Errorf("%+v: pair %v is not in the kernel", k, pair)
			}
		}
		k.Forbid = true
		h, _ = k.History()
		if refuted(t, rng, h, model.WSC, false) {
			t.Errorf("%+v: wSC forbids it", k)
		}
		ref := newProver(rng, h, model.SC).prove(true)
		if ref == nil {
			t.Errorf("%+v: SC allows it", k)
		} else if err := Verify(h, model.SC, ref); err != nil {
			t.Error(err)
		} else if Verify(h, model.WSC, ref) == nil {
			t.Errorf("%+v: wSC accepts case splits", k)
		}
		if k.Pairs > 1 {
			continue
		}
		k.Fences = true
		h, _ = k.History()
		for _, m := range totals {
			if !refuted(t, rng, h, m, true) {
				t.Errorf("%+v: %s allows it", k, m.Name)
			}
		}
	}
}

// Saturation climbs a staircase step by step.
func TestStaircase(t *testing.T) {
	const n = 5
	p := newProver(rand.New(rand.NewPCG(64, 0)), histgen.Staircase(n), model.SC)
	if p.prove(true) != nil {
		t.Fatal("SC forbids it")
	}
	inferred := 0
	for _, l := range p.ref.Lemmas {
		if l.Edge.Rule == DerivedA {
			inferred++
		}
	}
	// The first fact is coherence: thread a itself reads w1 after u1.
	if inferred < n-1 {
		t.Errorf("%d inferred, want %d", inferred, n-1)
	}
}

// Embedding a history changes no verdict.
func TestEmbed(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 0))
	allowed := 0
	for range 150 {
		m := totals[rng.IntN(4)]
		core := histgen.Mutate(rng, histgen.Machine(rng, model.RMO, histgen.Params{Threads: 2, Ops: 5, Locations: 2, Deps: 0.3}), 1)
		h, at := histgen.Embed(rng, core, m, histgen.Params{Threads: 1 + rng.IntN(3), Ops: 10, Locations: 2, Deps: 0.2})
		if err := h.Validate(); err != nil {
			t.Fatal(err)
		}
		for id, new := range at {
			if h.Ops[new].Kind != core.Ops[id].Kind {
				t.Fatal("the core is not where it should be")
			}
		}
		got, want := brute.Allowed(h, m), brute.Allowed(core, m)
		if got != want {
			t.Fatalf("%s: allowed alone: %v, embedded: %v", m.Name, want, got)
		}
		if got {
			allowed++
		}
	}
	if allowed == 0 || allowed == 150 {
		t.Errorf("%d of 150 allowed", allowed)
	}
}
