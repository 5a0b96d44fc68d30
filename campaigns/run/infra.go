package run

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"syscall"

	"ordeal/sim"
)

// panicError is a panic as an error.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// Guarded calls f and returns a panic as an error.
func Guarded(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &panicError{value, debug.Stack()}
		}
	}()
	return f()
}

// Panicked reports whether an error is a panic that Guarded returned.
func Panicked(err error) bool {
	_, ok := errors.AsType[*panicError](err)
	return ok
}

// InfraResult is the result of a run that could not be executed, checked or
// written because of err. Before is what was known until then; it may be nil.
func InfraResult(err error, before *Evaluation) *Evaluation {
	r := &Evaluation{Result: &Result{Version: FormatVersion, Detail: err.Error()}}
	r.Fail(sim.Infra, sim.Failure{Kind: InfraTitle(err)})
	if before != nil && before.Result != nil && before.Outcome != sim.OutcomeUnknown {
		r.Log, r.Coverage, r.Elapsed, r.LogHash = before.Log, before.Coverage, before.Elapsed, before.LogHash
		if before.Outcome != sim.Passed {
			r.Detail += "\nbefore that: " + before.Outcome.Titled(before.Title)
		}
	}
	return r
}

// InfraTitle names an infrastructure error in one line without paths.
func InfraTitle(err error) string {
	title := err.Error()
	if p, ok := errors.AsType[*panicError](err); ok {
		title = "ordeal panics: " + fmt.Sprint(p.value)
	} else if errors.Is(err, ErrInodes) {
		title = "cannot write the run directory: " + ErrInodes.Error()
	} else if errno, ok := errors.AsType[syscall.Errno](err); ok {
		title = "cannot write the run directory: " + errno.Error()
	} else if errors.Is(err, ErrUsed) {
		title = "cannot write the run directory: " + ErrUsed.Error()
	}
	first, _, _ := strings.Cut(title, "\n")
	return first
}
