// Package mutation measures how good tests are: it plants mutants in coherence
// protocols, runs programs on them and sees which are noticed, by what and
// after how many operations.
//
// A mutant of one transition does what the protocol does until that transition
// is taken. Runs in which the protocol does not take it are therefore those of
// the mutant, event for event, and are not made again.
package mutation

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/config"
	"ordeal/sim/builtin/core"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/syntax"
)

// Target is a protocol to mutate.
type Target struct {
	// Name is that of --protocol, or of a file.
	Name string
	Tree *syntax.File
}

// Row names a transition.
type Row struct{ Machine, State, Event string }

// Options steer Run.
type Options struct {
	Targets []Target
	Cores   []core.Kind
	// Accept chooses mutants; nil means all.
	Accept func(*mutate.Mutant) bool
	// Sample bounds the mutants of each target, drawn by Seed; 0 means all.
	Sample int
	Seed   uint64
	// Equivalent also runs the mutants known to be equivalent, as a test of
	// that knowledge.
	Equivalent bool
	// Budget is how many operations a mutant gets under one core and seed,
	// Seeds how often it gets them. Runs bounds the runs made for that: those
	// in which the protocol does not take the mutated transition need not be
	// made; 0 means no bound.
	Budget, Seeds, Runs int
	// Generators make the programs, one after the other.
	Generators []config.Programs
	// Machines are what is simulated, apart from protocol and core, one after
	// the other; none means the default.
	Machines []config.Machine
	Workers  int // 0: one for each processor
	// Done holds results of an earlier, interrupted run with the same
	// options: they are not measured again.
	Done []Result
	// Each is told of every new result, one at a time.
	Each func(Result) error
	_    struct{}
}

// Result is what came of one mutant under one kind of core.
type Result struct {
	Protocol   string          `json:"protocol"`
	Mutant     string          `json:"mutant"`
	Operator   mutate.Operator `json:"operator"`
	Core       string          `json:"core"`
	Equivalent string          `json:"equivalent,omitempty"` // why, where that is known
	// Seeds has an entry for each seed; empty for equivalent mutants unless
	// they are run, too.
	Seeds []Trial `json:"seeds,omitempty"`
	// Taken counts how often the protocol takes the mutated transitions in
	// the runs of all seeds; -1 where the mutant is of no transition.
	Taken int64 `json:"taken"`
	// Same says that no run of a survivor differed from that of the protocol
	// in any event or value.
	Same bool `json:"same,omitempty"`
	// Error says why the mutant could not be run.
	Error string `json:"error,omitempty"`
}

// Trial is what came of one seed.
type Trial struct {
	Killed bool `json:"killed"`
	// By is the outcome that killed the mutant, Title what it says.
	By    string `json:"by,omitempty"`
	Title string `json:"title,omitempty"`
	// Ops is how many operations were run, those of the run that failed
	// included.
	Ops int `json:"ops"`
	// Generator and Machine are the places in Options of what made the run
	// that failed.
	Generator int           `json:"generator,omitempty"`
	Machine   int           `json:"machine,omitempty"`
	Elapsed   time.Duration `json:"elapsed_ns"` // of this process
}

// Killed tells whether some seed killed the mutant.
func (r *Result) Killed() bool {
	for _, t := range r.Seeds {
		if t.Killed {
			return true
		}
	}
	return false
}

// ErrBaseline says that a protocol fails without any mutant.
var ErrBaseline = errors.New("the protocol itself fails")

// Run measures all mutants. The results are in the order of targets, mutants
// and cores; those of Options.Done are among them. With an error, that of ctx
// included, it returns what was measured before.
func Run(ctx context.Context, o Options) ([]Result, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if len(o.Machines) == 0 {
		o.Machines = []config.Machine{{}}
	}
	r := &runner{o: o, done: map[[3]string]*Result{}}
	for i := range o.Done {
		d := &o.Done[i]
		r.done[[3]string{d.Protocol, d.Mutant, d.Core}] = d
	}
	var all []Result
	for i := range o.Targets {
		results, err := r.target(ctx, &o.Targets[i])
		all = append(all, results...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
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

// runner measures mutants.
type runner struct {
	o    Options
	done map[[3]string]*Result
}

// target measures the mutants of one protocol.
func (r *runner) target(ctx context.Context, t *Target) ([]Result, error) {
	p, err := mutate.NewCatalogue(t.Tree)
	if err != nil {
		return nil, err
	}
	list := r.choose(p)
	protocol, err := newProtocol(p)
	if err != nil {
		return nil, err
	}
	var all []Result
	for _, k := range r.o.Cores {
		base, err := r.baseline(ctx, t, k)
		if err != nil {
			return all, err
		}
		results, err := r.core(ctx, p, protocol, base, list)
		all = append(all, results...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// core measures mutants under one kind of core, several at a time.
func (r *runner) core(ctx context.Context, p *mutate.Catalogue, protocol *protocol, base *baseline, list []mutate.Mutant) ([]Result, error) {
	results := make([]*Result, len(list))
	group, ctx := errgroup.WithContext(ctx)
	workers := r.o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	next := make(chan int)
	fresh := make(chan *Result)
	group.Go(func() error {
		defer close(next)
		for i := range list {
			if d := r.done[[3]string{base.target.Name, list[i].ID, base.kind.String()}]; d != nil {
				results[i] = d
				continue
			}
			select {
			case next <- i:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	var working errgroup.Group
	for range workers {
		working.Go(func() error {
			for i := range next {
				res, err := r.measure(ctx, p, protocol, base, &list[i])
				if err != nil {
					return err
				}
				results[i] = res
				fresh <- res
			}
			return nil
		})
	}
	group.Go(func() error {
		defer close(fresh)
		err := working.Wait()
		return err
	})
	var failed error
	for res := range fresh {
		if r.o.Each != nil && failed == nil {
			failed = r.o.Each(*res)
		}
	}
	err := errors.Join(failed, group.Wait())
	var all []Result
	for _, res := range results {
		if res != nil {
			all = append(all, *res)
		}
	}
	return all, err
}
