package sim

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/gen/option"
	"ordeal/gen/wire"
)

// Outcome is how a run ended.
type Outcome uint8

// The outcomes of a run. A Runner reports Passed for a run that came to its
// end; checking its log may turn that into Violation or Corrupt.
const (
	OutcomeUnknown Outcome = iota
	Passed
	Violation  // the history is forbidden by the expected model, or has values that no model allows
	Corrupt    // the log is torn, truncated or of another program: not what memory returned
	Crash      // panic, assertion, invalid transition, signal
	Deadlock   // accesses wait, and nothing is in flight that could end that
	Livelock   // accesses wait and none ends, while messages are sent all the time
	Starvation // an access waits beyond the watchdog while others end
	Timeout    // a limit of simulated time: ticks, events
	Infra      // could not run, or not within the limits of this machine; never counted as a test result
	Missed     // of a canary, never of a run: no run detected the injected bug
)

var outcomeNames = option.Names[Outcome]{"unknown", "passed", "violation", "corrupt", "crash", "deadlock", "livelock", "starvation", "timeout", "infra", "missed"}

// String is the outcome's name in reports and run directories.
func (o Outcome) String() string { return outcomeNames.Of(o) }

// Titled is "OUTCOME: TITLE"; a title that is or begins with the outcome
// stays as it is, and the outcome is alone where there is none.
func (o Outcome) Titled(title string) string {
	if title == "" {
		return o.String()
	}
	if title == o.String() || strings.HasPrefix(title, o.String()+": ") {
		return title
	}
	return o.String() + ": " + title
}

// MarshalText writes the outcome's name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads an outcome's name.
func (o *Outcome) UnmarshalText(text []byte) error {
	i := slices.Index(outcomeNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown outcome %q", text)
	}
	*o = Outcome(i)
	return nil
}

// Stuck reports whether accesses did not end that had to.
func (o Outcome) Stuck() bool { return o == Deadlock || o == Livelock || o == Starvation }

// TimeLimit is the result of a run that was ended at a limit of wall-clock or CPU
// time. How far a run gets until then depends on what else the machine does, so
// it is not a test result.
func TimeLimit(title, detail string) Result {
	return Result{Outcome: Infra, Title: title, Detail: detail, LimitExceeded: true}
}

// Failed is the result of a run with a failure.
func Failed(o Outcome, f Failure, detail string) Result {
	return Result{Outcome: o, Failure: f, Title: f.Title(), Detail: detail}
}

// OtherCode is the title of a run in which a core fetched what was never stored where the
// code was loaded.
const OtherCode = "memory returned other code than the executable has"

// ByGuest reports whether a title is of an end that came about by the guest, which
// crashed or gave up: perhaps because of a wrong value that it read. Titles of
// such ends begin with "guest".
func ByGuest(title string) bool { return strings.HasPrefix(title, "guest ") }

// ExitResult is the result of a generated executable that exited with a code of
// package wire, without log and time.
func ExitResult(code int) Result {
	fail := func(o Outcome, title, detail string) Result {
		return Result{Outcome: o, Title: title, Detail: fmt.Sprintf("the guest exited with code %d: %s", code, detail)}
	}
	switch code {
	case wire.ExitPassed:
		return Result{Outcome: Passed}
	case wire.ExitStartBarrier:
		return fail(Deadlock, "guest gave up at the start barrier", "a thread made no progress")
	case wire.ExitRoundBarrier:
		return fail(Deadlock, "guest gave up at the round barrier", "a thread made no progress")
	case wire.ExitEndBarrier:
		return fail(Deadlock, "guest gave up at the end barrier", "a thread made no progress")
	case wire.ExitCloneFailed:
		return fail(Infra, "guest could not start its threads", "clone failed")
	case wire.ExitWriteFailed:
		return fail(Infra, "guest could not write its log", "write failed; the disk may be full")
	}
	return fail(Crash, fmt.Sprintf("guest exited with code %d", code), "no generated program exits with this code")
}
