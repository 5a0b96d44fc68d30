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
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/types"
)

// choose lists the mutants to measure.
func (r *runner) choose(p *mutate.Catalogue) []mutate.Mutant {
	var list []mutate.Mutant
	for _, m := range p.Mutants() {
		if r.o.Accept == nil || r.o.Accept(&m) {
			list = append(list, m)
		}
	}
	if r.o.Sample == 0 || r.o.Sample >= len(list) {
		return list
	}
	picked := rand.New(rand.NewPCG(r.o.Seed, 0x6b696c6c)).Perm(len(list))[:r.o.Sample]
	slices.Sort(picked)
	sample := make([]mutate.Mutant, len(picked))
	for i, at := range picked {
		sample[i] = list[at]
	}
	return sample
}

// protocol knows which transitions an action is part of.
type protocol struct {
	rows map[[2]string][]Row // by machine and action
}

func newProtocol(c *mutate.Catalogue) (*protocol, error) {
	checked, err := c.Protocol()
	if err != nil {
		return nil, err
	}
	p := &protocol{map[[2]string][]Row{}}
	for _, m := range checked.Machines {
		for _, tr := range m.Transitions {
			for _, a := range tr.Actions {
				if !tr.Stall || a.Name == types.StallAction {
					key := [2]string{m.Name, a.Name}
					p.rows[key] = append(p.rows[key], Row{m.Name, m.State.Enums[tr.State].Name, m.Event.Enums[tr.Event].Name})
				}
			}
		}
	}
	return p, nil
}

// of lists the transitions that a mutant is of; nil for one of a port or a
// function, which any transition may depend on.
func (p *protocol) of(m *mutate.Mutant) []Row {
	if m.State != "" {
		return []Row{{m.Machine, m.State, m.Event}}
	}
	return p.rows[[2]string{m.Machine, m.Place}]
}

// equivalent is why a kind of core cannot detect a mutant; empty if it may.
func equivalent(m *mutate.Mutant, k core.Kind) string {
	if m.Equivalent != "" {
		return m.Equivalent
	}
	if m.Evictions && k != core.OOO {
		return fmt.Sprintf("%s cores do not look at evictions", k)
	}
	return ""
}

// measure runs a mutant under one kind of core.
func (r *runner) measure(ctx context.Context, p *mutate.Catalogue, of *protocol, base *baseline, m *mutate.Mutant) (*Result, error) {
	res := &Result{
		Protocol: base.target.Name, Mutant: m.ID, Operator: m.Operator, Core: base.kind.String(), Equivalent: equivalent(m, base.kind), Taken: -1,
	}
	if res.Equivalent != "" && !r.o.Equivalent {
		return res, nil
	}
	rows := of.of(m)
	if rows != nil {
		res.Taken = base.taken(rows)
	}
	on, err := base.on(p.Tree(*m))
	if err == nil {
		_, err = on.get(0)
	}
	if err != nil {
		res.Error = err.Error()
		return res, nil
	}
	res.Same = true
	for s := range base.seeds {
		trial, same, err := base.trial(ctx, on, base.seeds[s], rows)
		if err != nil {
			return nil, err
		}
		res.Seeds = append(res.Seeds, trial)
		res.Same = res.Same && same
	}
	return res, nil
}

// taken counts how often the protocol takes transitions.
func (b *baseline) taken(rows []Row) int64 {
	n := int64(0)
	for _, runs := range b.seeds {
		for i := range runs {
			for _, row := range rows {
				n += runs[i].taken[row]
			}
		}
	}
	return n
}

// trial runs a mutant of some transitions, nil for any, on the programs of
// one seed until something fails. It also reports whether every run was that
// of the protocol.
func (b *baseline) trial(ctx context.Context, on *machines, runs []plainRun, rows []Row) (Trial, bool, error) {
	start := time.Now()
	var t Trial
	same, made := true, 0
	for i := range runs {
		run := &runs[i]
		if b.runs > 0 && made == b.runs {
			break
		}
		t.Ops += run.ops
		if rows != nil && !slices.ContainsFunc(rows, func(row Row) bool { return run.taken[row] > 0 }) {
			continue // until it takes one of them, the mutant is the protocol
		}
		made++
		report, came, err := b.run(ctx, on, run)
		if err != nil {
			return t, false, err
		}
		if came.Outcome == sim.Infra {
			return t, false, fmt.Errorf("run %d: %s: %s", i, came.Title, came.Detail)
		}
		same = same && report.Statistics.Hash == run.hash && sha256.Sum256(report.Log) == run.log
		if came.Outcome != sim.Passed {
			t.Killed, t.By, t.Title, t.Generator, t.Machine = true, came.Outcome.String(), came.Title, run.generator, run.machine
			break
		}
	}
	t.Elapsed = time.Since(start)
	return t, same && !t.Killed, nil
}
