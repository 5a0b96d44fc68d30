package litmus

import (
	"cmp"
	"strings"

	"ordeal/gen"
)

// Suite is the results of tests for other programs.
type Suite struct {
	Model  string     `json:"model"` // of tests of X86_64, or of all if the options name one
	Sim    string     `json:"sim"`
	Seed   uint64     `json:"seed"`
	Tests  []jsonTest `json:"tests"`
	Faults []string   `json:"faults,omitempty"` // tests that were not run, and why
}

// jsonTest adds to a Report what its Result holds.
type jsonTest struct {
	*Report
	Test        string      `json:"test"`
	Kind        string      `json:"kind"`
	Condition   string      `json:"condition"`
	Observation string      `json:"observation"`
	Positive    uint64      `json:"positive"`
	Negative    uint64      `json:"negative"`
	States      []jsonState `json:"states"`
}

type jsonState struct {
	Count   uint64 `json:"count"`
	Witness bool   `json:"witness"` // the condition holds, or for forall does not
	State   string `json:"state"`
}

// NewSuite makes a suite of reports and of what kept other tests from running.
func NewSuite(o *Options, reports []*Report, faults error) *Suite {
	out := &Suite{Model: cmp.Or(o.Model, o.Config.PromiseTo(gen.X86)), Sim: o.Sim, Seed: o.Seed, Tests: []jsonTest{}}
	if faults != nil {
		out.Faults = strings.Split(faults.Error(), "\n")
	}
	for _, r := range reports {
		t := jsonTest{
			Report: r, Test: r.Result.Test, Kind: r.Result.Kind.String(), Condition: r.Result.Condition,
			Observation: r.Result.Observation.String(), Positive: r.Result.Positive, Negative: r.Result.Negative, States: []jsonState{},
		}
		for i := range r.Result.States {
			s := &r.Result.States[i]
			t.States = append(t.States, jsonState{s.Count, s.Witness, s.String()})
		}
		out.Tests = append(out.Tests, t)
	}
	return out
}
