package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns"
	"ordeal/check"
	"ordeal/check/model"
)

func newCheck(e *env) *cobra.Command {
	c := judge{env: e}
	cmd := &cobra.Command{
		Use:   "check PATH…|-",
		Short: "Judge a log, trace or old run directory under any model",
		Long: `Judge what happened, again or elsewhere. A PATH is a run directory, a campaign
directory, a native log (beside its program.txt, or with --program) or a file of
traces in the format of the Axe checker; - is standard input.

One line for each trace goes to standard output: allowed, forbidden, or unknown
and why; with more than one model, each answer follows its model's name. A
malformed trace is unknown and the traces after it are still judged. The models
of a run directory are those it was judged by, unless --model says otherwise.
Exit status 1 if some model forbids some trace, 3 if some answer is unknown.`,
		Example: `  ordeal check --model sc,tso trace.axe
  ordeal check --model sc --explain runs/quick-20260102-150405/000017`,
		Args: arguments(1, -1, "a PATH, or - for standard input"),
	}
	fs := cmd.Flags()
	fs.StringVar(&c.models, "model", "", "models to judge by: all that the procedure knows, or some of "+strings.Join(campaigns.ModelNames(), ", ")+
		" (default tso, or those of the run directory)")
	fs.StringVar(&c.options.Procedure, "procedure", "auto", "how to decide: "+strings.Join(procedureNames(), ", "))
	fs.DurationVar(&c.options.Timeout, "timeout", 0, "longest time for one trace under one model; 0 means no limit")
	fs.StringVar(&c.memory, "memory", "", "most memory for one trace under one model, as in 512MiB or 4GiB")
	fs.StringVar(&c.input.format, "format", "auto", "form of the input: native, axe, or auto")
	fs.StringVar(&c.input.program, "program", "", "the program of a native log")
	fs.BoolVar(&c.explain, "explain", false, "explain why a trace is forbidden")
	fs.BoolVar(&c.json, "json", false, "print a JSON object for each trace, with evidence and timings")
	cmd.RunE = body(func(ctx context.Context, args []string) error { return c.run(ctx, args) })
	return cmd
}

// judge is the check command.
type judge struct {
	*env
	input          input
	models, memory string
	picked         []model.Model // nil: as each trace says
	options        check.Options
	explain, json  bool
	several        bool // more than one path was named
	worst          int  // exit status
}

