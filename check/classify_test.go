package check_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/check"
	"ordeal/check/internal/cases"
	"ordeal/check/model"
	"ordeal/check/witness"
)

// The classification of each named case agrees with checking it model by
// model, and with the verdicts that the literature states.
func TestClassify(t *testing.T) {
	all, err := cases.Load("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		got, err := check.Classify(context.Background(), c.History, check.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		for _, v := range got.Verdicts {
			m, _ := model.ByName(v.Model)
			alone, err := check.Check(context.Background(), c.History, m, check.Options{})
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			if v.Answer != alone.Answer {
				t.Errorf("%s: %s %v (%s), alone %v", c.Name, v.Model, v.Answer, v.Procedure, alone.Answer)
			}
			if stated, ok := c.Allowed[v.Model]; ok && stated != (v.Answer == check.Allowed) {
				t.Errorf("%s: %s %v, stated allowed=%v", c.Name, v.Model, v.Answer, stated)
			}
			if err := witness.Check(c.History, m, &v); err != nil {
				t.Errorf("%s: %s %v (%+v): %v", c.Name, v.Model, v.Answer, v.Inclusion, err)
			}
		}
		for _, name := range slices.Concat(got.Strongest, got.Weakest) {
			m, _ := model.ByName(name)
			for _, v := range got.Verdicts {
				other, _ := model.ByName(v.Model)
				if other == m {
					continue
				}
				if slices.Contains(got.Strongest, name) && v.Answer == check.Allowed && model.Implies(other, m) ||
					slices.Contains(got.Weakest, name) && v.Answer == check.Forbidden && model.Implies(m, other) {
					t.Errorf("%s: %s is not extreme: %s", c.Name, name, v.Model)
				}
			}
		}
	}
}

// Store buffering, by hand.
func TestClassifyStoreBuffering(t *testing.T) {
	h := cases.Parse("0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0")
	got, err := check.Classify(context.Background(), h, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := check.Classification{Verdicts: got.Verdicts, Strongest: []string{"tso", "cm"}, Weakest: []string{"ccm"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classification (-want +got):\n%s", diff)
	}
	if _, err := check.Classify(context.Background(), h, check.Options{Procedure: "none"}); err == nil {
		t.Error("an unknown procedure classifies")
	}
}

// TestSeveral compares the verdicts under two and three models with those under each
// alone, in both orders of the models, and counts the searches that it saves.
func TestSeveral(t *testing.T) {
	all, err := cases.Load("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	carried := 0
	for _, c := range all {
		for _, models := range [][]model.Model{{model.TSO, model.SC}, {model.SC, model.TSO}, {model.PSO, model.TSO, model.SC}} {
			got, err := check.Several(t.Context(), c.History, models, check.Options{})
			if err != nil || len(got) != len(models) {
				t.Fatalf("%s: %d verdicts, %v", c.Name, len(got), err)
			}
			for i, m := range models {
				alone, err := check.Check(t.Context(), c.History, m, check.Options{})
				if err != nil {
					t.Fatalf("%s: %v", c.Name, err)
				}
				if got[i].Model != m.Name || got[i].Answer != alone.Answer {
					t.Errorf("%s: %s %v, alone %s %v", c.Name, got[i].Model, got[i].Answer, m.Name, alone.Answer)
				}
				if err := witness.Check(c.History, m, &got[i]); err != nil {
					t.Errorf("%s: %s %v (%+v): %v", c.Name, m.Name, got[i].Answer, got[i].Inclusion, err)
				}
			}
			if sc := slices.Index(models, model.SC); got[sc].Answer == check.Allowed {
				for _, v := range got {
					if v.Model != model.SC.Name && v.Inclusion.Model != model.SC.Name {
						t.Errorf("%s: %s is decided apart from sc", c.Name, v.Model)
					}
					carried++
				}
			}
		}
	}
	if carried < 30 {
		t.Errorf("only %d verdicts carried", carried)
	}
}
