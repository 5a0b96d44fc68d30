package audit

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab/bugs"
	"ordeal/campaigns/lab/history"
	"ordeal/campaigns/run"
)

// NewHistory makes the bench history command.
func NewHistory(e *command.Env) *cobra.Command {
	r := history.Replay{}
	var clone string
	var engines []string
	var asJSON bool
	cpu := config.Duration(time.Minute)
	cmd := &cobra.Command{
		Use:   "history [PROTOCOL…]",
		Short: "Audit gem5's history commit by commit: which commit began and ended each defect",
		Long: `Audit the protocols of CPUs, or the named ones, at each commit of a clone that changed them,
and follow what is found from commit to commit. A finding that a commit's parent
does not have is tried there with the same program and seeds, and so are findings of
the parent at the commit: a finding counts for every version that shows it. What is
left begins or ends at the commit. The clone, bare or not, is only read.

What cannot be read, parsed or simulated has a row with the reason. Results go to DIR, and
the same command in the same directory continues an interrupted one. They belong to texts
of protocols: commits that were rewritten without a change of these cost nothing. It ends
with 1 if a commit began a finding.`,
		Example: `  ordeal bench history --gem5-tree gem5 --since 2024-01-01 --dir history
  ordeal bench history --gem5-tree gem5 --since v24.0..v25.0 --cpu 10s MOESI_CMP_directory`,
		Args: cobra.ArbitraryArgs,
	}
	f := cmd.Flags()
	f.StringVar(&clone, "gem5-tree", "", "clone of gem5's repository, with its history")
	f.StringVar(&r.Since, "since", "", "day, as 2024-01-31, or `commit` after which it begins; A..B ends at commit B")
	f.StringSliceVar(&engines, "engines", nil, "only these engines: "+messages.Or(audit.EngineNames()))
	f.TextVar(&cpu, "cpu", cpu, "CPU `time` for each version of a protocol; 0s: no limit")
	f.Uint64Var(&r.Audit.Steps, "steps", 0, "events of simulations and steps of explorations for each version; 0: no limit")
	f.Uint64Var(&r.Audit.Seed, "seed", 1, "seed of everything that is drawn")
	f.IntVar(&r.Workers, "workers", 0, "audits at a time; 0: as many as there are processors")
	f.StringVar(&r.Dir, "dir", "", "directory of the results; default runs/history-TIME")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	command.Complete(cmd, "engines", audit.EngineNames())
	cmd.RunE = command.Body(func(ctx context.Context, only []string) error {
		if clone == "" || r.Since == "" {
			return command.Usage(errors.New("want a clone of gem5's repository and where to begin: --gem5-tree CLONE --since DATE|COMMIT"))
		}
		if cpu == 0 && r.Audit.Steps == 0 {
			return command.Usage(errNoBudget)
		}
		var err error
		if r.Clone, err = bugs.OpenClone(ctx, clone); err != nil {
			return command.Usage(err)
		}
		if r.Audit.Engines, err = audit.ParseEngines(engines); err != nil {
			return command.Usage(err)
		}
		if r.Commits, err = r.Clone.Commits(ctx, r.Since); err != nil {
			return command.Usage(err)
		}
		command.CollectSeldom()
		if r.Dir, err = command.OutputDir(r.Dir, "history"); err == nil {
			err = run.LockDir(r.Dir)
		}
		if err != nil {
			return err
		}
		if r.Only, r.Audit.CPU = only, time.Duration(cpu); r.Workers < 1 {
			r.Workers = runtime.GOMAXPROCS(0)
		}
		line := e.Progress("read the history")
		r.Progress = line.Show
		report, err := r.Run(ctx)
		line.Close()
		if err != nil {
			return err
		}
		status := summary.ExitOK
		if report.Regressions() > 0 {
			status = summary.ExitFinding
		}
		return e.Found(status, errors.Join(
			run.WriteJSON(filepath.Join(r.Dir, "history.json"), report, true),
			e.Print(asJSON, report, report.WriteText)))
	})
	return cmd
}
