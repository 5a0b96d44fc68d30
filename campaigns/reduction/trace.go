package reduction

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/sim"
)

// trace repeats the run of a hit once more, with what its memory system does
// recorded, and writes the cause of its violation beside its result.
func (r *repeater) trace(ctx context.Context, dir run.Dir, res *run.Evaluation) error {
	recorder, ok := r.executor.Runner.(diagnose.Recorder)
	if !ok {
		return fmt.Errorf("repro --trace: simulator %s records no transitions: want builtin with a coherence protocol, or gem5", r.spec.Sim)
	}
	if recorder.Protocol() == nil {
		return fmt.Errorf("repro --trace: %s has no coherence protocol whose transitions could be traced", recorder.Version(ctx))
	}
	var err error
	if len(r.spec.Batch) > 1 {
		if res, err = r.alone(ctx, dir); err != nil {
			return err
		}
	}
	found, err := r.witness(ctx, res)
	diagnosed := errors.Is(err, errNoRefutation) && res.Failed()
	if err != nil && !diagnosed {
		return err
	}
	scratch := dir.Sub("trace")
	if err := run.MkdirAll(string(scratch)); err != nil {
		return err
	}
	job, err := r.spec.Job(scratch, r.program)
	if err != nil {
		return err
	}
	if diagnosed {
		return errors.Join(r.last(ctx, recorder, job, dir, res), run.RemoveAll(string(scratch)))
	}
	if r.report.Cause, err = diagnose.Record(ctx, recorder, job, found, r.o.Filter); err != nil {
		return err
	}
	if err := run.RemoveAll(string(scratch)); err != nil {
		return err
	}
	if r.o.Filter.Set() {
		if r.report.Selected, err = r.report.Cause.SelectText(r.o.Filter); err != nil {
			return err
		}
	}
	title := res.FindingTitle()
	for file, write := range map[string]func(*bytes.Buffer) error{
		CauseFile:    func(out *bytes.Buffer) error { return r.report.Cause.WriteText(out) },
		MessagesFile: func(out *bytes.Buffer) error { return r.report.Cause.WriteSVG(out, title) },
		EventsFile:   func(out *bytes.Buffer) error { return r.report.Cause.WriteTrace(out) },
	} {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			return err
		}
		if err := run.WriteText(dir.Path(file), out.String(), false); err != nil {
			return err
		}
	}
	return nil
}

// last writes what the protocol did before a failure that no model explains, a
// crash or a deadlock: its last events as text, and a picture of the last of them.
func (r *repeater) last(ctx context.Context, recorder diagnose.Recorder, job sim.Job, dir run.Dir, res *run.Evaluation) error {
	last, err := diagnose.RecordLast(ctx, recorder, job, r.o.Filter)
	if err != nil {
		return err
	}
	r.report.Last = last.Text()
	if err := run.WriteText(dir.Path(TraceFile), strings.Join(r.report.Last, "\n")+"\n", false); err != nil {
		return err
	}
	var picture bytes.Buffer
	if err := last.WriteSVG(&picture, res.FindingTitle()); err != nil {
		return err
	}
	return run.WriteText(dir.Path(MessagesFile), picture.String(), false)
}

// alone repeats a run of a batch in a launch of its own, which may be another
// execution.
func (r *repeater) alone(ctx context.Context, dir run.Dir) (*run.Evaluation, error) {
	spec := *r.spec
	spec.Batch = nil
	sub := dir.Sub("alone")
	res, err := r.executor.Run(ctx, sub, r.program, &spec)
	if err != nil {
		return nil, err
	}
	if err := sub.Finish(res); err != nil {
		return nil, err
	}
	if res.Outcome != r.report.Recorded.Outcome {
		return nil, fmt.Errorf("repro --trace: the run fails only in its batch of %d programs; alone: %s", len(r.spec.Batch), res.Outcome)
	}
	return res, nil
}

// witness is that of the first model which forbids the history; of a crash, that of the
// model that the run was to keep.
func (r *repeater) witness(ctx context.Context, res *run.Evaluation) (*diagnose.Witness, error) {
	for i := range res.Verdicts {
		if i > 0 && res.Diagnosed() {
			break
		}
		if v := &res.Verdicts[i]; v.Answer == check.Forbidden && v.Refutation != nil {
			return diagnose.Minimize(ctx, r.program, res.History, res.Models[i], v, check.Options{Timeout: minimalTimeout})
		}
	}
	return nil, errNoRefutation
}
