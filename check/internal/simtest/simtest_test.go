// Package simtest checks what the embedded simulator prints: that each kind of
// core keeps its memory model on the ideal memories and on the coherence
// protocols, and shows what a stronger model forbids. It is not in sim because
// sim must not import check. That injected bugs of the protocols are found is
// tested with the catalogue of bugs, beside the campaigns.
package simtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
)

// promise is the model that a kind of core implements, and the strongest one
// that it does not, which SC has not.
type promise struct {
	kind          core.Kind
	keeps, breaks model.Model
}

var promises = []promise{
	{core.InOrder, model.SC, model.Model{}},
	{core.TSO, model.TSO, model.SC},
	{core.OOO, model.TSO, model.SC},
	{core.PSO, model.PSO, model.TSO},
	{core.RMO, model.RMO, model.PSO},
}

// subject is a machine under test with the random programs that it runs.
type subject struct {
	promise
	runner  *builtin.Runner
	program gen.Options
	rounds  int
}

// newSubject makes a machine with a promise's kind of core.
func newSubject(t testing.TB, p promise, machine builtin.Options) *subject {
	t.Helper()
	machine.Core = p.kind
	r, err := builtin.New(machine)
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{promise: p, runner: r, program: gen.Defaults(), rounds: 3}
	s.program.Ops = 60
	s.program.Mix = gen.Mix{Load: 45, Store: 40, Exchange: 5, Add: 5, Fence: 5}
	return s
}

// programOf is the random program of a seed.
func (s *subject) programOf(t testing.TB, seed uint64) *gen.Program {
	t.Helper()
	o := s.program
	if seed%2 == 1 {
		o.Locality = 0
	}
	p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs the random program of a seed. The error says why the run failed, or
// which model forbids its history.
func (s *subject) run(t testing.TB, seed uint64) (*parse.History, builtin.Report, error) {
	t.Helper()
	p := s.programOf(t, seed)
	report, err := s.runner.Simulate(t.Context(), sim.Job{Program: p, Rounds: s.rounds, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	if report.Outcome != sim.Passed {
		return nil, report, fmt.Errorf("%s: %s\n%s", report.Outcome, report.Title, report.Detail)
	}
	h, err := parse.Native(p, s.rounds, report.Log)
	if err != nil {
		return nil, report, err
	}
	if verdict(t, h, s.keeps, "") != check.Allowed {
		return h, report, errors.New("forbidden by " + s.keeps.Name)
	}
	if p.CountAgents(gen.AgentDMA) > 0 { // the log has no order of stores
		return h, report, nil
	}
	if s.keeps.Rules == nil && verdict(t, h, s.keeps, "conflict") != check.Allowed {
		return h, report, errors.New("forbidden by " + s.keeps.Name + " with the store order of the log")
	}
	return h, report, storeOrderFits(h)
}

// pass runs seeds, all of which must pass, and counts the histories that the
// next stronger model forbids. Each run is reported to onRun, if not nil.
func (s *subject) pass(t testing.TB, seeds uint64, onRun func(*parse.History, builtin.Report)) (broken int) {
	t.Helper()
	for seed := range seeds {
		h, report, err := s.run(t, seed)
		if err != nil {
			t.Fatalf("%s cores, %+v, seed %d: %v", s.kind, s.program, seed, err)
		}
		if s.breaks.Name != "" && verdict(t, h, s.breaks, "") == check.Forbidden {
			broken++
		}
		if onRun != nil {
			onRun(h, report)
		}
	}
	return broken
}

// verdict checks a history by the named procedure; empty means the default.
func verdict(t testing.TB, h *parse.History, m model.Model, procedure string) check.Answer {
	t.Helper()
	v, err := check.Check(t.Context(), h, m, check.Options{Procedure: procedure})
	if err != nil {
		t.Fatal(err)
	}
	if v.Answer == check.Unknown {
		t.Fatalf("%s is undecided: %s", m.Name, v.Reason)
	}
	return v.Answer
}

// storeOrderFits checks the store order against what it must agree with in
// every model: a read-modify-write reads the write before it, and the last
// write is the final value.
func storeOrderFits(h *parse.History) error {
	if h.StoreOrder == nil || h.Final == nil {
		return errors.New("the log has no store order or no final values")
	}
	for loc, order := range h.StoreOrder {
		last := parse.Init
		for _, id := range order {
			if op := &h.Ops[id]; op.Kind == parse.RMW && op.RF != last {
				return fmt.Errorf("location %d: read-modify-write %d reads from %d and follows %d", loc, id, op.RF, last)
			}
			last = id
		}
		if h.Final[loc] != last {
			return fmt.Errorf("location %d: the last write is %d, the final value is that of %d", loc, last, h.Final[loc])
		}
	}
	return nil
}
