package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rate"
	"ordeal/campaigns/summary"
)

// asWritten names the setting in which nothing is overridden.
const asWritten = "as written"

// benchRates is the bench rates command.
type benchRates struct {
	*env
	with []string
	sets []string
	cpu  config.Duration
	json bool
}

func newBenchRates(e *env) *cobra.Command {
	x := &benchRates{env: e, cpu: config.Duration(time.Minute)}
	cmd := &cobra.Command{
		Use:   "rates FILE|-",
		Short: "Measure how fast a campaign tests and finds, under settings side by side",
		Long: `Run the configurations of a campaign file, each for the same CPU time, as the file
has them and once more with each --with, and print operations and failed runs for
each second and minute of CPU time side by side. The programs and seeds of a
configuration are the same under all settings; batch is not used, so that each run of gem5 is
a launch. CPU time is that of the simulator and of the check, starting included. Runs take turns, one
at a time. No run directory stays.`,
		Example: `  ordeal bench rates --with lfence=16 --cpu 2m campaigns/gem5-rates.yaml
  ordeal bench rates --with window=8 --with window=8,store-buffer=1 --cpu 1s campaigns/embedded.yaml`,
		Args: command.Arguments(1, 1, "one FILE, or - for standard input"),
	}
	f := cmd.Flags()
	f.StringArrayVar(&x.with, "with", nil, "compare with `KEY=VALUE[,KEY=VALUE]` in all configurations; may be repeated")
	f.StringArrayVar(&x.sets, "set", nil, "override KEY=VALUE in the file for all settings; may be repeated")
	f.TextVar(&x.cpu, "cpu", x.cpu, "CPU `time` of each configuration under each setting")
	command.JSONFlag(cmd, &x.json)
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error { return x.run(ctx, args[0]) })
	return cmd
}

// ratesReport is what bench rates --json prints.
type ratesReport struct {
	Cells []rate.Cell `json:"cells"`
	Sums  []rate.Sum  `json:"sums"`
}

func (x *benchRates) run(ctx context.Context, file string) error {
	if x.cpu <= 0 {
		return command.Usage(fmt.Errorf("--cpu %v: want more than 0", time.Duration(x.cpu)))
	}
	if file == "-" && len(x.with) > 0 {
		return command.Usage(errors.New("--with: the file is read once for each setting: want no standard input"))
	}
	o := rate.Options{CPU: time.Duration(x.cpu), Runner: execute.NewRunner}
	o.Clock = func() time.Duration { return audit.ProcessTime() + audit.ChildrenTime() }
	for _, with := range append([]string{""}, x.with...) {
		s := rate.Setting{Name: asWritten}
		sets := x.sets
		if with != "" {
			s.Name = with
			for _, set := range strings.Split(with, ",") {
				sets = append(sets[:len(sets):len(sets)], "configs.*."+strings.TrimSpace(set))
			}
		}
		var err error
		if s.Campaign, _, err = x.Campaign(file, sets); err != nil {
			return err
		}
		o.Settings = append(o.Settings, s)
	}
	line := x.Progress("0 runs")
	runs := 0
	o.OnRun = func(c *rate.Cell) {
		runs++
		line.Show("%d runs, %s %s: %d of %d failed", runs, c.Config, c.Setting, c.Failed, c.Runs)
	}
	cells, err := rate.Measure(ctx, o)
	line.Close()
	interrupted := ctx.Err() != nil
	if err != nil && (!interrupted || runs == 0) {
		return err
	}
	if x.json {
		err = x.PrintJSON(ratesReport{cells, rate.Sums(cells, o.Settings)})
	} else {
		_, err = fmt.Fprint(x.Stdout, rate.Table(cells, o.Settings).Fit(x.Columns()))
	}
	if err == nil && interrupted {
		err = command.Exit(summary.ExitUndecided)
	}
	return err
}
