package shrink

import (
	"context"

	"ordeal/campaigns/engine"
	"ordeal/campaigns/rundir"
)

// Automatic is a Reducer for the run loop of campaigns. Command is the command
// line, for the record of the reduced run.
func Automatic(command []string) engine.Reducer {
	return func(ctx context.Context, job engine.ReduceJob) (*rundir.Reduction, error) {
		r, err := Run(ctx, job.Dir, Options{Time: job.Time, CheckTimeout: job.CheckTimeout, Runner: job.Runner})
		if err != nil {
			return nil, err
		}
		if err := r.Write(ctx, job.Out, command); err != nil {
			return nil, err
		}
		return &rundir.Reduction{
			Before: r.Before, After: r.After, Threads: len(r.Program.Threads), Rounds: r.Record.Config.Rounds,
			Hits: r.Hits, Tries: r.Tries, Minimal: r.Minimal, Elapsed: r.Elapsed,
		}, nil
	}
}
