package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab"
	"ordeal/campaigns/mutation"
	"ordeal/campaigns/run"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
)

func newMutateRun(e *env) *cobra.Command {
	m := matrix{env: e}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run programs on mutants and print which are killed",
		Long: `Run programs on the mutants of protocols, under several kinds of core, and print
the kill matrix: which mutants were killed, with which outcome and after how many
operations, and why the others may have survived. Results are appended to
DIR/matrix.jsonl, and are in DIR/matrix.json at the end; the same command in the same
directory continues an interrupted one.

With --explore all states are visited as well that the mutants have on small machines:
a mutant is killed by a shortest counterexample, or makes no difference up to these
sizes, or is undecided. What the programs kill is then counted against the mutants that
can be killed. Results are in DIR/explored.jsonl.`,
		Args: command.Arguments(0, 0, "no arguments"),
	}
	f := cmd.Flags()
	f.StringSliceVar(&m.protocols, "protocol", protocols.Names(), "embedded protocols")
	command.Declare(cmd, &m.machine, "slicc", "builtins", "slicc-path", "repair")
	f.StringSliceVar(&m.cores, "core", []string{"inorder", "tso", "ooo"}, "kinds of core")
	f.StringSliceVar(&m.operators, "operator", nil, "only these operators: "+strings.Join(operatorNames(), ", "))
	f.StringArrayVar(&m.ids, "mutant", nil, "only this mutant; may be repeated")
	completeMutants(cmd)
	command.Complete(cmd, "operator", operatorNames())
	command.Complete(cmd, "protocol", protocols.Names())
	f.IntVar(&m.o.Sample, "sample", 0, "mutants of each protocol, drawn by the seed; 0 means all")
	f.Uint64Var(&m.o.Seed, "seed", 1, "seed of programs, schedules and the sample")
	f.IntVar(&m.o.Budget, "budget", 1_000_000, "operations for each mutant, core and seed; with --explore, 0 means none")
	f.IntVar(&m.o.Runs, "runs", 60, "most runs executed for them, without those that cannot differ from the protocol's; 0: no bound")
	f.IntVar(&m.o.Seeds, "seeds", 1, "how many seeds each mutant gets, from --seed on")
	f.IntVar(&m.o.Workers, "workers", 0, "mutants at a time; 0 means one for each processor")
	f.BoolVar(&m.explore, "explore", false, "also explore the mutants on small machines, all states of them, and hold the programs against that")
	f.Uint64Var(&m.maxStates, "max-states", defaultMaxStates, "with --explore: most orbits of states of a machine")
	command.JSONFlag(cmd, &m.json)
	f.StringVar(&m.dir, "dir", "", "directory of the results; default runs/mutants-TIME")
	cmd.RunE = command.Body(func(ctx context.Context, _ []string) error { return m.run(ctx) })
	return cmd
}

// matrix is the mutate run command.
type matrix struct {
	*env
	o                                mutation.Options
	protocols, cores, operators, ids []string
	dir                              string
	machine                          config.Machine // its options that a protocol has: slicc, repair
	explore, json                    bool
	maxStates                        uint64
}

func (m *matrix) run(ctx context.Context) error {
	if err := m.options(); err != nil {
		return command.Usage(err)
	}
	command.CollectSeldom()
	var err error
	if m.dir, err = command.OutputDir(m.dir, "mutants"); err != nil {
		return err
	}
	if err := run.LockDir(m.dir); err != nil {
		return err
	}
	var proofs []mutation.Proof
	results, err := m.sample(ctx)
	if err == nil && m.explore {
		proofs, err = m.prove(ctx)
	}
	if err != nil && ctx.Err() != nil {
		fmt.Fprintf(m.Stderr, "stopped: the same command with --dir %s continues\n", messages.QuotedPath(m.dir))
		return err
	}
	if err != nil && len(results)+len(proofs) == 0 {
		return err
	}
	return m.report(results, proofs, err)
}

// sample runs programs on the mutants, unless the budget is 0.
func (m *matrix) sample(ctx context.Context) ([]mutation.Result, error) {
	if m.explore && m.o.Budget == 0 {
		return nil, nil
	}
	var err error
	if m.o.Stored, err = lab.Open[mutation.Result](filepath.Join(m.dir, mutation.MatrixFile)); err != nil {
		return nil, err
	}
	shown := showMutants(m.env, len(m.o.Targets), "mutants on a kind of core run")
	m.o.OnTarget = shown.begin
	m.o.OnResult = func(r mutation.Result) { shown.add(r.Mutant + " on " + r.Core) }
	results, err := mutation.Run(ctx, m.o)
	shown.Close()
	return results, errors.Join(err, m.o.Stored.Close())
}

