package explain

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/run"
)

func (x *explanation) draw(name string, write func(io.Writer) error) error {
	var svg bytes.Buffer
	if err := write(&svg); err != nil {
		return err
	}
	x.page.pictures = append(x.page.pictures, Picture{name, svg.Bytes()})
	return nil
}

// recorder is the embedded simulator that the run was made on; nil where the run
// was made elsewhere, or without a coherence protocol.
func (x *explanation) recorder() (diagnose.Recorder, error) {
	if x.spec.Sim != config.SimBuiltin {
		if x.spec.Sim != config.SimGem5 {
			x.missing("transitions: simulator %s records none", x.spec.Sim)
		}
		return nil, nil
	}
	if _, err := run.RecordedProtocol(x.dir, x.spec); err != nil {
		x.missing("transitions: %v", err)
		return nil, nil
	}
	runner, err := run.NewRunner(x.spec.Sim, &x.spec.Config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", x.dir, err)
	}
	r, ok := runner.(diagnose.Recorder)
	if !ok || r.Protocol() == nil {
		x.missing("transitions: the run had no coherence protocol")
		return nil, nil
	}
	return r, nil
}

// traced joins the witness with a trace of the run; nil where there is none.
func (x *explanation) traced(ctx context.Context) (*diagnose.Cause, error) {
	r, err := x.recorder()
	if err != nil {
		return nil, err
	}
	c := (*diagnose.Cause)(nil)
	switch {
	case r != nil:
		job, err := x.spec.Job(x.dir, x.program)
		if err != nil {
			return nil, err
		}
		if c, err = diagnose.Record(ctx, r, job, x.witness, x.o.Filter); err != nil {
			return nil, err
		}
		if c.LogHash != x.result.LogHash {
			x.missing("transitions: this version of ordeal executes the run otherwise")
			c = nil
		}
	case x.spec.Sim == config.SimGem5:
		if c, err = x.recorded(); err != nil {
			return nil, err
		}
	}
	if c == nil && x.o.Filter.Set() {
		return nil, fmt.Errorf("%w: there is none: %s", diagnose.ErrFilter, x.page.Missing[len(x.page.Missing)-1])
	}
	return c, nil
}

// recorded joins the witness with the trace that repro --trace has recorded.
func (x *explanation) recorded() (*diagnose.Cause, error) {
	path := x.last(reduction.EventsFile)
	data, err := run.ReadFile(path)
	if err != nil {
		x.missing("transitions: ordeal repro --trace %s records them", x.dir)
		return nil, nil
	}
	t, err := diagnose.ReadTrace(bytes.NewReader(data), x.program)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if t.LogHash != x.result.LogHash {
		x.missing("transitions: the traced run has another log: explain its directory, the one of %s", path)
		return nil, nil
	}
	return diagnose.Find(x.program, x.witness, t.LineOf, t.Events, t.Table), nil
}

// messages adds the events that the chart shows, or those that the filter selects.
func (x *explanation) messages(c *diagnose.Cause) error {
	if !x.o.Filter.Set() {
		x.page.Messages, x.page.About = c.ShownText(), "those that the cause rests on"
		return nil
	}
	list, err := c.SelectText(x.o.Filter)
	x.page.Messages, x.page.About = list, "those that were selected"
	return err
}
