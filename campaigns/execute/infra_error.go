package execute

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"syscall"

	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// panicked is a panic as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// guarded calls f; a panic is an error.
func Guarded(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &panicked{value, debug.Stack()}
		}
	}()
	return f()
}

// troubled is what came of a run that could not be made, judged or written.
// Before is what was known until then, nil if nothing.
func InfraResult(err error, before *rundir.Case) *rundir.Case {
	c := &rundir.Case{Result: rundir.Result{Version: rundir.RecordVersion, Outcome: sim.Infra, Title: InfraTitle(err), Detail: err.Error()}}
	if before != nil && before.Outcome != sim.OutcomeUnknown {
		c.RawLog, c.Coverage, c.Elapsed, c.Log = before.RawLog, before.Coverage, before.Elapsed, before.Log
		if before.Outcome != sim.Passed {
			c.Detail += fmt.Sprintf("\nbefore that: %s: %s", before.Outcome, before.Title)
		}
	}
	return c
}

// troubleTitle names trouble in a line without paths.
func InfraTitle(err error) string {
	var p *panicked
	var errno syscall.Errno
	switch {
	case errors.As(err, &p):
		first, _, _ := strings.Cut(fmt.Sprint(p.value), "\n")
		return "ordeal panics: " + first
	case errors.As(err, &errno):
		return "cannot write the run directory: " + errno.Error()
	case errors.Is(err, rundir.ErrUsed):
		return "cannot write the run directory: " + rundir.ErrUsed.Error()
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}
