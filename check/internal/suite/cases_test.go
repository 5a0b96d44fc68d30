package suite_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/parse"
)

func named(t testing.TB) []cases.Case {
	t.Helper()
	all, err := cases.Load("../../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every procedure gives the verdicts that the literature states; where it
// states none, that of brute force.
func TestNamedCases(t *testing.T) {
	count := tally{}
	for _, c := range named(t) {
		for _, m := range models {
			allowed, stated := c.Allowed[m.Name]
			want := answer(allowed)
			if !stated {
				want = bruteAnswer(c.History, m)
			}
			t.Run(c.Name+"/"+m.Name, func(t *testing.T) { count.expect(t, c.History, m, want, 0) })
		}
	}
}

// family is a history whose verdict is known by construction.
type family struct {
	name    string
	history *parse.History
	want    map[string]bool // by model, whether it allows the history
}

func alike(allowed bool, ms ...model.Model) map[string]bool {
	out := map[string]bool{}
	for _, m := range ms {
		out[m.Name] = allowed
	}
	return out
}

// families lists kernels and splits of several sizes, staircases, and
// reductions of satisfiable and unsatisfiable formulas.
func families() []family {
	var out []family
	for pairs := 1; pairs <= 3; pairs++ {
		for _, conflicts := range []int{2, 3, 5, 12} {
			if pairs > 1 && conflicts > 3 {
				continue
			}
			for _, forbid := range []bool{false, true} {
				k := histgen.Kernel{Pairs: pairs, Conflicts: conflicts, Forbid: forbid}
				h, _ := k.History()
				out = append(out, family{fmt.Sprintf("kernel/%d/%d/%v", pairs, conflicts, forbid), h, alike(!forbid, model.SC)})
				k.Fences = true
				h, _ = k.History()
				out = append(out, family{fmt.Sprintf("fenced/%d/%d/%v", pairs, conflicts, forbid), h, alike(!forbid, totals...)})
			}
		}
	}
	h, _ := histgen.SplitNeeded()
	out = append(out, family{"split", h, map[string]bool{"sc": false, "wsc": true}})
	for _, n := range []int{2, 8, 40} {
		out = append(out, family{fmt.Sprintf("staircase/%d", n), histgen.Staircase(n), alike(true, append(totals, model.WSC)...)})
	}
	rng := rand.New(rand.NewPCG(7, 7))
	formulas := []struct {
		name string
		histgen.CNF
	}{
		{"tautology", histgen.CNF{{1, -1, 1}}},
		{"unit", histgen.CNF{{1, 1, 1}}},
		{"contradiction", histgen.CNF{{1, 1, 1}, {-1, -1, -1}}},
		{"all-signs", histgen.CNF{{1, 2, 3}, {1, 2, -3}, {1, -2, 3}, {1, -2, -3}, {-1, 2, 3}, {-1, 2, -3}, {-1, -2, 3}, {-1, -2, -3}}},
		{"all-but-one", histgen.CNF{{1, 2, 3}, {1, 2, -3}, {1, -2, 3}, {1, -2, -3}, {-1, 2, 3}, {-1, 2, -3}, {-1, -2, 3}}},
		{"random-4-12", histgen.RandomCNF(rng, 4, 12)},
		{"random-4-28", histgen.RandomCNF(rng, 4, 28)},
		{"random-8-34", histgen.RandomCNF(rng, 8, 34)},
	}
	for _, f := range formulas {
		out = append(out,
			family{"cnf/" + f.name, histgen.FromCNF(f.CNF, false), alike(f.Satisfiable(), model.SC)},
			family{"relaxed/" + f.name, histgen.FromCNF(f.CNF, true), alike(f.Satisfiable(), model.SC, model.TSO, model.PSO)})
	}
	return out
}

// Every procedure that can do a member of a family in time gives the verdict
// that the construction implies; the default pipeline and sat can do all, and
// are the only ones that run on the large ones without -soak.
func TestFamilies(t *testing.T) {
	bound, large := searchBound, scale.Of(20, 60, 1<<20)
	if scale.Soak() {
		bound = 2 * time.Second
	}
	allowed, forbidden := 0, 0
	count := tally{}
	for _, f := range families() {
		for _, m := range models {
			want, ok := f.want[m.Name]
			if !ok {
				continue
			}
			if want {
				allowed++
			} else {
				forbidden++
			}
			for _, name := range []string{"auto", "sat"} {
				p := procedure(t, name)
				if !p.Supports(m) {
					continue
				}
				if v := decide(t, p, f.history, m, 0); v.Answer != answer(want) {
					t.Fatalf("%s, %s by %s: %v %s, want %v", f.name, m.Name, name, v.Answer, v.Reason, answer(want))
				}
			}
			if len(f.history.Ops) <= large {
				t.Run(f.name+"/"+m.Name, func(t *testing.T) { count.expect(t, f.history, m, answer(want), bound) })
			}
		}
	}
	if allowed < 20 || forbidden < 20 {
		t.Errorf("%d allowed and %d forbidden members: the families are lopsided", allowed, forbidden)
	}
	for _, c := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%s: decided %d of %d", c, count[c][1], count[c][0])
	}
}
