package litmus

import (
	"context"
	"errors"
	"runtime"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/config"
)

// Workers is the default number of tests that run at a time: on hardware
// programs race only while they have the processors for themselves.
func Workers(sim string) int {
	if sim == config.SimHost {
		return 1
	}
	return runtime.NumCPU()
}

// RunAll runs tests, several at a time, and calls onReport with each report in
// the order of the tests. Faults joins the errors of tests that could not be
// run; err is ctx's or onReport's and ends the suite.
func RunAll(ctx context.Context, tests []*Test, o *Options, workers int, onReport func(*Report) error) (faults, err error) {
	type result struct {
		report *Report
		fault  error
	}
	results := make([]chan result, len(tests))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers + 1) // one of them reports
	var failed []error
	group.Go(func() error {
		for i := range results {
			select {
			case r := <-results[i]:
				failed = append(failed, r.fault)
				if r.report == nil {
					continue
				}
				if err := onReport(r.report); err != nil {
					return err
				}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	for i, t := range tests {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			report, fault := Run(ctx, t, o)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			results[i] <- result{report, fault}
			return nil
		})
	}
	err = group.Wait()
	return errors.Join(failed...), err
}
