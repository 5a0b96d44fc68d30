// Package sim defines what it means to run a program: a Job goes in, its Result
// with the Outcome and the Log comes out. Each simulator is a subpackage with a
// Runner.
package sim

import (
	"context"
	"strings"
	"time"

	"ordeal/gen"
)

// Log is what one run printed: frames in the form that package wire defines.
type Log []byte

// Job is one program to run.
type Job struct {
	Program *gen.Program
	Rounds  int    // at least 1
	Seed    uint64 // the simulator's own randomness; hardware ignores it
	// Dir is an existing directory, private to the run, in which the runner
	// leaves its files (executable, raw log, simulator output).
	Dir string
	// Timeout bounds the run in wall-clock time; 0 means the default of the
	// simulator.
	Timeout time.Duration
	// Memory bounds the memory of the run and LogSize what it may leave on the
	// disk, in bytes each; 0 means no bound. A run that exceeds one is ended
	// with outcome Infra and keeps what it wrote. The embedded simulator, which
	// runs in this process and writes no files, begins no run whose values exceed
	// Memory.
	Memory, LogSize int64
	// Work bounds the work of the run, as Result.Work counts it; 0 means the bound of the
	// simulator. A run that exceeds it ends as Timeout.
	Work uint64
	_    struct{}
}

// Result is what happened in a Job that could be started.
type Result struct {
	Outcome Outcome
	// Failure is what went wrong, and Title its title: Failed sets both. A Result
	// without a Failure has a Title that says all; it is empty for Passed.
	Failure Failure
	Title   string
	// Detail is the output of the simulator, for reports; may have many lines.
	Detail  string
	Log     Log // what was printed, as far as the run got
	Elapsed time.Duration
	// Work is how much a deterministic simulator did, in events and transitions; 0 of others.
	Work uint64
	// Coverage counts the transitions of a coherence protocol; nil where there
	// is none or the simulator does not count.
	Coverage Coverage
	// LimitExceeded reports that the run was ended because it took too much time
	// of this machine, which says nothing about the system under test; the
	// Outcome is Infra. Another try may end.
	LimitExceeded bool
	_             struct{}
}

// Runner runs programs on one simulator.
//
// Run returns an error only when the job itself is unusable (a program that
// cannot be emitted, a directory that does not exist) or ctx is done; a failure
// of the simulator is a Result with outcome Infra.
type Runner interface {
	// Name is the simulator's name as in --sim.
	Name() string
	// Version describes the simulator and the machine, for run directories.
	Version(ctx context.Context) string
	Run(ctx context.Context, job Job) (Result, error)
}

// Complete runs a job, and once again if it exceeded the time of this machine,
// which may have been busy.
func Complete(ctx context.Context, r Runner, job Job) (Result, error) {
	result, err := r.Run(ctx, job)
	if err != nil || !result.LimitExceeded {
		return result, err
	}
	first := result.Title
	if result, err = r.Run(ctx, job); err == nil {
		result.Detail = strings.TrimSpace(result.Detail + "\nthe run was repeated: the first time it was ended: " + first)
	}
	return result, err
}
