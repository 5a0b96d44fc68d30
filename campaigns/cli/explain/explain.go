// Package explain has the command that explains a recorded run.
package explain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/explain"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
)

// New makes the command.
func New(e *command.Env) *cobra.Command {
	x := &explainCommand{Env: e, options: config.Defaults()}
	cmd := &cobra.Command{
		Use:   "explain RUNDIR",
		Short: "Explain a recorded run on one page",
		Long: `Explain the run that a run directory records: the witness of its verdict, and of each
of its events the operation of the program, the round, the address, the tick and the
transitions that served it, with file and line; what went wrong; the lines of the
program; and the messages between the controllers.

A run of the embedded simulator is repeated for that. Of one on gem5 the trace that
repro --trace has left is read; without one, and where no coherence protocol was
simulated, the page has what the log shows, and says what is missing. Nothing that the
record names is executed.`,
		Example: `  ordeal explain runs/quick-20260102-150405/000017
  ordeal explain --html page.html broken
  ordeal explain --around c broken`,
		Args: command.Arguments(1, 1, "one RUNDIR"),
	}
	f := cmd.Flags()
	f.StringVar(&x.model, "model", "", "why this model forbids the history (default: the first one that does)")
	f.StringVar(&x.html, "html", "", "write the page as HTML to this file, with pictures")
	f.BoolVar(&x.json, "json", false, "print JSON")
	x.filter.Flags(cmd)
	command.Declare(cmd, &x.options, "check-timeout")
	command.Complete(cmd, "model", config.ModelNames())
	cmd.ValidArgsFunction = command.RunDirectories
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		err := errors.Join(x.filter.Resolve(cmd), command.Positive("check-timeout", x.options.CheckTimeout))
		if err != nil {
			return command.Usage(err)
		}
		return x.run(ctx, run.Resolve(args[0]))
	})
	return cmd
}

type explainCommand struct {
	*command.Env
	model, html string
	json        bool
	filter      command.TraceFilter
	options     config.Campaign // its options that an explanation has
}

func (x *explainCommand) run(ctx context.Context, dir string) error {
	o := explain.Options{CheckTimeout: time.Duration(x.options.CheckTimeout), Filter: x.filter.Filter}
	if x.model != "" {
		models, err := config.ParseModels(x.model)
		if err == nil && len(models) != 1 {
			err = errors.New("want one model")
		}
		if err != nil {
			return command.Usage(fmt.Errorf("--model: %w", err))
		}
		o.Model = models[0].Name
	}
	program := messages.Quoted(x.Args[0])
	switch {
	case exploration.Is(dir):
		return command.Usage(fmt.Errorf("explain %s: it is an exploration: %s repro %s takes its counterexamples step by step", dir, program, messages.QuotedPath(dir)))
	case run.Exists(run.Dir(dir).Path(journal.CampaignFile)):
		return command.Usage(fmt.Errorf("explain %s: it is a campaign: want the directory of one of its runs, as its summary names them", dir))
	}
	page, err := explain.Run(ctx, run.Dir(dir), o)
	switch {
	case errors.Is(err, diagnose.ErrFilter), errors.Is(err, explain.ErrModel):
		return command.Usage(err)
	case err != nil:
		return err
	}
	if x.html != "" {
		var text bytes.Buffer
		if err := page.WriteHTML(&text); err != nil {
			return err
		}
		if err := run.WriteOutput(x.html, text.Bytes(), run.Plain); err != nil {
			return err
		}
	}
	switch {
	case x.json:
		return x.PrintJSON(page)
	case x.html != "":
		_, err = fmt.Fprintf(x.Stdout, "page  %s\n", x.html)
		return err
	}
	return page.WriteText(x.Stdout)
}
