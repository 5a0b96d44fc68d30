// Package mutation measures how good tests are: it runs programs on mutants of
// coherence protocols and reports which mutants fail, with which outcome and
// after how many operations. It does the same for the catalogue of known bugs.
//
// A mutant of one transition behaves as the protocol does until that transition
// is taken. Runs in which the protocol does not take it are therefore those of
// the mutant, event for event, and are not repeated.
package mutation

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/config"
	"ordeal/campaigns/lab"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
)

// Options of Run.
type Options struct {
	Targets []Target
	Cores   []core.Kind
	// Accept chooses mutants; nil means all.
	Accept func(*mutate.Mutant) bool
	// Sample bounds the mutants of each target, drawn by Seed; 0 means all.
	Sample int
	Seed   uint64
	// Equivalent also runs the mutants known to be equivalent, to test that
	// knowledge.
	Equivalent bool
	// Each mutant gets Budget operations for each kind of core and seed, and
	// Seeds seeds. Runs bounds the runs executed for that, without those that
	// cannot differ from the protocol's; 0 means no bound.
	Budget, Seeds, Runs int
	// Generators make the programs, in turn.
	Generators []config.Programs
	// Machines are simulated in turn, with the protocol and core replaced; none
	// means the default.
	Machines []config.Machine
	Workers  int // 0: one for each processor
	// Stored are the results of earlier runs with the same options, which are
	// not measured again, and those of this run; nil: nothing is stored.
	Stored *lab.Results[Result]
	// OnResult is called with every result, one at a time, in the order in
	// which they are measured. Nil means no callback.
	OnResult func(Result)
	// OnTarget is called before the mutants of a target are measured, with how many
	// results it has. Nil means no callback.
	OnTarget func(t *Target, results int)
	_        struct{}
}

// Result is that of one mutant with one kind of core.
type Result struct {
	Protocol   string          `json:"protocol"`
	Mutant     string          `json:"mutant"`
	Operator   mutate.Operator `json:"operator"`
	Core       string          `json:"core"`
	Equivalent string          `json:"equivalent,omitempty"` // the reason, where it is known to be
	// Seeds has an entry for each seed; empty for equivalent mutants that are
	// not run.
	Seeds []Trial `json:"seeds,omitempty"`
	// Taken counts how often the protocol takes the mutated transitions in
	// the runs of all seeds; -1 for a mutant of a port or a function.
	Taken int64 `json:"taken"`
	// Same reports that no run of a survivor differed from that of the protocol
	// in any event or value.
	Same bool `json:"same,omitempty"`
	// Error is the reason why the mutant could not be run.
	Error string `json:"error,omitempty"`
}

// Trial is the result of one seed.
type Trial struct {
	Killed bool `json:"killed"`
	// By and Title are the outcome and title of the run that failed.
	By    string `json:"by,omitempty"`
	Title string `json:"title,omitempty"`
	// Ops counts the operations, the run that failed included.
	Ops     int           `json:"ops"`
	Elapsed time.Duration `json:"elapsed_ns"` // wall time
}

// ErrBaseline means that a protocol fails without a mutant.
var ErrBaseline = errors.New("the protocol itself fails")

// Run measures all mutants. The results are in the order of targets, mutants
// and cores. With an error, that of ctx included, it returns what was measured before.
func Run(ctx context.Context, o Options) ([]Result, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if len(o.Machines) == 0 {
		o.Machines = []config.Machine{{}}
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return each(ctx, o.Targets, (&matrix{o: o}).target)
}

// each joins the results of the targets, with an error those before.
func each[R any](ctx context.Context, targets []Target, results func(context.Context, *Target) ([]R, error)) (all []R, err error) {
	for i := 0; i < len(targets) && err == nil; i++ {
		var list []R
		list, err = results(ctx, &targets[i])
		all = append(all, list...)
	}
	return all, err
}

func (o *Options) validate() error {
	var errs []error
	for _, n := range []struct {
		name  string
		value int
	}{{"budget", o.Budget}, {"seeds", o.Seeds}, {"cores", len(o.Cores)}, {"generators", len(o.Generators)}, {"runs", o.Runs + 1}} {
		if n.value < 1 {
			errs = append(errs, fmt.Errorf("%s %d: want at least 1", n.name, n.value))
		}
	}
	for i := range o.Generators {
		errs = append(errs, o.Generators[i].Validate())
	}
	return errors.Join(errs...)
}

// matrix measures mutants.
type matrix struct{ o Options }

// target measures the mutants of one protocol, several at a time.
func (m *matrix) target(ctx context.Context, t *Target) ([]Result, error) {
	catalogue, transitions, err := t.read()
	if err != nil {
		return nil, err
	}
	list := m.choose(catalogue)
	if m.o.OnTarget != nil {
		m.o.OnTarget(t, len(list)*len(m.o.Cores))
	}
	baselines, err := m.baselines(ctx, t)
	if err != nil {
		return nil, err
	}
	depends, err := m.o.depends(t)
	if err != nil {
		return nil, err
	}
	results, err := lab.Run(ctx, m.o.Workers, list, func(ctx context.Context, mutant mutate.Mutant) (results []Result, err error) {
		compile := sync.OnceValues(func() (*ruby.Protocol, error) { return ruby.Compile(catalogue.Tree(mutant)) })
		for _, base := range baselines {
			c := lab.Case{Name: mutant.ID + " on " + base.kind.String(), Depends: depends}
			res, err := m.o.Stored.Do(c, func() (Result, error) {
				if err := ctx.Err(); err != nil {
					return Result{}, err
				}
				return m.measure(ctx, transitions, base, &mutant, compile)
			})
			if err != nil {
				return nil, err
			}
			results = append(results, res)
		}
		return results, nil
	}, func(results []Result) {
		for _, r := range results {
			if m.o.OnResult != nil {
				m.o.OnResult(r)
			}
		}
	})
	return slices.Concat(results...), err
}

// baselines executes the runs of the protocol with each kind of core.
func (m *matrix) baselines(ctx context.Context, t *Target) ([]*baseline, error) {
	protocol, err := ruby.Compile(t.Tree)
	if err != nil {
		return nil, err
	}
	list := make([]*baseline, len(m.o.Cores))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(m.o.Workers)
	for i, k := range m.o.Cores {
		group.Go(func() error {
			var err error
			list[i], err = m.baseline(ctx, t, k, protocol)
			return err
		})
	}
	return list, group.Wait()
}
