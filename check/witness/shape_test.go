package witness

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/parse"
)

var weak = []model.Model{model.CC, model.CCv, model.CM, model.CCM, model.WCCM}

// A single-leaf refutation whose shape passes for a causal model shows that
// the model forbids the history.
func TestVerifyCausalSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 0))
	n := scale.Of(120, 120, 600)
	accepted, passed := map[string]int{}, map[string]int{}
	try := func(h *parse.History, proofs int) {
		for _, m := range weak {
			allowed := brute.Allowed(h, m)
			for range proofs {
				p := newProver(rng, h, m)
				p.ref = &Refutation{}
				p.onlyA = rng.IntN(2) == 0
				all, limit := rng.IntN(4) == 0, 1+rng.IntN(60)
				if rng.IntN(2) == 0 {
					limit = -1
				}
				g := p.static(func(r Rule) bool {
					return all || r <= ReadsFrom || r == FromInit || !p.onlyA && (r == FromRead || r == OwnStore)
				})
				p.saturate(g, limit)
				c := p.cycle(g)
				if c == nil {
					continue
				}
				p.ref.Root = &Node{Cycle: c}
				if Verify(h, m, p.ref) != nil {
					passed[m.Name]++
					continue
				}
				accepted[m.Name]++
				if allowed {
					t.Fatalf("%s: accepts %+v %+v against an allowed history %+v", m.Name, p.ref.Lemmas, c, h)
				}
			}
		}
	}
	all, err := cases.Load("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if len(c.History.Ops) <= 12 {
			try(c.History, 40)
		}
	}
	for range n {
		p := histgen.Params{Threads: 2 + rng.IntN(3), Ops: 6 + rng.IntN(6), Locations: 1 + rng.IntN(3), RMWs: 0.1 * float64(rng.IntN(2)), Writes: 0.4}
		try(histgen.Mutate(rng, histgen.Machine(rng, model.TSO, p), 1+rng.IntN(4)), 3)
	}
	t.Logf("accepted %v, refused %v", accepted, passed)
	for _, m := range weak {
		if accepted[m.Name] == 0 || passed[m.Name] == 0 {
			t.Errorf("%s: accepted %d, refused %d", m.Name, accepted[m.Name], passed[m.Name])
		}
	}
}

// CCM's pww relates writes to one location only: the proof by way of another
// location is wSC's.
func TestVerifyConflictElsewhere(t *testing.T) {
	h := cases.Parse(`
		0: M[x] := 1
		0: M[y] := 1
		0: M[z] := 1
		1: M[z] == 1
		1: M[z] == 2
		2: M[z] := 2
		2: M[y] == 2
		3: M[y] := 2
		3: M[x] := 2
		3: M[q] == 0
		4: M[q] := 1
		4: M[x] == 1`)
	po := func(a, b parse.OpID) Edge { return plain(a, b, PPO, parse.NoOp) }
	z := Edge{From: 2, To: 5, Rule: DerivedA, Via: 4, Lemma: 0}
	y := Edge{From: 1, To: 7, Rule: DerivedA, Via: 6, Lemma: 1}
	x := Edge{From: 11, To: 8, Rule: DerivedB, Via: 0, Lemma: 2}
	ref := &Refutation{
		Lemmas: []Lemma{
			{Edge: z, Premise: []Edge{plain(2, 3, ReadsFrom, parse.NoOp), po(3, 4)}},
			{Edge: y, Premise: []Edge{po(1, 2), z, po(5, 6)}},
			{Edge: x, Premise: []Edge{po(0, 1), y, po(7, 8)}},
		},
		Root: &Node{Cycle: []Edge{x, po(8, 9), plain(9, 10, FromRead, parse.NoOp), po(10, 11)}},
	}
	if err := Verify(h, model.WSC, ref); err != nil {
		t.Error(err)
	}
	if !brute.Allowed(h, model.CCM) {
		t.Error("CCM forbids the history")
	}
	if Verify(h, model.CCM, ref) == nil {
		t.Error("a refutation with an edge that CCM does not infer is accepted")
	}
}
