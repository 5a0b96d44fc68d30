package litmus

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/config"
)

// Workers is how many tests run at a time when nobody says: programs race on
// hardware only while they have the processors for themselves.
func Workers(sim string) int {
	if sim == config.SimHost {
		return 1
	}
	return runtime.NumCPU()
}

// RunAll runs tests, several at a time, and tells of each report in the order
// of the tests, as soon as those before it are told. Faults joins the errors of
// tests that could not be run; the error is ctx's, or tell's, and ends it all.
func RunAll(ctx context.Context, tests []*Test, o *Options, workers int, tell func(*Report) error) (faults, err error) {
	s := suite{reports: make([]*Report, len(tests)), done: make([]bool, len(tests)), faults: make([]error, len(tests)), tell: tell}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i, t := range tests {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			report, err := Run(ctx, t, o)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return s.put(i, report, err)
		})
	}
	err = group.Wait()
	return errors.Join(s.faults...), err
}

// suite puts reports in order.
type suite struct {
	tell func(*Report) error

	mu      sync.Mutex
	next    int // not told yet
	done    []bool
	reports []*Report // nil for tests that could not be run
	faults  []error
}

func (s *suite) put(i int, report *Report, fault error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[i], s.reports[i], s.faults[i] = true, report, fault
	for s.next < len(s.done) && s.done[s.next] {
		if report := s.reports[s.next]; report != nil {
			if err := s.tell(report); err != nil {
				return err
			}
		}
		s.next++
	}
	return nil
}
