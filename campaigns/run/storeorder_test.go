package run

import (
	"slices"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
)

// builtinHistory runs program number of a family of small programs.
func builtinHistory(t *testing.T, o builtin.Options, number int) *parse.History {
	t.Helper()
	family := config.DefaultPrograms()
	family.Threads, family.Ops, family.Locations = 3, 30, 6
	p, err := family.Program(5, number)
	must.Succeed(t, err)
	r, err := builtin.New(o)
	must.Succeed(t, err)
	const rounds = 4
	result, err := r.Run(t.Context(), sim.Job{Program: p, Rounds: rounds, Seed: uint64(number)})
	if err != nil || result.Outcome != sim.Passed {
		t.Fatalf("%v: %s: %s\n%s", err, result.Outcome, result.Title, result.Detail)
	}
	h, err := parse.Native(p, rounds, result.Log)
	must.Succeed(t, err)
	return h
}

func answerBy(t *testing.T, h *parse.History, m model.Model, procedure string) check.Answer {
	t.Helper()
	v, err := check.Check(t.Context(), h, m, check.Options{Procedure: procedure})
	if err != nil || v.Answer == check.Unknown {
		t.Fatalf("%s by %s: %v, %s: %s", m.Name, procedure, err, v.Answer, v.Reason)
	}
	return v.Answer
}

// TestStoreOrder checks runs of the embedded simulator with the order of the
// stores in their logs. The model of the cores allows it. With the order of one
// location reversed, coherence forbids most runs: those in which a read shows
// the difference.
func TestStoreOrder(t *testing.T) {
	forbidden, weak := 0, 0
	for _, protocol := range protocols.Names() {
		for number := range 5 {
			h := builtinHistory(t, builtin.Options{Protocol: protocol, Core: core.InOrder}, number)
			if a := answerBy(t, h, model.SC, "conflict"); a != check.Allowed {
				t.Errorf("%s, in order, program %d: SC is %s", protocol, number, a)
			}
			h = builtinHistory(t, builtin.Options{Protocol: protocol, Core: core.OOO}, number)
			if a := answerBy(t, h, model.TSO, "conflict"); a != check.Allowed {
				t.Errorf("%s, out of order, program %d: TSO is %s", protocol, number, a)
			}
			if answerBy(t, h, model.SC, "conflict") == check.Forbidden {
				weak++
			} else if answerBy(t, h, model.SC, "auto") != check.Allowed {
				t.Errorf("%s, program %d: SC is forbidden, but not with the order of the stores", protocol, number)
			}
			other := *h
			other.StoreOrder = slices.Clone(h.StoreOrder)
			other.StoreOrder[0] = slices.Clone(h.StoreOrder[0])
			slices.Reverse(other.StoreOrder[0])
			if answerBy(t, &other, model.TSO, "conflict") == check.Forbidden {
				forbidden++
			}
		}
	}
	if weak < 5 {
		t.Errorf("%d runs out of order are not SC", weak)
	}
	if forbidden < 15 {
		t.Errorf("%d runs are forbidden with another order of the stores", forbidden)
	}
}

// TestStoreOrderOfFaultyCores checks runs of cores with an injected bug: what
// every order forbids, the order of the log forbids.
func TestStoreOrderOfFaultyCores(t *testing.T) {
	found := 0
	for number := range 30 {
		h := builtinHistory(t, builtin.Options{Protocol: "mi", Core: core.OOO, Bugs: []core.Bug{core.LoadNotSquashed}}, number)
		exact := answerBy(t, h, model.TSO, "conflict")
		if answerBy(t, h, model.TSO, "auto") == check.Forbidden {
			found++
			if exact != check.Forbidden {
				t.Errorf("program %d: TSO is forbidden, but not with the order of the stores", number)
			}
		}
	}
	if found == 0 {
		t.Error("no run of faulty cores breaks TSO")
	}
}