// prove explores the mutants.
func (m *matrix) prove(ctx context.Context) ([]mutation.Proof, error) {
	o := mutation.ProveOptions{
		Targets: m.o.Targets, Accept: m.o.Accept, Sample: m.o.Sample, Seed: m.o.Seed, MaxStates: m.maxStates, Workers: m.o.Workers,
	}
	var err error
	if o.Stored, err = lab.Open[mutation.Proof](filepath.Join(m.dir, mutation.ExploredFile)); err != nil {
		return nil, err
	}
	shown := showMutants(m.env, len(m.o.Targets), "mutants explored")
	o.Notef = func(format string, args ...any) { fmt.Fprintf(shown, format+"\n", args...) }
	o.OnTarget = shown.begin
	o.OnProof = func(p mutation.Proof) { shown.add(p.Mutant) }
	proofs, err := mutation.Prove(ctx, o)
	shown.Close()
	return proofs, errors.Join(err, o.Stored.Close())
}

// options completes the options from the flags.
func (m *matrix) options() error {
	m.o.Generators, m.o.Machines = mutation.Generators(), mutation.Machines()
	for _, name := range m.cores {
		k, err := core.ParseKind(name)
		if err != nil {
			return err
		}
		m.o.Cores = append(m.o.Cores, k)
	}
	if m.machine.SLICC != "" {
		t, err := mutation.File(m.machine.Source(), m.machine.Repair)
		if err != nil {
			return err
		}
		m.o.Targets = []mutation.Target{t}
	} else {
		for _, name := range m.protocols {
			t, err := embedded(name)
			if err != nil {
				return err
			}
			m.o.Targets = append(m.o.Targets, t)
		}
	}
	byOperator, err := operatorFilter(m.operators)
	if err != nil {
		return err
	}
	if len(m.ids) == 0 {
		m.o.Accept = byOperator
		return nil
	}
	m.o.Accept = func(mutant *mutate.Mutant) bool { return slices.Contains(m.ids, mutant.ID) }
	return m.known()
}

// known rejects names that no protocol has.
func (m *matrix) known() error {
	for _, id := range m.ids {
		var errs []error
		for i := range m.o.Targets {
			p, err := mutate.NewCatalogue(m.o.Targets[i].Tree)
			if err != nil {
				return err
			}
			if _, err = p.Find(id); err == nil {
				errs = nil
				break
			}
			errs = append(errs, err)
		}
		if len(errs) > 0 {
			return errs[0]
		}
	}
	return nil
}

// report writes the matrix, unless it has failed to be whole, and prints it in any case.
func (m *matrix) report(results []mutation.Result, proofs []mutation.Proof, failed error) error {
	if failed == nil && (len(results) > 0 || len(proofs) == 0) {
		failed = m.writeMatrix(results)
	}
	survivors := mutation.Survivors(results)
	found := len(survivors) > 0
	if len(proofs) > 0 {
		found = left(results, proofs)
	}
	switch {
	case m.json:
		failed = errors.Join(failed, m.PrintJSON(struct {
			Dir       string              `json:"dir"`
			Results   []mutation.Result   `json:"results,omitempty"`
			Survivors []mutation.Survivor `json:"survivors,omitempty"`
			Proofs    []mutation.Proof    `json:"proofs,omitempty"`
		}{m.dir, results, survivors, proofs}))
	case len(proofs) > 0:
		m.reportTruth(results, proofs)
	default:
		fmt.Fprint(m.Stdout, mutation.Table(results, m.Columns()))
		if found {
			fmt.Fprintf(m.Stdout, "%d mutants survived:\n", len(survivors))
		}
		for _, s := range survivors {
			fmt.Fprintf(m.Stdout, "  %s: %s\n", s.Mutant, s.Reason)
		}
		fmt.Fprintf(m.Stdout, "\nresults  %s\n", m.matrixPath())
	}
	if failed == nil && found {
		return command.Exit(summary.ExitFinding)
	}
	return failed
}

func (m *matrix) matrixPath() string { return filepath.Join(m.dir, "matrix.json") }

func (m *matrix) writeMatrix(results []mutation.Result) error {
	data, err := json.MarshalIndent(results, "", " ")
	if err != nil {
		return err
	}
	return run.WriteText(m.matrixPath(), string(data)+"\n", false)
}
