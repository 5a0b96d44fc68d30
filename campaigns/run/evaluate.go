package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/campaigns/diagnose"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim"
)

// CheckOptions say by which models a run is checked, and within which limits.
type CheckOptions struct {
	// Models check the history; the first is the expected one.
	Models []model.Model
	// Options limit each check. Where they limit no memory, the limit is that
	// of AvailableMemory at the first check, divided by Workers.
	Options check.Options
	// Workers is how many checks run at a time; 0: one for each processor.
	Workers int
	// Memory and LogSize are limits in bytes; 0 means none, for Memory what Options
	// say. A log longer than LogSize, or whose history may need more than Memory, is
	// not checked: the outcome is Infra unless the simulator reports a failure.
	Memory, LogSize int64
	_               struct{}
}

// Evaluate parses the log of a run and checks its history. The error is ctx's:
// a faulty log is an outcome, and so is a panic of the checker.
func Evaluate(ctx context.Context, p *gen.Program, rounds int, simulated *sim.Result, o CheckOptions) (*Evaluation, error) {
	r := &Evaluation{Log: simulated.Log, Coverage: simulated.Coverage, Result: &Result{
		Version: FormatVersion, Outcome: simulated.Outcome, Title: simulated.Title, Failure: diagnose.Of(simulated), Detail: simulated.Detail, Elapsed: simulated.Elapsed,
		Covered: CoveredBy(simulated.Coverage),
	}}
	if exceedsLimits(r, p, rounds, &o) {
		return r, nil
	}
	if len(r.Log) == 0 && r.Outcome != sim.Passed {
		return r, nil
	}
	if len(r.Log) > 0 {
		r.LogHash = Hash(r.Log)
	}
	err := Guarded(func() error { return checkLog(ctx, r, p, rounds, o) })
	if _, ok := errors.AsType[*panicError](err); ok {
		return InfraResult(err, r), nil
	} else if err != nil {
		return nil, err
	}
	return r, nil
}

// bytesPerOperation is about the memory that checking a long history needs for
// each of its operations: 400,000 under TSO and SC, on hardware and on the
// embedded simulator, took 210 to 220 bytes each, the log included.
const bytesPerOperation = 250

// uncheckedOperations is how many operations are read without asking what memory there is.
const uncheckedOperations = 1 << 22

// memoryOf is the memory of this machine for each of some workers.
var memoryOf = MemoryShare

// exceedsLimits reports whether the log exceeds a limit, and then drops it.
func exceedsLimits(r *Evaluation, p *gen.Program, rounds int, o *CheckOptions) bool {
	operations, size := int64(p.Ops())*int64(rounds), int64(len(r.Log))
	var title, detail string
	memory, of := o.Memory, "memory"
	if memory == 0 && operations > uncheckedOperations {
		memory, of = memoryOf(o.Workers), "this machine's memory for it"
	}
	switch {
	case o.LogSize > 0 && size > o.LogSize:
		title = "the log is too long"
		detail = fmt.Sprintf("%d bytes are more than the %d of log-size", size, o.LogSize)
	case memory > 0 && size > 0 && operations > memory/bytesPerOperation:
		title = "the history is too long"
		detail = fmt.Sprintf("%d operations may need %d bytes to check, more than the %d of %s", operations, operations*bytesPerOperation, memory, of)
	default:
		return false
	}
	if r.Outcome == sim.Passed {
		r.Fail(sim.Infra, sim.Failure{Kind: title})
	}
	r.Detail = strings.TrimPrefix(r.Detail+"\nnot checked: "+detail, "\n")
	r.Log = nil
	return true
}

// checkLog checks the history of the log, also of a run that ended early: a
// violation in it is reported with the end, see violates.
func checkLog(ctx context.Context, r *Evaluation, p *gen.Program, rounds int, o CheckOptions) error {
	h, err := parse.Native(p, rounds, r.Log)
	if outcome, kind := LogFailure(err); err != nil && r.Outcome == sim.Passed {
		r.Fail(outcome, sim.Failure{Kind: kind})
		r.Detail = err.Error()
	} else if value, ok := errors.AsType[*parse.ValueError](err); ok {
		violates(r.Result, outcome, sim.Failure{Kind: kind}, value.Error())
	}
	if h == nil {
		return nil
	}
	r.History, r.Operations, r.Models = h, len(h.Ops), o.Models
	limits := o.Options
	if limits.AvailableBytes == 0 {
		limits.AvailableBytes = MemoryShare(o.Workers)
	}
	if r.Verdicts, err = check.Several(ctx, h, o.Models, limits); err != nil {
		return err
	}
	for i := range r.Verdicts {
		r.Answers = append(r.Answers, AnswerOf(&r.Verdicts[i]))
	}
	if expected := r.Verdicts[0]; expected.Answer == check.Forbidden {
		violates(r.Result, sim.Violation, sim.Failure{Kind: sim.KindForbidden, Model: expected.Model}, "")
	}
	return nil
}

// violates makes r a run whose log shows that memory failed, with what is wrong in
// detail. If it did not come to its end, detail says so: an end that may follow
// from a wrong value (a guest that crashed or gave up) or has other causes takes
// second place, but a failure that the simulator found itself stays the outcome.
func violates(r *Result, outcome sim.Outcome, f sim.Failure, detail string) {
	end := r.Outcome.Titled(r.Title)
	switch {
	case r.Outcome == sim.Passed || r.Outcome == sim.Corrupt:
		r.Fail(outcome, f)
		return
	case r.Outcome == sim.Infra || r.Outcome == sim.Timeout || sim.ByGuest(r.Title):
		r.Fail(outcome, f)
		end = "the run ended early: " + end
	default:
		end = "before the end: " + f.Title()
	}
	lines := []string{detail, end, r.Detail}
	r.Detail = strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), "\n")
}

// The kinds of violations that keep a log from being a history of its program.
const (
	lostUpdate     = "an update was lost"
	unwrittenValue = "a value that no store wrote"
	foreignValue   = "a value of another location"
)

// LogFailure is the outcome and the kind of failure of a run that ended and left a log that
// is no history of its program. A value is what memory returned, however wrong, and no model allows
// one that was not written; a log is corrupt in what memory has no part in.
func LogFailure(err error) (sim.Outcome, string) {
	switch value, ok := errors.AsType[*parse.ValueError](err); {
	case hasFault(err, parse.LostUpdate): // sums that come twice follow from it
		return sim.Violation, lostUpdate
	case ok && value.Fault.Kind == parse.ForeignValue:
		return sim.Violation, foreignValue
	case ok:
		return sim.Violation, unwrittenValue
	case errors.Is(err, parse.ErrPartial):
		return sim.Corrupt, "log is partial"
	}
	return sim.Corrupt, "log is corrupt"
}

// hasFault reports whether a fault of a kind is among those of a log.
func hasFault(err error, kind parse.FaultKind) bool {
	if value, ok := err.(*parse.ValueError); ok {
		return value.Fault.Kind == kind
	}
	has := func(err error) bool { return hasFault(err, kind) }
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(err.Unwrap(), has)
	case interface{ Unwrap() error }:
		return has(err.Unwrap())
	}
	return false
}
