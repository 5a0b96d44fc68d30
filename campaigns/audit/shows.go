package audit

import (
	"context"
	"errors"
	"fmt"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/exploration"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
)

// showTries is how many seeds another protocol gets to show a finding.
const showTries = 5

// Shows reports whether another protocol shows a finding on the same machine: in the
// same exploration, or in runs of the same program. The error says why the
// protocol cannot be simulated.
func Shows(ctx context.Context, slicc string, f *Finding) (bool, error) {
	m := f.Machine
	m.SLICC, m.Protocol = slicc, ""
	if f.Explore != nil {
		r, err := exploration.Run(ctx, &exploration.Spec{Machine: m, Explore: *f.Explore}, exploration.Options{Workers: 1})
		if err != nil || ctx.Err() != nil {
			return false, errors.Join(err, ctx.Err())
		}
		for i := range r.Findings {
			if r.Findings[i].Title == f.Title {
				return true, nil
			}
		}
		return false, nil
	}
	on, err := execute.NewRunner(config.SimBuiltin, &config.Config{Machine: m})
	if err != nil {
		return false, err
	}
	p, err := gen.Parse("finding", []byte(f.Program))
	if err != nil {
		return false, fmt.Errorf("program of %q: %w", f.Title, err)
	}
	for i := range uint64(showTries) {
		job := sim.Job{Program: p, Rounds: f.Rounds, Seed: f.Seed + i, Timeout: runTime}
		res, _, err := run(ctx, on.(*builtin.Runner), job, &m)
		if err != nil {
			return false, err
		}
		if res.Failed() && res.FindingTitle() == f.Title {
			return true, nil
		}
	}
	return false, nil
}
