package reduction

import (
	"context"
	"io"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/chart"
	"ordeal/sim/builtin/memory"
)

// chart repeats the run and draws what the controllers of the coherence
// protocol sent each other about the lines that matter: those of the
// refutation, or those of the whole program where the failure has none.
func (r *Result) chart(ctx context.Context, w io.Writer) error {
	if r.Spec.Sim != config.SimBuiltin || !r.Spec.Config.Coherent() {
		return errNone
	}
	rec := &chart.Recorder{Lines: r.lines()}
	o, err := r.Spec.Config.Machine.Builtin()
	if err != nil {
		return err
	}
	o.Trace, o.Messages = rec.Step, rec.Message
	on, err := builtin.New(o)
	if err != nil {
		return err
	}
	_, err = on.Run(ctx, sim.Job{
		Program: r.Program, Rounds: r.Spec.Config.Rounds, Seed: r.Spec.Seed, Timeout: time.Duration(r.Spec.Timeout),
	})
	if err != nil {
		return err
	}
	return rec.WriteSVG(w, r.Identity.String())
}

// lines are the lines to draw, each named by the locations that it holds.
func (r *Result) lines() map[memory.Addr]string {
	matters := make([]bool, len(r.Program.Locations))
	if h, _, _, err := r.refuted(); err == nil {
		for i := range h.Ops {
			if op := &h.Ops[i]; op.Reads() || op.Writes() {
				matters[op.Loc] = true
			}
		}
	} else {
		for l := range matters {
			matters[l] = true
		}
	}
	names := map[memory.Addr][]string{}
	for l, name := range r.Program.Locations {
		line := (memory.Base + memory.Addr(r.Program.Offset(gen.LocID(l)))).Line()
		if matters[l] {
			names[line] = append(names[line], name)
		}
	}
	lines := map[memory.Addr]string{}
	for line, list := range names {
		lines[line] = strings.Join(list, ",")
	}
	return lines
}
