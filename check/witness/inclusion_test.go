package witness_test

import (
	"testing"

	"ordeal/check/internal/cases"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// An order of SC is one of every weaker model; a refutation by RMO of values
// out of thin air, with dependencies, is one by every stronger model. A verdict
// that is carried twice names the model that it comes from.
func TestCarry(t *testing.T) {
	h := cases.Parse("0: M[0] := 1\n0: M[1] == 0\n1: M[0] == 1\n1: M[1] := 1\n1: M[1] == 1")
	from := witness.Verdict{Answer: witness.Allowed, Model: "sc", Procedure: "greedy", Order: &witness.Order{Ops: []parse.OpID{0, 1, 2, 3, 4}}}
	for _, m := range model.All() {
		v, ok := witness.Carry(h, m, &from)
		if want := (witness.Inclusion{Model: "sc", Checked: true}); !ok || v.Inclusion != want || v.Model != m.Name || v.Order != from.Order {
			t.Errorf("%s: %+v, %v", m.Name, v, ok)
		}
		if again, ok := witness.Carry(h, m, &v); !ok || again.Inclusion.Model != "sc" {
			t.Errorf("%s again: %+v, %v", m.Name, again, ok)
		}
	}
	h = cases.Parse("0: M[0] == 1\n0: M[1] := 1\n0: M[1] == 1\n0: M[2] := 1\n1: M[2] == 1\n1: M[0] := 1\n" +
		"dep 0: 1 -> 2\ndep 0: 3 -> 4\ndep 1: 1 -> 2")
	edge := func(a, b parse.OpID, rule witness.Rule) witness.Edge {
		return witness.Edge{From: a, To: b, Rule: rule, Via: parse.NoOp, Lemma: -1}
	}
	from = witness.Verdict{Answer: witness.Forbidden, Model: "rmo", Refutation: &witness.Refutation{Root: &witness.Node{Cycle: []witness.Edge{
		edge(0, 1, witness.Dependency), edge(1, 2, witness.ReadsFrom), edge(2, 3, witness.Dependency),
		edge(3, 4, witness.ReadsFrom), edge(4, 5, witness.Dependency), edge(5, 0, witness.ReadsFrom),
	}}}}
	for _, m := range []model.Model{model.RMO, model.PSO, model.TSO, model.SC} {
		if _, ok := witness.Carry(h, m, &from); !ok {
			t.Errorf("%s: %v", m.Name, witness.Check(h, m, &from))
		}
	}
}

// What proves nothing under a model is not carried to it: an order of TSO to SC,
// a closure to a model of orders, an answer without evidence to any.
func TestCarryNothing(t *testing.T) {
	h := cases.Parse("0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0")
	order := &witness.Order{Ops: []parse.OpID{1, 3, 0, 2}}
	for _, test := range []struct {
		m    model.Model
		from witness.Verdict
	}{
		{model.SC, witness.Verdict{Answer: witness.Allowed, Model: "tso", Order: order}},
		{model.CCM, witness.Verdict{Answer: witness.Allowed, Model: "tso", Order: order}},
		{model.CC, witness.Verdict{Answer: witness.Allowed, Model: "tso", Order: order}},
		{model.RMO, witness.Verdict{Answer: witness.Allowed, Model: "tso"}},
		{model.RMO, witness.Verdict{Answer: witness.Unknown, Model: "tso", Order: order}},
		{model.SC, witness.Verdict{Answer: witness.Forbidden, Model: "tso", Unproved: "time budget exhausted"}},
		{model.SC, witness.Verdict{Answer: witness.Forbidden, Model: "tso"}},
	} {
		if v, ok := witness.Carry(h, test.m, &test.from); ok {
			t.Errorf("%+v gives %+v under %s", test.from, v, test.m.Name)
		}
	}
	if _, ok := witness.Carry(h, model.PSO, &witness.Verdict{Answer: witness.Allowed, Model: "tso", Order: order}); !ok {
		t.Error("an order of TSO is none of PSO")
	}
}
