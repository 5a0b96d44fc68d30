package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/run"
)

func newRepro(e *env) *cobra.Command {
	r := repeat{env: e, options: config.Defaults()}
	cmd := &cobra.Command{
		Use:   "repro RUNDIR | --campaign FILE|DIR --run N",
		Short: "Repeat a recorded run, or a run of a campaign by its number",
		Long: `Repeat the run that a run directory records: the same program and executable,
byte for byte, compared by hash with the record. Races on real hardware need not
recur; how often they did is said. A try hits when outcome, title and the answer of
every model are as recorded; the first hit stays in RUNDIR/repro.
With --trace a crash or a deadlock is repeated once more with the coherence protocol
traced: its last transitions and messages, as trace.txt and messages.svg. A violation on the embedded simulator or gem5 is repeated likewise: for each operation of the witness, when it performed and
which transitions served it, where the stale value was read and what became of the
invalidation, as cause.txt and as a picture, messages.svg.

The counterexamples of an exploration are taken step by step, with the state
after each.

With --campaign and --run nothing but the campaign file is needed: the run of that
number, counted from 0, is made anew in a directory of its own, with the overrides
that the campaign had. On the embedded simulator it does what it did, byte for byte,
on any machine. With the directory of a campaign, or the file in it, the run is made with
the protocol that it was made with, of which the directory keeps a copy.` + command.TrustHelp,
		Example: "  ordeal repro --campaign campaigns/quick.yaml --run 3",
		Args:    command.Arguments(0, 1, "one RUNDIR, or --campaign and --run"),
	}
	cmd.Flags().StringVar(&r.campaign, "campaign", "", "campaign file, or the directory of a campaign")
	cmd.Flags().IntVar(&r.number, "run", 0, "number of the run in the campaign")
	cmd.Flags().StringArrayVar(&r.sets, "set", nil, "override KEY=VALUE in the campaign file, as campaign run takes it")
	cmd.Flags().StringVar(&r.out, "dir", "", "directory of the run of a campaign, made here; default runs/run-TIME")
	cmd.Flags().IntVar(&r.tries, "tries", 10, "how often to repeat the run")
	command.JSONFlag(cmd, &r.json)
	cmd.Flags().BoolVar(&r.trace, "trace", false, "repeat a failure with the protocol traced, and say what caused it")
	r.filter.Flags(cmd)
	command.Declare(cmd, &r.options, "check-timeout")
	r.trusted.Flags(cmd)
	cmd.ValidArgsFunction = command.RunDirectories
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		if err := r.filter.Resolve(cmd); err != nil {
			return command.Usage(err)
		}
		if name := r.filter.Named(); name != "" && !r.trace {
			return command.Usage(fmt.Errorf("--%s selects events of a trace: want --trace with it", name))
		}
		if (len(args) == 1) == (r.campaign != "") {
			return command.Usage(errors.New("repro: want one RUNDIR, or --campaign and --run"))
		}
		if err := command.Contradict(cmd, "trace", "campaign"); err != nil {
			return err
		}
		switch {
		case r.campaign != "":
			return r.numbered(ctx)
		case exploration.Is(run.Resolve(args[0])) && r.trace:
			return command.Usage(fmt.Errorf("--trace: %s is an exploration, whose steps repro prints anyway", args[0]))
		case exploration.Is(run.Resolve(args[0])):
			return r.replay(run.Resolve(args[0]))
		}
		return r.run(ctx, args[0])
	})
	return cmd
}

// repeat is the repro command.
type repeat struct {
	*env
	trace, json   bool
	tries, number int
	campaign, out string
	sets          []string
	filter        command.TraceFilter
	options       config.Campaign // its options that a repetition has
	trusted       command.TrustFlags
}

