package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/mutation"
	"ordeal/campaigns/summary"
)

// defaultMaxStates bounds the exploration of a mutant.
const defaultMaxStates = 2_000_000

// showProof explores one mutant, and prints its shortest counterexample.
func showProof(ctx context.Context, e *env, s *source, id string, maxStates uint64) error {
	t, err := s.target()
	if err != nil {
		return command.Usage(err)
	}
	proofs, err := mutation.Prove(ctx, mutation.ProveOptions{Targets: []mutation.Target{t}, Mutants: []string{id}, MaxStates: maxStates})
	if err != nil {
		return err
	}
	for i := range proofs {
		p := &proofs[i]
		fmt.Fprintln(e.Stdout, messages.EscapeLine(p.String()))
		if p.Counterexample != nil {
			printSteps(e.Stdout, p.Counterexample)
		}
	}
	return nil
}

// reportTruth prints what exploration says of the mutants, and holds the programs
// against it.
func (m *matrix) reportTruth(results []mutation.Result, proofs []mutation.Proof) error {
	sampled := len(results) > 0
	if sampled {
		if err := m.writeMatrix(results); err != nil {
			return err
		}
		fmt.Fprint(m.Stdout, mutation.Table(results))
	}
	fmt.Fprintln(m.Stdout, mutation.TruthTable(mutation.Compare(results, proofs), sampled))
	missed := mutation.Missed(results, proofs)
	if sampled && len(missed) > 0 {
		fmt.Fprintf(m.Stdout, "%d mutants are killed by exploration and by no program:\n", len(missed))
		for _, p := range missed {
			fmt.Fprintf(m.Stdout, "  %s: %s\n", p.Mutant, p)
		}
	}
	left, machines := 0, ""
	for i := range proofs {
		if p := &proofs[i]; p.Equivalent == "" && p.Truth != mutation.Refuted {
			if left++; left == 1 || p.Truth == mutation.Bounded && p.Machine != machines {
				machines = p.Machine
				fmt.Fprintf(m.Stdout, "not killed with %s:\n", machines)
			}
			fmt.Fprintf(m.Stdout, "  %s: %s\n", p.Mutant, p)
		}
	}
	fmt.Fprintf(m.Stdout, "\nresults  %s\n", filepath.Join(m.dir, "explored.jsonl"))
	if left > 0 || sampled && len(missed) > 0 {
		return command.Exit(summary.ExitFinding)
	}
	return nil
}
