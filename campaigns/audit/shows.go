package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/sim"
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
	same := func(title string) bool { return title == f.Title }
	failures, _, _, err := Again(ctx, m, nil, f, same)
	return slices.ContainsFunc(failures, func(x sim.Failure) bool { return same(x.Title()) }), err
}

// Again makes the exploration or the runs of a finding on another machine: the run
// itself, and others of the same program. It returns what failed, each title
// once, the rows that failing runs took, and the number of runs. A title with which
// enough is shown ends it. Runs are of the protocol, if it is not nil, which must be what the machine's
// files, repair and mutant compile to.
func Again(ctx context.Context, m config.Machine, protocol *ruby.Protocol, f *Finding, enough func(title string) bool) (failures []sim.Failure, taken sim.Coverage, runs int, err error) {
	if f.Explore != nil {
		r, err := Explored(ctx, m, f.Explore)
		if err != nil {
			return nil, nil, 0, err
		}
		for i := range r.Findings {
			failures = append(failures, r.Findings[i].Failure)
		}
		return failures, r.Coverage, 1, nil
	}
	err = Repeat(ctx, m, protocol, f, func(res *run.Evaluation, _ uint64) bool {
		runs++
		title := res.FindingTitle()
		if !res.Failed() || slices.ContainsFunc(failures, func(x sim.Failure) bool { return x.Title() == title }) {
			return true
		}
		failures = append(failures, res.Failure.Failure)
		taken.Add(res.Coverage)
		return !enough(title)
	})
	if err != nil {
		return nil, nil, 0, err
	}
	return failures, taken, runs, nil
}

// Repeat makes the runs of a finding that is not of an exploration, from its seed on and until next, which is called with
// what each showed and with its number of events, returns false. The rest is as for Again.
func Repeat(ctx context.Context, m config.Machine, protocol *ruby.Protocol, f *Finding, next func(res *run.Evaluation, events uint64) bool) error {
	on, err := compiled(&m, protocol)
	if err != nil {
		return err
	}
	p, err := gen.Parse("finding", []byte(f.Program))
	if err != nil {
		return fmt.Errorf("program of %q: %w", f.Title, err)
	}
	for i := range uint64(ShowTries) {
		job := sim.Job{Program: p, Rounds: f.Rounds, Seed: f.Seed + i, Timeout: runTime}
		res, events, err := evaluateRun(ctx, on, job, &m)
		if err != nil {
			return err
		}
		if !next(res, events) {
			break
		}
	}
	return nil
}

// Titles are the titles of failures.
func Titles(failures []sim.Failure) []string {
	titles := make([]string, len(failures))
	for i := range failures {
		titles[i] = failures[i].Title()
	}
	return titles
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
