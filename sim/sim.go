// Package sim defines what it means to run a program: Runner, Job, Result,
// Outcome and the native Log. Each simulator is a subpackage with a Runner.
package sim

import (
	"context"
	"time"

	"ordeal/gen"
)

// Outcome is how a run ended.
type Outcome uint8

// The outcomes of a run. A Runner reports Passed for a run that came to its
// end; judging its log may turn that into Violation or Corrupt.
const (
	OutcomeUnknown Outcome = iota
	Passed
	Violation // the history is forbidden by the expected model
	Corrupt   // a value nobody wrote, a torn or truncated log
	Crash     // panic, assertion, invalid transition, signal
	Deadlock  // the simulator or a barrier saw no progress
	Timeout   // the wall-clock or tick limit
	Infra     // could not run; never counted as a test result
	Missed    // of a canary, never of a run: no run showed the planted fault
)

var outcomeNames = [...]string{"unknown", "passed", "violation", "corrupt", "crash", "deadlock", "timeout", "infra", "missed"}

// String is the outcome's name in reports and run directories.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown"
}

// Job is one program to run.
type Job struct {
	Program *gen.Program
	Rounds  int    // at least 1
	Seed    uint64 // the simulator's own randomness; hardware ignores it
	// Dir is an existing directory, private to the run, in which the runner
	// leaves what it made and saw (executable, raw log, simulator output).
	Dir string
	// Timeout bounds the run in wall-clock time; 0 means one minute.
	Timeout time.Duration
	// Memory bounds the memory of the run and LogSize what it may leave on the
	// disk, in bytes each; 0 means no bound. A run that exceeds one is ended
	// and Infra, with the title "memory limit" or "log exceeds its limit"; what
	// it wrote up to then stays. The embedded simulator, which runs in this
	// process and writes nothing itself, takes no notice of them.
	Memory, LogSize int64
	_               struct{}
}

// Result is what came of a Job that could be started.
type Result struct {
	Outcome Outcome
	// Title is one line naming what went wrong, normalised so that the same
	// bug has one title; empty for Passed.
	Title string
	// Detail is what the simulator said, for people; may have many lines.
	Detail  string
	Log     Log // what was printed, as far as the run got
	Elapsed time.Duration
	// Coverage counts the transitions of a coherence protocol; nil where there
	// is none or the simulator does not count.
	Coverage Coverage
	_        struct{}
}

// Runner runs programs on one simulator.
//
// Run returns an error only when the job itself is unusable (a program that
// cannot be emitted, a directory that does not exist) or ctx is done; trouble
// with the simulator is a Result with outcome Infra.
type Runner interface {
	// Name is the simulator's name as in --sim.
	Name() string
	// Version describes the simulator and the machine, for run directories.
	Version(ctx context.Context) string
	Run(ctx context.Context, job Job) (Result, error)
}
