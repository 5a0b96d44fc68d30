package gem5

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"ordeal/sim"
	"ordeal/sim/gem5/tree"
)

// Mutation has the runner change the source tree, rebuild the binary, run, and
// put both back, for each launch of a batch: so a campaign wants large ones.
// The binary is as before after the run, but the build system's other files
// are those of the mutant until it notices that the sources have changed
// again.
type Mutation struct {
	// Changes are the files that change. None means that nothing is mutated.
	Changes []tree.Change
	// Rebuild is the user's own command that builds Options.Binary, run in
	// Options.Tree.
	Rebuild []string
	// Timeout bounds the rebuilding; 0 means DefaultRebuild.
	Timeout time.Duration
}

// DefaultRebuild bounds the rebuilding of a mutant.
const DefaultRebuild = 3 * time.Hour

// protocolFolder is where a gem5 tree keeps its protocols.
const protocolFolder = "src/mem/ruby/protocol"

// ProtocolFile is the path, from the root of a gem5 tree, of a file of its
// protocols.
func ProtocolFile(name string) string { return filepath.Join(protocolFolder, name) }

// withMutant calls run while the mutant is in place. A mutant that does not
// build, or that cannot be planted, is infrastructure trouble of every job.
func (r *Runner) withMutant(ctx context.Context, jobs []sim.Job, run func(context.Context) ([]sim.Result, error)) ([]sim.Result, error) {
	m := &r.options.Mutation
	timeout := m.Timeout
	if timeout == 0 {
		timeout = DefaultRebuild
	}
	t := tree.Tree{Dir: r.options.Tree, Binary: r.options.Binary, Rebuild: m.Rebuild, Timeout: timeout}
	var results []sim.Result
	var runErr error
	err := t.With(ctx, m.Changes, func(ctx context.Context, _ string) error {
		results, runErr = run(ctx)
		return nil
	})
	switch build := (*tree.BuildError)(nil); {
	case ctx.Err() != nil:
		// What could not be put back matters more than the interruption.
		return nil, errors.Join(fmt.Errorf("run on gem5: %w", context.Cause(ctx)), err)
	case runErr != nil:
		return nil, errors.Join(runErr, err)
	case errors.As(err, &build):
		return same(infra("the mutant does not build"), build.Error(), len(jobs)), nil
	case err != nil:
		return same(infra("the mutant could not be planted"), err.Error(), len(jobs)), nil
	}
	return results, nil
}

// same is one result for each of n jobs.
func same(result sim.Result, detail string, n int) []sim.Result {
	result.Detail = detail
	results := make([]sim.Result, n)
	for i := range results {
		results[i] = result
	}
	return results
}
