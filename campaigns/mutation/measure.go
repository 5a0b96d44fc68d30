package mutation

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/types"
)

// choose lists the mutants to measure.
func (m *matrix) choose(c *mutate.Catalogue) []mutate.Mutant {
	var list []mutate.Mutant
	for _, mutant := range c.Mutants() {
		if m.o.Accept == nil || m.o.Accept(&mutant) {
			list = append(list, mutant)
		}
	}
	if m.o.Sample == 0 || m.o.Sample >= len(list) {
		return list
	}
	picked := rand.New(rand.NewPCG(m.o.Seed, 0x6b696c6c)).Perm(len(list))[:m.o.Sample]
	slices.Sort(picked)
	sample := make([]mutate.Mutant, len(picked))
	for i, at := range picked {
		sample[i] = list[at]
	}
	return sample
}

// transitions lists those of a protocol that an action is part of, by machine
// and action.
type transitions map[[2]string][]sim.Row

// read lists the mutants of a protocol and the transitions of its actions.
func (t *Target) read() (*mutate.Catalogue, transitions, error) {
	c, err := mutate.NewCatalogue(t.Tree)
	if err != nil {
		return nil, nil, err
	}
	checked, err := c.Protocol()
	if err != nil {
		return nil, nil, err
	}
	x := transitions{}
	for _, m := range checked.Machines {
		for _, tr := range m.Transitions {
			for _, a := range tr.Actions {
				if !tr.Stall || a.Name == types.StallAction {
					key := [2]string{m.Name, a.Name}
					x[key] = append(x[key], sim.Row{Machine: m.Name, State: m.State.Enums[tr.State].Name, Event: m.Event.Enums[tr.Event].Name})
				}
			}
		}
	}
	return c, x, nil
}

// of lists the transitions that a mutant changes; nil for a mutant of a port or a
// function, which any transition may depend on.
func (x transitions) of(m *mutate.Mutant) []sim.Row {
	if m.State != "" {
		return []sim.Row{{Machine: m.Machine, State: m.State, Event: m.Event}}
	}
	return x[[2]string{m.Machine, m.Place}]
}

// equivalent returns the reason why no test with a kind of core can kill a
// mutant, or "".
func equivalent(m *mutate.Mutant, k core.Kind) string {
	if m.Equivalent != "" {
		return m.Equivalent
	}
	if m.Evictions && k != core.OOO {
		return fmt.Sprintf("%s cores ignore evictions", k)
	}
	return ""
}

// measure runs a mutant with one kind of core.
func (m *matrix) measure(
	ctx context.Context, x transitions, base *baseline, mutant *mutate.Mutant, compile func() (*ruby.Protocol, error),
) (Result, error) {
	res := Result{
		Protocol: base.target.Name, Mutant: mutant.ID, Operator: mutant.Operator, Core: base.kind.String(),
		Equivalent: equivalent(mutant, base.kind), Taken: -1,
	}
	if res.Equivalent != "" && !m.o.Equivalent {
		return res, nil
	}
	rows := x.of(mutant)
	if rows != nil {
		res.Taken = base.taken(rows)
	}
	protocol, err := compile()
	on := base.machines(protocol)
	if err == nil {
		_, err = on.get(0)
	}
	if err != nil {
		res.Error = err.Error()
		return res, nil
	}
	res.Same = true
	for _, runs := range base.seeds {
		trial, same, err := m.trial(ctx, on, runs, rows)
		if err != nil {
			return res, fmt.Errorf("mutant %s on %s cores: %w", mutant.ID, base.kind, err)
		}
		res.Seeds = append(res.Seeds, trial)
		res.Same = res.Same && same
	}
	return res, nil
}

// trial runs a mutant of some transitions, nil for any, on the programs of
// one seed until a run fails. It also reports whether every run was that of the
// protocol.
func (m *matrix) trial(ctx context.Context, on *machines, runs []baselineRun, rows []sim.Row) (t Trial, same bool, err error) {
	start := time.Now()
	same = true
	executed := 0
	for i := range runs {
		run := &runs[i]
		if m.o.Runs > 0 && executed == m.o.Runs {
			break
		}
		t.Ops += run.ops
		if rows != nil && !slices.ContainsFunc(rows, func(row sim.Row) bool { return run.taken[row] > 0 }) {
			continue // until it takes one of them, the mutant is the protocol
		}
		executed++
		report, res, err := on.run(ctx, run)
		if err != nil {
			return t, false, fmt.Errorf("run %d: %w", i, err)
		}
		if res.Outcome != sim.Passed {
			t.Killed, t.By, t.Title = true, res.Outcome.String(), res.Title
			break
		}
		same = same && report.Statistics.Hash == run.hash && sha256.Sum256(report.Log) == run.log
	}
	t.Elapsed = time.Since(start)
	return t, same && !t.Killed, nil
}
