package campaigns

import (
	"context"
	"errors"
	"fmt"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim"
)

// Judging says how to judge a run.
type Judging struct {
	// Models judge the run; the first is the expected one.
	Models  []model.Model
	Options check.Options
	_       struct{}
}

// Case is a judged run with everything known about it.
type Case struct {
	Judgement
	// RawLog is what the run printed.
	RawLog sim.Log
	// History is nil when the log could not be parsed.
	History *parse.History
	// Models judged the run, the expected one first; Verdicts are theirs.
	Models   []model.Model
	Verdicts []check.Verdict
	// Coverage counts the transitions of the coherence protocol.
	Coverage sim.Coverage
	_        struct{}
}

// Judge parses the log of a run and judges it. Its error is ctx's: whatever
// is wrong with the log is an outcome.
func Judge(ctx context.Context, p *gen.Program, rounds int, res *sim.Result, how Judging) (*Case, error) {
	c := &Case{RawLog: res.Log, Coverage: res.Coverage, Judgement: Judgement{
		Version: RecordVersion, Outcome: res.Outcome, Title: res.Title, Detail: res.Detail, Elapsed: res.Elapsed,
		Covered: coveredBy(res.Coverage),
	}}
	if len(res.Log) > 0 {
		c.Log = sum256(res.Log)
	}
	if len(res.Log) > 0 || res.Outcome == sim.Passed {
		if err := c.judgeLog(ctx, p, rounds, how); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// judgeLog judges what the log proves. The outcome of the simulator stands
// where it is worse than Passed.
func (c *Case) judgeLog(ctx context.Context, p *gen.Program, rounds int, how Judging) error {
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
		c.Answers = append(c.Answers, answerOf(&v))
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