func (r *repeat) run(ctx context.Context, dir string) error {
	if r.tries < 1 {
		return command.Usage(fmt.Errorf("--tries %d: want at least 1", r.tries))
	}
	if err := command.Positive("check-timeout", r.options.CheckTimeout); err != nil {
		return command.Usage(err)
	}
	o := reduction.RepeatOptions{Tries: r.tries, Command: r.Args, OnTry: func(try int, came *run.Evaluation, hit bool) {
		word := "differs"
		if hit {
			word = "recurs"
		}
		fmt.Fprintf(r.Stderr, "try %d: %s: %s\n", try, word, describe(came.Result))
	}}
	o.Trace, o.Filter = r.trace, r.filter.Filter
	o.CheckTimeout = time.Duration(r.options.CheckTimeout)
	record := run.Dir(run.Resolve(dir))
	var err error
	if o.Gate, err = r.trusted.Gate(r.env, string(record), recordedRun(record)); err != nil {
		return err
	}
	report, err := reduction.Repeat(ctx, record, o)
	if report != nil && report.Tries > 0 && !errors.Is(err, diagnose.ErrFilter) {
		err = errors.Join(err, r.print(report))
	}
	if errors.Is(err, diagnose.ErrFilter) {
		return command.Usage(err)
	} else if err != nil {
		return err
	}
	if report.Hits > 0 && report.Recorded.Failed() || len(report.Others) > 0 {
		return command.Exit(summary.ExitFinding)
	}
	return nil
}

// recordedRun reads the record of a run as a campaign of one.
func recordedRun(dir run.Dir) func() (*config.Campaign, error) {
	return func() (*config.Campaign, error) {
		spec, err := dir.Spec()
		if err != nil {
			return nil, err
		}
		return &config.Campaign{Sim: spec.Sim, Configs: []config.Config{spec.Config}}, nil
	}
}

func (r *repeat) print(report *reduction.RepeatReport) error {
	if r.json {
		return r.printJSON(report)
	}
	w := r.Stdout
	fmt.Fprintf(w, "recorded    %s\n", describe(report.Recorded))
	if report.ExecutableSame {
		fmt.Fprintf(w, "program     same text and same executable, byte for byte\n")
	} else {
		fmt.Fprintf(w, "program     same text, byte for byte\n")
	}
	if report.Protocol != "" {
		fmt.Fprintf(w, "protocol    its files have changed since: repeated with the recorded ones, %s\n", report.Protocol)
	}
	fmt.Fprintf(w, "recurred    %d of %d tries (same log: %d)\n", report.Hits, report.Tries, report.LogsSame)
	if report.HitDir != "" {
		fmt.Fprintf(w, "first hit   %s\n", report.HitDir)
	} else {
		fmt.Fprintf(w, "            it did not recur: a race on real hardware may need more tries (--tries)\n")
	}
	if report.Cause != nil {
		fmt.Fprintf(w, "cause       %s\npicture     %s\n\n", report.HitDir.Path(reduction.CauseFile), report.HitDir.Path(reduction.MessagesFile))
		if err := report.Cause.WriteText(w); err != nil {
			return err
		}
	}
	switch {
	case len(report.Selected) > 0:
		fmt.Fprintf(w, "\nevents %s:\n%s\n", r.filter.String(), strings.Join(report.Selected, "\n"))
	case report.Cause != nil && r.filter.Set():
		fmt.Fprintf(w, "\nno event %s\n", r.filter.String())
	}
	if n := len(report.Last); n > 0 {
		fmt.Fprintf(w, "trace       %s\npicture     %s\n\n", report.HitDir.Path(reduction.TraceFile), report.HitDir.Path(reduction.MessagesFile))
		shown := eventsShown
		if r.filter.Set() {
			shown = n
		}
		for _, line := range report.Last[max(0, n-shown):] {
			fmt.Fprintln(w, line)
		}
		fmt.Fprintf(w, "%s\n\n", messages.EscapeLine(report.Recorded.Title))
	}
	for _, other := range slices.Sorted(maps.Keys(report.Others)) {
		fmt.Fprintf(w, "otherwise   %d × %s\n", report.Others[other], messages.EscapeLine(other))
	}
	return nil
}

// eventsShown is the number of events before a failure that are printed.
const eventsShown = 30

// describe is a result on one line.
func describe(j *run.Result) string {
	parts := []string{j.Outcome.String()}
	for _, a := range j.Answers {
		parts = append(parts, a.Model+" "+a.Answer)
	}
	if j.Title != "" {
		parts = append(parts, j.Title)
	}
	return messages.EscapeLine(strings.Join(parts, ", "))
}
