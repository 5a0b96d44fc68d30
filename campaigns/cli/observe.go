package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// observe is what the run command shows of a coherence protocol.
type observe struct {
	coverage, json bool
	trace          string
}

func (o *observe) flags(fs *pflag.FlagSet) {
	fs.BoolVar(&o.coverage, "coverage", false, "print which transitions of the coherence protocol were taken")
	fs.StringVar(&o.trace, "trace", "", "builtin: write the transitions and messages of the protocol to this file; - is standard output")
	fs.BoolVar(&o.json, "json", false, "print the result as JSON")
}

// runner makes the runner of a run, and closes the trace.
func (o *observe) runner(r *runCommand) (runner sim.Runner, finish func() error, err error) {
	finish = func() error { return nil }
	coherent := r.campaign.Sim == config.SimBuiltin && r.cfg.Coherent()
	if o.coverage && r.campaign.Sim != config.SimGem5 && !coherent {
		return nil, nil, errors.New("--coverage: want a coherence protocol: --sim builtin with --protocol or --slicc")
	}
	if o.trace == "" {
		runner, err = run.NewRunner(r.campaign.Sim, &r.cfg)
		return runner, finish, err
	}
	if !coherent {
		return nil, nil, errors.New("--trace: want a coherence protocol: --sim builtin with --protocol or --slicc")
	}
	if o.json && o.trace == "-" {
		return nil, nil, errors.New("--trace - contradicts --json: both go to standard output")
	}
	var w io.WriteCloser = keepOpen{r.Stdout}
	if o.trace != "-" {
		if w, err = run.CreateOutput(o.trace, run.Plain); err != nil {
			return nil, nil, err
		}
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	if runner, err = run.NewTraced(&r.cfg, buffered); err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return runner, func() error {
		if err := errors.Join(buffered.Flush(), w.Close()); err != nil {
			return fmt.Errorf("write trace %s: %w", o.trace, err)
		}
		return nil
	}, nil
}

// keepOpen is a writer that others close.
type keepOpen struct{ io.Writer }

// Close does nothing.
func (keepOpen) Close() error { return nil }

// jsonRun is what run --json prints.
type jsonRun struct {
	Dir       string `json:"dir"`
	Threads   int    `json:"threads"`
	Locations int    `json:"locations"`
	Rounds    int    `json:"rounds"`
	run.Result
	Transitions sim.Coverage `json:"transitions,omitempty"`
}

// printJSON prints the result of a run.
func (o *observe) printJSON(e *env, out *jsonRun, coverage sim.Coverage) error {
	if o.coverage {
		out.Transitions = coverage
	}
	return e.PrintJSON(out)
}

// printCoverage prints what a run covered of the protocol.
func (o *observe) printCoverage(w io.Writer, coverage sim.Coverage) error {
	if !o.coverage {
		return nil
	}
	if len(coverage) == 0 {
		_, err := fmt.Fprintln(w, "coverage   the simulator counted no transitions")
		return err
	}
	_, err := coverage.WriteTo(w)
	return err
}
