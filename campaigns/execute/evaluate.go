package execute

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim"
)

// Judging says how to judge a run.
type CheckOptions struct {
	// Models judge the run; the first is the expected one.
	Models  []model.Model
	Options check.Options
	// Memory and LogSize bound what there is to judge, in bytes; 0 means no
	// bound. A log that is longer than LogSize, or whose history may need more
	// than Memory, is not judged: the run is Infra unless its simulator
	// reports worse.
	Memory, LogSize int64
	_               struct{}
}

// Judge parses the log of a run and judges it. Its error is ctx's: whatever
// is wrong with the log is an outcome, and so is a panic of what judges it.
func Evaluate(ctx context.Context, p *gen.Program, rounds int, res *sim.Result, how CheckOptions) (*rundir.Case, error) {
	c := &rundir.Case{RawLog: res.Log, Coverage: res.Coverage, Result: rundir.Result{
		Version: rundir.RecordVersion, Outcome: res.Outcome, Title: res.Title, Detail: res.Detail, Elapsed: res.Elapsed,
		Covered: rundir.CoveredBy(res.Coverage),
	}}
	if exceeds(c, p, rounds, &how) {
		return c, nil
	}
	if len(res.Log) > 0 {
		c.Log = rundir.Sum256(res.Log)
	}
	if len(res.Log) > 0 || res.Outcome == sim.Passed {
		err := Guarded(func() error { return judgeLog(ctx, c, p, rounds, how) })
		var fault *panicked
		switch {
		case errors.As(err, &fault):
			return InfraResult(err, c), nil
		case err != nil:
			return nil, err
		}
	}
	return c, nil
}

// bytesPerOperation is about how much memory the judging of a long history takes
// for each of its operations: 400,000 under TSO and SC, on hardware and on the
// embedded simulator, took 210 to 220 bytes each, the log included.
const bytesPerOperation = 250

// exceeds refuses a log that is longer than the limits permit, and lets go of
// it.
func exceeds(c *rundir.Case, p *gen.Program, rounds int, how *CheckOptions) bool {
	operations := int64(p.Ops()) * int64(rounds)
	why := ""
	switch size := int64(len(c.RawLog)); {
	case how.LogSize > 0 && size > how.LogSize:
		why = fmt.Sprintf("%d bytes are more than the %d of log-size", size, how.LogSize)
		fails(c, sim.Infra, "the log is too long", why)
	case how.Memory > 0 && size > 0 && operations > how.Memory/bytesPerOperation:
		why = fmt.Sprintf("%d operations may need %d bytes to judge, more than the %d of memory", operations, operations*bytesPerOperation, how.Memory)
		fails(c, sim.Infra, "the history is too long", why)
	default:
		return false
	}
	c.RawLog = nil
	return true
}

// fails gives a run that passed so far an outcome.
func fails(c *rundir.Case, o sim.Outcome, title, detail string) {
	if c.Outcome == sim.Passed {
		c.Outcome, c.Title = o, title
	}
	c.Detail = strings.TrimPrefix(c.Detail+"\nnot judged: "+detail, "\n")
}

// judgeLog judges what the log proves. The outcome of the simulator stands
// where it is worse than Passed.
func judgeLog(ctx context.Context, c *rundir.Case, p *gen.Program, rounds int, how CheckOptions) error {
	h, err := parse.Native(p, rounds, c.RawLog)
	if err != nil && c.Outcome == sim.Passed {
		c.Outcome, c.Title = faulty(err)
		c.Detail = err.Error()
	}
	if h == nil {
		return nil
	}
	c.History, c.Operations, c.Models = h, len(h.Ops), how.Models
	for _, m := range how.Models {
		v, err := check.Check(ctx, h, m, how.Options)
		if err != nil {
			return fmt.Errorf("judge by %s: %w", m.Name, err)
		}
		c.Verdicts = append(c.Verdicts, v)
		c.Answers = append(c.Answers, rundir.AnswerOf(&v))
	}
	ended := c.Outcome == sim.Passed || c.Outcome == sim.Corrupt
	if expected := c.Verdicts[0]; expected.Answer == check.Forbidden && ended {
		c.Outcome, c.Title = sim.Violation, "history forbidden by "+expected.Model
	}
	return nil
}

// faulty is the outcome and title of a run that came to its end and left a
// log that is no history of its program.
func faulty(err error) (sim.Outcome, string) {
	var value *parse.ValueError
	switch {
	case errors.As(err, &value) && value.Fault.Kind == parse.LostUpdate:
		// No model with atomic operations allows this.
		return sim.Violation, "an update was lost"
	case errors.As(err, &value) && value.Fault.Kind == parse.UnwrittenValue:
		return sim.Corrupt, "a value that nobody wrote"
	case errors.As(err, &value) && value.Fault.Kind == parse.ForeignValue:
		return sim.Corrupt, "a value of another location"
	case errors.Is(err, parse.ErrPartial):
		return sim.Corrupt, "log is partial"
	}
	return sim.Corrupt, "log is corrupt"
}
