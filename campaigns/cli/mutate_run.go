package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/mutation"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
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
Exit status 1 when a mutant that is not known to be equivalent survived.`,
		Args: command.Arguments(0, 0, "no arguments"),
	}
	f := cmd.Flags()
	f.StringSliceVar(&m.protocols, "protocol", protocols.Names(), "embedded protocols")
	command.Declare(cmd, &m.machine, "slicc", "repair")
	f.StringSliceVar(&m.cores, "core", []string{"inorder", "tso", "ooo"}, "kinds of core")
	f.StringSliceVar(&m.operators, "operator", nil, "only these operators: "+operatorNames())
	f.StringSliceVar(&m.ids, "mutant", nil, "only these mutants")
	f.IntVar(&m.o.Sample, "sample", 0, "mutants of each protocol, drawn by the seed; 0 means all")
	f.Uint64Var(&m.o.Seed, "seed", 1, "seed of programs, schedules and the sample")
	f.IntVar(&m.o.Budget, "budget", 1_000_000, "operations for each mutant, core and seed")
	f.IntVar(&m.o.Runs, "runs", 60, "most runs executed for them, without those that cannot differ from the protocol's; 0: no bound")
	f.IntVar(&m.o.Seeds, "seeds", 1, "how many seeds each mutant gets, from --seed on")
	f.IntVar(&m.o.Workers, "workers", 0, "mutants at a time; 0 means one for each processor")
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
}

func (m *matrix) run(ctx context.Context) error {
	if err := m.options(); err != nil {
		return command.Usage(err)
	}
	command.CollectSeldom()
	var err error
	if m.dir == "" {
		m.dir, err = command.NewDir("mutants")
	} else {
		m.dir = rundir.Resolve(m.dir)
		err = rundir.MkdirAll(m.dir)
	}
	if err != nil {
		return err
	}
	journal, err := mutation.OpenJournal(filepath.Join(m.dir, "matrix.jsonl"), &m.o)
	if err != nil {
		return err
	}
	m.o.Done = journal.Done
	done, last := 0, time.Now()
	m.o.OnResult = func(r mutation.Result) error {
		if done++; time.Since(last) > 5*time.Second {
			last = time.Now()
			fmt.Fprintf(m.Stderr, "%d mutants, now %s on %s cores\n", len(m.o.Done)+done, r.Mutant, r.Core)
		}
		return journal.Add(r)
	}
	results, err := mutation.Run(ctx, m.o)
	if err := errors.Join(err, journal.Close()); err != nil {
		if ctx.Err() != nil {
			fmt.Fprintf(m.Stderr, "stopped: the same command with --dir %s continues\n", messages.Quoted(m.dir))
		}
		return err
	}
	return m.report(results)
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
		t, err := mutation.File(m.machine.SLICC, m.machine.Repair)
		if err != nil {
			return err
		}
		m.o.Targets = []mutation.Target{t}
	} else {
		for _, name := range m.protocols {
			t, err := mutation.Embedded(name)
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

// report prints the matrix and writes it.
func (m *matrix) report(results []mutation.Result) error {
	path := filepath.Join(m.dir, "matrix.json")
	data, err := json.MarshalIndent(results, "", " ")
	if err != nil {
		return err
	}
	if err := rundir.WriteOutput(path, append(data, '\n'), rundir.Plain); err != nil {
		return err
	}
	fmt.Fprint(m.Stdout, mutation.Table(results))
	survivors := mutation.Survivors(results)
	if len(survivors) > 0 {
		fmt.Fprintf(m.Stdout, "%d mutants survived:\n", len(survivors))
		for _, s := range survivors {
			fmt.Fprintf(m.Stdout, "  %s: %s\n", s.Mutant, s.Reason)
		}
	}
	fmt.Fprintf(m.Stdout, "\nresults  %s\n", path)
	if len(survivors) > 0 {
		return command.Exit(summary.ExitFinding)
	}
	return nil
}
