package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/config"
	"ordeal/campaigns/place"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/ruby"
)

// ShowTries is how many seeds another protocol gets to show a finding.
const ShowTries = 20

// Shows reports whether another protocol shows a finding on the same machine: in the
// same exploration, or in runs of the same program. The error says why the
// protocol cannot be simulated.
func Shows(ctx context.Context, slicc string, f *Finding) (bool, error) {
	m := f.Machine
	m.SLICC, m.Protocol = slicc, ""
	here := f.Machine.SLICC
	same := func(title string) bool {
		if here == "" {
			return Same(title, f.Title)
		}
		return place.Texts(slicc, title) == place.Texts(here, f.Title)
	}
	titles, _, _, err := Again(ctx, m, nil, f, same)
	return slices.ContainsFunc(titles, same), err
}

// Again makes the exploration or the runs of a finding on another machine: the run
// itself, and others of the same program. It returns the titles of what failed, each
// once, the rows that failing runs took, and the number of runs. A title with which
// enough is shown ends it. Runs are of the protocol, if it is not nil, which must be what the machine's
// files, repair and mutant compile to.
func Again(ctx context.Context, m config.Machine, protocol *ruby.Protocol, f *Finding, enough func(title string) bool) (titles []string, taken sim.Coverage, runs int, err error) {
	if f.Explore != nil {
		r, err := Explored(ctx, m, f.Explore)
		if err != nil {
			return nil, nil, 0, err
		}
		for i := range r.Findings {
			titles = append(titles, r.Findings[i].Title)
		}
		return titles, r.Coverage, 1, nil
	}
	on, err := of(&m, protocol)
	if err != nil {
		return nil, nil, 0, err
	}
	p, err := gen.Parse("finding", []byte(f.Program))
	if err != nil {
		return nil, nil, 0, fmt.Errorf("program of %q: %w", f.Title, err)
	}
	for i := range uint64(ShowTries) {
		job := sim.Job{Program: p, Rounds: f.Rounds, Seed: f.Seed + i, Timeout: runTime}
		res, _, err := evaluateRun(ctx, on, job, &m)
		if err != nil {
			return nil, nil, 0, err
		}
		runs++
		if title := res.FindingTitle(); res.Failed() && !slices.Contains(titles, title) {
			titles = append(titles, title)
			taken.Add(res.Coverage)
			if enough(title) {
				break
			}
		}
	}
	return titles, taken, runs, nil
}

// Explored is what the exploration of a machine shows.
func Explored(ctx context.Context, m config.Machine, e *config.Explore) (r *exploration.Result, err error) {
	err = run.Guarded(func() (err error) {
		r, err = exploration.Run(ctx, &exploration.Spec{Machine: m, Explore: *e}, exploration.Options{Workers: 1})
		return err
	})
	if err != nil || ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	return r, nil
}

// of is the simulator of a machine, with a protocol that is compiled already unless it is nil.
func of(m *config.Machine, protocol *ruby.Protocol) (*builtin.Runner, error) {
	if protocol != nil {
		return compiled(m, protocol)
	}
	on, err := run.NewRunner(config.SimBuiltin, &config.Config{Machine: *m})
	if err != nil {
		return nil, err
	}
	return on.(*builtin.Runner), nil
}
