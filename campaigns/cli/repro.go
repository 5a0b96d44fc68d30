package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns"
	"ordeal/campaigns/repro"
)

func newRepro(e *env) *cobra.Command {
	r := repeat{env: e}
	cmd := &cobra.Command{
		Use:   "repro RUNDIR",
		Short: "Repeat a recorded run",
		Long: `Repeat the run that a run directory records: the same program and executable,
byte for byte, compared by hash with the record. Races on real hardware need not
recur; how often they did is said. A try hits when outcome, title and the answer of
every model are as recorded; the first hit stays in RUNDIR/repro.
Exit status 1 when a recorded finding recurred or a try found something else.`,
		Args: arguments(1, 1, "one RUNDIR"),
	}
	cmd.Flags().IntVar(&r.tries, "tries", 10, "how often to repeat the run")
	cmd.Flags().DurationVar(&r.checkTimeout, "check-timeout", time.Minute, "longest time of judging by one model")
	cmd.RunE = body(func(ctx context.Context, args []string) error { return r.run(ctx, args[0]) })
	return cmd
}

// repeat is the repro command.
type repeat struct {
	*env
	tries        int
	checkTimeout time.Duration
}

func (r *repeat) run(ctx context.Context, dir string) error {
	if r.tries < 1 {
		return usage(fmt.Errorf("--tries %d: want at least 1", r.tries))
	}
	if err := positive("check-timeout", r.checkTimeout); err != nil {
		return usage(err)
	}
	o := repro.Options{Tries: r.tries, Command: r.args, Watch: func(try int, came *campaigns.Case, hit bool) {
		word := "differs"
		if hit {
			word = "recurs"
		}
		fmt.Fprintf(r.stderr, "try %d: %s: %s\n", try, word, describe(&came.Judgement))
	}}
	o.Judging.Timeout = r.checkTimeout
	report, err := repro.Repeat(ctx, campaigns.RunDir(dir), o)
	if report != nil && report.Tries > 0 {
		r.print(report)
	}
	if err != nil {
		return err
	}
	if report.Hits > 0 && report.Recorded.Finding() || len(report.Others) > 0 {
		return exit(campaigns.ExitFinding)
	}
	return nil
}

func (r *repeat) print(report *repro.Report) {
	w := r.stdout
	fmt.Fprintf(w, "recorded    %s\n", describe(report.Recorded))
	if report.ExecutableSame {
		fmt.Fprintf(w, "program     same text and same executable, byte for byte\n")
	} else {
		fmt.Fprintf(w, "program     same text, byte for byte\n")
	}
	fmt.Fprintf(w, "recurred    %d of %d tries (same log: %d)\n", report.Hits, report.Tries, report.LogsSame)
	if report.HitDir != "" {
		fmt.Fprintf(w, "first hit   %s\n", report.HitDir)
	} else {
		fmt.Fprintf(w, "            it did not recur: a race on real hardware may need more tries (--tries)\n")
	}
	for _, other := range slices.Sorted(maps.Keys(report.Others)) {
		fmt.Fprintf(w, "otherwise   %d × %s\n", report.Others[other], other)
	}
}

// describe is a judgement on one line.
func describe(j *campaigns.Judgement) string {
	parts := []string{j.Outcome.String()}
	for _, a := range j.Answers {
		parts = append(parts, a.Model+" "+a.Answer)
	}
	if j.Title != "" {
		parts = append(parts, j.Title)
	}
	return strings.Join(parts, ", ")
}
