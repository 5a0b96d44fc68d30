package gem5

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"ordeal/sim"
	"ordeal/sim/gem5/tree"
)

// Mutation has the runner change the source tree, rebuild the binary, run, and
// restore both, for each batch: so large batches are best. Of the build
// system's files only the binary is restored; the others are the mutant's until
// the next build.
type Mutation struct {
	// Changes are the files that change; none means no mutation.
	Changes []tree.Change
	// Rebuild is the user's own command that builds Options.Binary, run in
	// Options.Tree.
	Rebuild []string
	// Timeout bounds the rebuilding; 0 means DefaultRebuild.
	Timeout time.Duration
}

// DefaultRebuild bounds the rebuilding of a mutant.
const DefaultRebuild = 3 * time.Hour

// ProtocolFile is the path, from the root of a gem5 tree, of a file of its
// protocols.
func ProtocolFile(name string) string { return filepath.Join("src/mem/ruby/protocol", name) }

// runMutant runs jobs while the mutant is in place. A mutant that does not
// build or cannot be applied gives outcome Infra for every job.
func (r *Runner) runMutant(ctx context.Context, w work) ([]sim.Result, error) {
	var results []sim.Result
	var runErr error
	err := r.tree().With(ctx, r.options.Mutation.Changes, func(ctx context.Context, _ string) error {
		results, runErr = r.launchAll(ctx, w)
		return nil
	})
	if ctx.Err() != nil {
		// A tree that could not be restored matters more than the cancellation.
		return nil, errors.Join(context.Cause(ctx), err)
	}
	if runErr != nil {
		return nil, errors.Join(runErr, err)
	}
	if err != nil {
		failed := sim.Result{Outcome: sim.Infra, Title: "the mutant could not be applied", Detail: err.Error()}
		if build, ok := errors.AsType[*tree.BuildError](err); ok {
			failed.Title, failed.Detail = "the mutant does not build", build.Error()
		}
		return slices.Repeat([]sim.Result{failed}, len(w.jobs)), nil
	}
	return results, nil
}
