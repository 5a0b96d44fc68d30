package reduction

import (
	"context"
	"errors"
	"io"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/check"
	"ordeal/sim"
	"ordeal/sim/builtin"
)

// chart repeats the run and draws what the controllers of the coherence
// protocol sent each other about the lines that matter: those of the
// refutation, with its cause, or those of the whole program where the failure
// has none.
func (r *Result) chart(ctx context.Context, w io.Writer) error {
	if r.Spec.Sim != config.SimBuiltin || !r.Spec.Config.Coherent() {
		return errNone
	}
	o, err := r.Spec.Config.Machine.Builtin()
	if err != nil {
		return err
	}
	on, err := builtin.New(o)
	if err != nil {
		return err
	}
	job := sim.Job{Program: r.Program, Rounds: r.Spec.Config.Rounds, Seed: r.Spec.Seed, Timeout: time.Duration(r.Spec.Timeout)}
	if v, m := r.forbidden(); v != nil {
		found, err := diagnose.Minimize(ctx, r.Program, r.Run.History, m, v, check.Options{Timeout: minimalTimeout})
		if err != nil {
			return err
		}
		c, err := diagnose.Record(ctx, on, job, found, diagnose.Filter{})
		if err != nil {
			return err
		}
		return c.WriteSVG(w, r.Identity.String())
	}
	last, err := diagnose.RecordLast(ctx, on, job, diagnose.Filter{})
	if err != nil {
		return err
	}
	return last.WriteSVG(w, r.Identity.String())
}

// The files of a traced repetition, in its run directory.
const (
	CauseFile    = "cause.txt"
	MessagesFile = "messages.svg"
	// TraceFile has the last events before a crash or a deadlock.
	TraceFile = "trace.txt"
	// EventsFile has the events about the witness, see diagnose.ReadTrace.
	EventsFile = "trace.jsonl"
)

// errNoRefutation means that a traced run is not one that a model forbids.
var errNoRefutation = errors.New("repro --trace: no model forbids the history of the repeated run, so that there is no witness to look for in a trace")
