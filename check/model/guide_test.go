package model_test

import (
	"strings"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

func read(t *testing.T, s *model.Separation) *parse.History {
	t.Helper()
	trace, err := axe.NewReader(strings.NewReader(s.Trace()), s.History).Next()
	if err != nil || trace.Err != nil {
		t.Fatal(err, trace.Err)
	}
	return trace.History
}

func allows(t *testing.T, h *parse.History, m model.Model) bool {
	t.Helper()
	v, err := check.Check(t.Context(), h, m, check.Options{})
	if err != nil || v.Answer == check.Unknown {
		t.Fatalf("%s: %v %v", m.Name, v.Answer, err)
	}
	return v.Answer == check.Allowed
}

// TestDescriptions expects a description of each model, and for each of the next
// stronger ones a history that only the weaker one allows.
func TestDescriptions(t *testing.T) {
	all := model.Named()
	for i, e := range model.Descriptions() {
		if e.Model.Name != all[i].Name {
			t.Fatalf("description %d is of %s, want %s", i, e.Model.Name, all[i].Name)
		}
		if e.Text == "" || e.Source == "" {
			t.Fatalf("%s: text %q, source %q: want both", e.Model.Name, e.Text, e.Source)
		}
		stronger := model.Stronger(e.Model)
		if len(stronger) != len(e.Separations) {
			t.Errorf("%s: %d histories for %d stronger models", e.Model.Name, len(e.Separations), len(stronger))
			continue
		}
		for j, b := range e.Separations {
			if b.Stronger != stronger[j].Name {
				t.Errorf("%s: a history beside %s, want %s", e.Model.Name, b.Stronger, stronger[j].Name)
			}
			h := read(t, &b)
			if !allows(t, h, e.Model) || allows(t, h, stronger[j]) {
				t.Errorf("%s beside %s: not allowed, or not forbidden", e.Model.Name, b.Stronger)
			}
			if len(h.Ops) <= 8 && (!brute.Allowed(h, e.Model) || brute.Allowed(h, stronger[j])) {
				t.Errorf("%s beside %s: brute force says otherwise", e.Model.Name, b.Stronger)
			}
		}
	}
}

// TestSmallest looks for histories of loads and stores that do the same with
// fewer operations.
func TestSmallest(t *testing.T) {
	most := scale.Of(4, 4, 6)
	type pair struct {
		weak, strong model.Model
		size         int
	}
	var pairs []pair
	for _, e := range model.Descriptions() {
		for j, s := range model.Stronger(e.Model) {
			size := len(read(t, &e.Separations[j]).Ops)
			if size <= 7 == e.Separations[j].OnlyKnown {
				t.Errorf("%s beside %s: %d operations, known %v", e.Model.Name, s.Name, size, e.Separations[j].OnlyKnown)
			}
			pairs = append(pairs, pair{e.Model, s, size})
		}
	}
	for n := 1; n <= most; n++ {
		for h := range histgen.All(histgen.Bound{Threads: n, Locations: 3, Ops: n, Exact: true}) {
			for _, p := range pairs {
				if n < p.size && !allows(t, h, p.strong) && allows(t, h, p.weak) {
					t.Fatalf("%s beside %s: %d operations do, too: %v", p.weak.Name, p.strong.Name, n, h.Ops)
				}
			}
		}
	}
}
