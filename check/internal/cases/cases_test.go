package cases_test

import (
	"maps"
	"slices"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/model"
)

var models = map[string]model.Model{}

func init() {
	for _, m := range []model.Model{
		model.SC, model.TSO, model.PSO, model.RMO, model.CC, model.CCv, model.CM,
		model.CCM, model.WCCM, model.WSC, model.WTSO, model.WPSO,
	} {
		models[m.Name] = m
	}
}

// Brute force agrees with the stated verdicts.
func TestStatedVerdicts(t *testing.T) {
	all, err := cases.Load("../../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			if len(c.Allowed) == 0 {
				t.Error("no verdict is stated")
			}
			for _, name := range slices.Sorted(maps.Keys(c.Allowed)) {
				m, ok := models[name]
				if !ok {
					t.Errorf("no model %q", name)
					continue
				}
				if got := brute.Allowed(c.History, m); got != c.Allowed[name] {
					t.Errorf("%s: brute force allows: %v, stated: %v", name, got, c.Allowed[name])
				}
			}
		})
	}
}
