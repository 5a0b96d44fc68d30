package check_test

import (
	"context"
	"testing"

	"ordeal/check"
	"ordeal/check/model"
)

// Two formulas whose satisfiability is plain, and the numbers of writes.
func TestFromFormula(t *testing.T) {
	for _, c := range []struct {
		name    string
		clauses [][3]int
		writes  int
		want    check.Answer
	}{
		{"one clause", [][3]int{{1, -2, 3}}, 2*3 + 6, check.Allowed},
		{"x and not x", [][3]int{{2, 2, 2}, {-2, -2, -2}}, 2*2 + 12, check.Forbidden},
	} {
		h := check.FromFormula(c.clauses)
		if err := h.Validate(); err != nil {
			t.Fatal(err)
		}
		writes := 0
		for i := range h.Ops {
			if h.Ops[i].Writes() {
				writes++
			}
		}
		if writes != c.writes {
			t.Errorf("%s: %d writes, want %d", c.name, writes, c.writes)
		}
		for _, m := range []model.Model{model.SC, model.TSO, model.PSO} {
			v, err := check.Check(context.Background(), h, m, check.Options{})
			if err != nil || v.Answer != c.want {
				t.Errorf("%s under %s: %v %v, want %v", c.name, m.Name, v.Answer, err, c.want)
			}
		}
	}
}
