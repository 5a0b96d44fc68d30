package model_test

import (
	"slices"
	"testing"

	"ordeal/check/model"
)

func TestByName(t *testing.T) {
	for _, m := range model.All() {
		if got, ok := model.ByName(m.Name); !ok || got != m {
			t.Errorf("%s: %v, %v", m.Name, got, ok)
		}
	}
	if _, ok := model.ByName("SC"); ok {
		t.Error("names are lower case")
	}
}

// Each model stands after those that imply it, and no two imply each other.
func TestOrder(t *testing.T) {
	all := model.All()
	for i, a := range all {
		for _, b := range all[i+1:] {
			if model.Implies(b, a) {
				t.Errorf("%s implies %s, which stands before it", b.Name, a.Name)
			}
		}
	}
}

// The whole relation, by hand.
func TestImplies(t *testing.T) {
	weaker := map[string][]string{
		"sc":   {"tso", "pso", "rmo", "wsc", "wtso", "wpso", "ccm", "wccm", "ccv", "cm", "cc"},
		"tso":  {"pso", "rmo", "wtso", "wpso", "wccm", "ccv", "cc"},
		"pso":  {"rmo", "wpso"},
		"wsc":  {"wtso", "wpso", "ccm", "wccm", "ccv", "cm", "cc"},
		"wtso": {"wpso", "wccm", "ccv", "cc"},
		"ccm":  {"wccm", "ccv", "cm", "cc"},
		"ccv":  {"cc"},
		"cm":   {"cc"},
	}
	for _, a := range model.All() {
		for _, b := range model.All() {
			want := a == b || slices.Contains(weaker[a.Name], b.Name)
			if got := model.Implies(a, b); got != want {
				t.Errorf("%s implies %s: %v", a.Name, b.Name, got)
			}
		}
	}
}
