package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab/bugs"
	"ordeal/campaigns/run"
)

// benchBugs is the bench bugs command.
type benchBugs struct {
	*command.Env
	bench       bugs.Bench
	clone, file string
	engines     []string
	cpu         config.Duration
	stock       bool
	json        bool
}

// NewBugs makes the bench bugs command.
func NewBugs(e *command.Env) *cobra.Command {
	x := &benchBugs{Env: e, cpu: config.Duration(2 * time.Minute)}
	cmd := &cobra.Command{
		Use:   "bugs [ID…]",
		Short: "Measure how many real bugs of gem5's history are found again",
		Long: `Measure how many real bugs of gem5's coherence protocols are found again. For each bug
of the list the protocol without its fix is made from a clone of gem5's repository,
which is only read, and audited (see ordeal audit) until a finding comes up that the
protocol with the fix does not show under the same budget, nor in the same run. A bug
whose protocol cannot be made or simulated is listed with the reason.

Results go to DIR/results.jsonl and the report to DIR; the same command in the same
directory continues an interrupted one. The format of the list is in the manual:
ordeal help lab.

With --stock the list is that of known defects of gem5's unmodified protocols. Each finding is
reduced and drawn in DIR/findings/ID, and the proposed repair, which is there as a patch, is checked
by the same audit. Where the search finds nothing, the run that the list has of a defect is made
again.`,
		Example: `  ordeal bench bugs --gem5-tree gem5 --dir real-bugs
  ordeal bench bugs --gem5-tree gem5 --cpu 20s --engines sample,guided MI-01 ME-07
  ordeal bench bugs --stock --gem5-tree gem5 --cpu 10s S-MI-1`,
		Args: cobra.ArbitraryArgs,
	}
	f := cmd.Flags()
	f.StringVar(&x.clone, "gem5-tree", "", "clone of gem5's repository, with its history")
	f.StringVar(&x.file, "bugs", "", "list of bugs in place of the one that comes with ordeal")
	f.BoolVar(&x.stock, "stock", false, "the defects of gem5's unmodified protocols, and their proposed repairs")
	f.StringSliceVar(&x.engines, "engines", nil, "only these engines: "+messages.Or(audit.EngineNames()))
	f.TextVar(&x.cpu, "cpu", x.cpu, "CPU `time` for each protocol; 0s: no limit")
	f.Uint64Var(&x.bench.Audit.Steps, "steps", 0, "events of simulations and steps of explorations for each protocol; 0: no limit")
	f.Uint64Var(&x.bench.Audit.Seed, "seed", 1, "seed of everything that is drawn")
	f.IntVar(&x.bench.Workers, "workers", 1, "bugs at a time; with more than one, CPU times are those of the process, divided by this number")
	f.StringVar(&x.bench.Dir, "dir", "", "directory of the results; default runs/bugs-TIME")
	f.BoolVar(&x.bench.Repairs, "repairs", false, "search for repairs of each bug that was found, as mutate repair does, and compare them with the fix")
	f.BoolVar(&x.json, "json", false, "print JSON")
	command.Complete(cmd, "engines", audit.EngineNames())
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error { return x.run(ctx, args) })
	return cmd
}

func (x *benchBugs) run(ctx context.Context, ids []string) error {
	list, selected, err := x.list(ids)
	if err != nil {
		return command.Usage(err)
	}
	if x.clone == "" {
		return command.Usage(errors.New("want a clone of gem5's repository: --gem5-tree CLONE"))
	}
	clone, err := bugs.OpenClone(ctx, x.clone)
	if err != nil {
		return command.Usage(err)
	}
	x.bench.Audit.CPU = time.Duration(x.cpu)
	if x.bench.Audit.Engines, err = audit.ParseEngines(x.engines); err != nil {
		return command.Usage(err)
	}
	if x.cpu == 0 && x.bench.Audit.Steps == 0 {
		return command.Usage(errNoBudget)
	}
	command.CollectSeldom()
	if x.bench.Dir, err = command.OutputDir(x.bench.Dir, "bugs"); err == nil {
		err = run.LockDir(x.bench.Dir)
	}
	for _, sub := range []string{"findings", "trees"} {
		err = cmp.Or(err, run.MkdirAll(filepath.Join(x.bench.Dir, sub)))
	}
	if err != nil {
		return err
	}
	x.bench.Maker = &bugs.Maker{Clone: clone, List: list, Dir: filepath.Join(x.bench.Dir, "trees")}
	line := x.Progress(fmt.Sprintf("0 of %d bugs", len(selected)))
	done, total := 0, len(selected)
	x.bench.OnResult = func(r *bugs.Result) {
		done++
		line.Show("%d of %d bugs", done, total)
		what := r.Reason
		if r.Finding != nil {
			what = r.Finding.Title
		}
		fmt.Fprintf(line, "%d of %d: %s %s %s\n", done, total, r.Bug.ID, r.Status, what)
	}
	results, err := x.bench.Run(ctx, selected)
	line.Close()
	if len(results) > 0 {
		err = errors.Join(x.report(bugs.NewReport(results)), err)
	}
	return err
}

// list reads the list, and selects the bugs with the given IDs.
func (x *benchBugs) list(ids []string) (*bugs.List, []*bugs.Bug, error) {
	list, err := bugs.History()
	switch {
	case x.stock && x.file != "":
		return nil, nil, errors.New("--stock and --bugs are two lists: want one")
	case x.stock:
		list, err = bugs.KnownDefects()
	case x.file != "":
		f, _, openErr := x.Open(x.file)
		if openErr != nil {
			return nil, nil, openErr
		}
		defer f.Close()
		list, err = bugs.Read(x.file, f)
	}
	if err != nil {
		return nil, nil, err
	}
	selected, err := list.Select(ids)
	return list, selected, err
}

// report writes the report in every form.
func (x *benchBugs) report(r *bugs.Report) error {
	path := filepath.Join(x.bench.Dir, "bugs.txt")
	return errors.Join( // all of them: what was measured is printed although it could not be written
		run.StreamFile(path, false, func(w io.Writer) error { return r.WriteText(w, 0) }),
		run.WriteJSON(filepath.Join(x.bench.Dir, "bugs.json"), r, true),
		x.Print(x.json, r, func(w io.Writer) error {
			if err := r.WriteText(w, x.Columns()); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w, "\nreport   %s\n", path)
			return err
		}))
}
