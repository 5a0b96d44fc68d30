package gem5

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// runMutant runs jobs while the mutant is in place. A mutant that does not
// build or cannot be applied gives outcome Infra for every job.
func (r *Runner) runMutant(ctx context.Context, w work) ([]sim.Result, error) {
	if held, err := r.held(ctx); err != nil {
		return nil, err
	} else if held {
		return r.launchAll(ctx, w)
	}
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

// heldKey is the key of a *heldTree in a context.
type heldKey struct{}

// heldTree is a tree that has changes in place.
type heldTree struct {
	dir     string
	changes []tree.Change
}

// Hold calls do while the mutant of the runner is in place, which is built once:
// runs with do's context on this and other runners of the same tree and mutant find
// it there, instead of building it for each batch. Without a mutant it only calls do.
// The error is do's, or says why the tree cannot be changed or restored.
func (r *Runner) Hold(ctx context.Context, do func(ctx context.Context) error) error {
	if len(r.options.Mutation.Changes) == 0 {
		return do(ctx)
	}
	if _, err := r.identify(ctx); err != nil {
		return err
	}
	return r.tree().With(ctx, r.options.Mutation.Changes, func(ctx context.Context, _ string) error {
		return do(context.WithValue(ctx, heldKey{}, &heldTree{r.options.Tree, r.options.Mutation.Changes}))
	})
}

// held reports whether the mutant of the runner is in place for runs with a context.
// That another one of the tree is would have them wait for ever: an error.
func (r *Runner) held(ctx context.Context) (bool, error) {
	held, ok := ctx.Value(heldKey{}).(*heldTree)
	if !ok || held.dir != r.options.Tree {
		return false, nil
	}
	same := func(a, b tree.Change) bool { return a.File == b.File && bytes.Equal(a.Contents, b.Contents) }
	if !slices.EqualFunc(held.changes, r.options.Mutation.Changes, same) {
		return false, fmt.Errorf("tree %s has another mutant in place", held.dir)
	}
	return true, nil
}
