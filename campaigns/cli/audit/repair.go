package audit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab/repair"
	"ordeal/campaigns/report/progress"
	"ordeal/campaigns/run"
	"ordeal/sim/protocols"
)

// NewRepair makes the mutate repair command.
func NewRepair(e *command.Env) *cobra.Command {
	x := &repairCommand{Env: e}
	cmd := &cobra.Command{
		Use:   "repair RUN",
		Short: "Search for edits of a protocol that make a finding go away",
		Long: `Search for edits of a protocol that make a finding go away: the action that a row
lacks, as it stands in rows of the same event or state, another next state, the row of
another state where one is missing. The finding is that of a run directory on the embedded
simulator, or of an exploration.

Those with which the finding's own runs pass, also with other seeds, are audited. Where an
audit shows what the protocol does not, a further edit is searched for that takes that away as
well, and so on. Repairs that pass come first: with few rows lost, few edits, and near to the row
that the finding names; then those whose audits went on longest. What comes up with many edits is
taken for a defect of the protocol that the finding hides; so is a failed assertion, or another
failure without a row, that comes up after three runs without the finding. It is listed as new.
Each repair is a mutant by name,
and a patch in RUN/repairs.`,
		Example: "  ordeal mutate repair runs/audit-20261122-235959/000042",
		Args:    command.Arguments(1, 1, "one directory of a run or of an exploration"),
	}
	f := cmd.Flags()
	f.IntVar(&x.o.Tries, "tries", repair.DefaultTries, "most edits to run the finding with")
	f.IntVar(&x.o.Best, "best", repair.DefaultBest, "most repairs to list, and how many whole audits are made")
	f.Uint64Var(&x.o.Steps, "steps", repair.DefaultSteps, "steps of a whole audit")
	f.Uint64Var(&x.o.Seed, "seed", 1, "seed of these audits")
	f.StringVar(&x.title, "title", "", "of an exploration, the finding of this title; * is any text")
	f.BoolVar(&x.json, "json", false, "print JSON")
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error { return x.run(ctx, run.Resolve(args[0])) })
	return cmd
}

// repair is the mutate repair command.
type repairCommand struct {
	*command.Env
	o     repair.Options
	title string
	json  bool
}

func (x *repairCommand) run(ctx context.Context, dir string) error {
	var err error
	if exploration.Is(dir) {
		x.o.Finding, err = x.explored(dir)
	} else {
		x.o.Finding, err = recorded(run.Dir(dir))
	}
	if err != nil {
		return command.Usage(err)
	}
	pace := progress.Pace{Start: time.Now()}
	x.o.OnTry = func(tried int, id string) {
		if pace.Due(time.Now()) {
			fmt.Fprintf(x.Stderr, "%s, now %s\n", messages.Plural(tried, "edit"), id)
		}
	}
	r, err := repair.Search(ctx, x.o)
	if errors.Is(err, repair.ErrNoProtocol) {
		return command.Usage(err)
	}
	if err != nil {
		return err
	}
	if err := x.patches(dir, r); err != nil {
		return err
	}
	if x.json {
		if err := x.PrintJSON(r); err != nil {
			return err
		}
	} else {
		x.print(dir, r)
	}
	if len(r.Repairs) == 0 {
		return command.Exit(summary.ExitUndecided)
	}
	return nil
}

// recorded is the finding of a run directory.
func recorded(dir run.Dir) (*audit.Finding, error) {
	spec, err := dir.Spec()
	if err != nil {
		return nil, err
	}
	if spec.Sim != config.SimBuiltin {
		return nil, fmt.Errorf("%s: a run on %s: want one on the embedded simulator", dir, spec.Sim)
	}
	p, err := dir.Program(spec)
	if err != nil {
		return nil, err
	}
	res, err := dir.Result()
	if err != nil {
		return nil, err
	}
	if !res.Failed() {
		return nil, fmt.Errorf("%s: the run passed", dir)
	}
	return &audit.Finding{
		Title: res.FindingTitle(), Failure: res.Failure.Failure, Outcome: res.Outcome.String(), Detail: res.Detail, Machine: spec.Config.Machine, Program: string(p.Text()), Rounds: spec.Config.Rounds, Seed: spec.SimSeed(),
	}, nil
}

// explored is a finding of an exploration.
func (x *repairCommand) explored(dir string) (*audit.Finding, error) {
	spec, err := exploration.Read(dir)
	if err != nil {
		return nil, err
	}
	r, err := exploration.ReadResult(dir)
	if err != nil {
		return nil, err
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; x.title == "" || diagnose.Matches(x.title, f.Title) {
			return &audit.Finding{Title: f.Title, Failure: f.Failure, Outcome: f.Property.String(), Machine: spec.Machine, Explore: &spec.Explore, Path: f.Steps}, nil
		}
	}
	return nil, fmt.Errorf("%s: no finding of such a title", dir)
}

// repairsDir holds the patches, in the directory of the finding.
const repairsDir = "repairs"

func (x *repairCommand) patches(dir string, r *repair.Result) error {
	at := filepath.Join(dir, repairsDir)
	if err := errors.Join(run.RemoveAll(at), run.MkdirAll(at)); err != nil {
		return err
	}
	for i, found := range r.Repairs {
		patch, err := repair.Patch(x.o.Finding.Machine, found.ID, protocols.Folder)
		if err != nil {
			return err
		}
		if err := run.Overwrite(filepath.Join(at, fmt.Sprintf("%d.patch", i+1)), patch); err != nil {
			return err
		}
	}
	return nil
}

func (x *repairCommand) print(dir string, r *repair.Result) {
	w := x.Stdout
	fmt.Fprintf(w, "finding  %s\ntried    %s, %.1f s of CPU time\n", messages.EscapeLine(r.Title), messages.Plural(r.Tried, "edit"), r.CPU.Seconds())
	for i, found := range r.Repairs {
		fmt.Fprintf(w, "\n%d. %s\n", i+1, strings.ReplaceAll(found.ID, " + ", "\n   + "))
		fmt.Fprintf(w, "   checked by %s of the finding and an audit of %s steps: %s that the protocol has too, %d new", messages.Plural(found.Runs, "run"),
			messages.Comma(int(found.Steps)), messages.Plural(len(found.Left), "finding"), len(found.New))
		if found.Lost > 0 {
			fmt.Fprintf(w, ", %s fewer taken", messages.Plural(found.Lost, "row"))
		}
		fmt.Fprintf(w, "\n   %s\n", filepath.Join(dir, repairsDir, fmt.Sprintf("%d.patch", i+1)))
		for _, title := range found.New {
			fmt.Fprintf(w, "   new: %s\n", messages.EscapeLine(title))
		}
		for _, title := range found.Hidden {
			fmt.Fprintf(w, "   hidden by the finding: %s\n", messages.EscapeLine(title))
		}
	}
	if len(r.Repairs) == 0 {
		fmt.Fprintln(w, "\nno repair found")
	}
}