func (c *judge) run(ctx context.Context, paths []string) error {
	if err := c.prepare(); err != nil {
		return usage(err)
	}
	c.several = len(paths) > 1
	c.input.env = c.env
	var faults []error
	for _, path := range paths {
		err := c.input.each(path, func(t *trace) error { return c.trace(ctx, t) })
		if ctx.Err() != nil {
			return &statusError{campaigns.ExitUndecided, fmt.Errorf("interrupted: %w", err)}
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return exit(c.worst)
}

// prepare checks the flags.
func (c *judge) prepare() error {
	var faults []error
	if c.explain && c.json {
		faults = append(faults, fmt.Errorf("--explain contradicts --json: the JSON object holds the refutation"))
	}
	if c.input.program != "" && c.input.format == "axe" {
		faults = append(faults, fmt.Errorf("--program contradicts --format axe: traces need no program"))
	}
	if f := c.input.format; f != "auto" && f != "native" && f != "axe" {
		faults = append(faults, fmt.Errorf("--format %q: want native, axe or auto", f))
	}
	if c.options.Timeout < 0 {
		faults = append(faults, fmt.Errorf("--timeout %v is negative", c.options.Timeout))
	}
	p, known := check.Procedure(c.options.Procedure)
	if !known {
		faults = append(faults, fmt.Errorf("--procedure %q: want one of %s", c.options.Procedure, strings.Join(procedureNames(), ", ")))
	}
	var err error
	if c.models != "" {
		if c.picked, err = campaigns.ParseModels(c.models); err != nil {
			faults = append(faults, fmt.Errorf("--model: %w", err))
		}
	}
	if known && c.models == "all" {
		c.picked = slices.DeleteFunc(c.picked, func(m model.Model) bool { return !p.Claims(m) })
	}
	for _, m := range c.picked {
		if known && !p.Claims(m) {
			faults = append(faults, fmt.Errorf("--procedure %s contradicts --model %s: it does not judge under this model", p.Name, m.Name))
		}
	}
	if c.options.MemoryBytes, err = parseBytes(c.memory); err != nil {
		faults = append(faults, fmt.Errorf("--memory: %w", err))
	}
	return errors.Join(faults...)
}

// trace judges one trace and prints what came of it.
func (c *judge) trace(ctx context.Context, t *trace) error {
	models := c.picked
	if models == nil {
		models = t.models
	}
	var verdicts []check.Verdict
	for _, m := range models {
		v := check.Verdict{Model: m.Name}
		if t.history != nil {
			var err error
			if v, err = check.Check(ctx, t.history, m, c.options); err != nil {
				return fmt.Errorf("check %s: %w", t.place, err)
			}
		}
		if t.err != nil && v.Answer != check.Forbidden {
			// What there is of a partial log can condemn, not acquit.
			v = check.Verdict{Model: m.Name, Reason: strings.ReplaceAll(t.err.Error(), "\n", "; ")}
		}
		c.worsen(v.Answer)
		verdicts = append(verdicts, v)
	}
	if c.json {
		return c.printJSON(t, verdicts)
	}
	return c.print(t, models, verdicts)
}

// worsen turns an answer into part of the exit status: a finding outweighs
// what is undecided.
func (c *judge) worsen(a check.Answer) {
	switch {
	case a == check.Forbidden:
		c.worst = campaigns.ExitFinding
	case a == check.Unknown && c.worst == campaigns.ExitOK:
		c.worst = campaigns.ExitUndecided
	}
}

// print writes the line of a trace, and explanations below it.
func (c *judge) print(t *trace, models []model.Model, verdicts []check.Verdict) error {
	var b bytes.Buffer
	if c.several || t.many {
		b.WriteString(t.place + ": ")
	}
	if t.err != nil && !slices.ContainsFunc(verdicts, func(v check.Verdict) bool { return v.Answer != check.Unknown }) {
		models, verdicts = models[:1], verdicts[:1] // the same of every model
	}
	for i, v := range verdicts {
		if i > 0 {
			b.WriteString(", ")
		}
		if len(models) > 1 {
			b.WriteString(v.Model + " ")
		}
		b.WriteString(v.Answer.String())
		if v.Reason != "" {
			b.WriteString(" " + v.Reason)
		}
	}
	b.WriteByte('\n')
	for i := range verdicts {
		if !c.explain || verdicts[i].Answer != check.Forbidden {
			continue
		}
		fmt.Fprintf(&b, "\nwhy %s forbids it:\n\n", verdicts[i].Model)
		if err := campaigns.Explain(&b, t.history, models[i], &verdicts[i]); err != nil {
			return fmt.Errorf("explain %s: %w", t.place, err)
		}
		b.WriteByte('\n')
	}
	_, err := c.stdout.Write(b.Bytes())
	return err
}

func procedureNames() []string {
	var names []string
	for _, p := range check.Procedures() {
		names = append(names, p.Name)
	}
	return names
}

// parseBytes reads a number of bytes with an optional unit.
func parseBytes(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	units := []struct {
		suffix string
		bytes  int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"B", 1}, {"", 1}}
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		var n int64
		if _, err := fmt.Sscanf(digits+"\n", "%d\n", &n); err != nil || n <= 0 || n > 1<<62/u.bytes {
			break
		}
		return n * u.bytes, nil
	}
	return 0, fmt.Errorf("%q is not a number of bytes (as in 512MiB or 4GiB)", text)
}
