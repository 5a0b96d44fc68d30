package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/mutation"
)

// defaultMaxStates bounds the exploration of a mutant.
const defaultMaxStates = 2_000_000

// prove explores one mutant.
func (s *source) prove(ctx context.Context, id string, maxStates uint64) ([]mutation.Proof, error) {
	t, err := s.target()
	if err != nil {
		return nil, command.Usage(err)
	}
	return mutation.Prove(ctx, mutation.ProveOptions{Targets: []mutation.Target{t}, Mutants: []string{id}, MaxStates: maxStates})
}

// showResults prints which runs kill a mutant.
func showResults(e *env, results []mutation.Result) {
	for i := range results {
		r := &results[i]
		for n, trial := range r.Seeds {
			if trial.Killed {
				fmt.Fprintf(e.Stdout, "killed on %s after %s operations, seed %d of %d: %s: %s\n",
					r.Core, messages.Comma(trial.Ops), n+1, len(r.Seeds), trial.By, messages.EscapeLine(trial.Title))
			} else {
				fmt.Fprintf(e.Stdout, "not killed on %s by %s operations, seed %d of %d\n", r.Core, messages.Comma(trial.Ops), n+1, len(r.Seeds))
			}
		}
	}
}

// showProofs prints what exploration says of mutants.
func showProofs(e *env, proofs []mutation.Proof) {
	for i := range proofs {
		p := &proofs[i]
		fmt.Fprintln(e.Stdout, messages.EscapeLine(p.String()))
		if p.Counterexample != nil {
			printSteps(e.Stdout, p.Counterexample)
		}
	}
}

// reportTruth prints what exploration says of the mutants, and holds the programs
// against it.
func (m *matrix) reportTruth(results []mutation.Result, proofs []mutation.Proof) {
	sampled := len(results) > 0
	if sampled {
		fmt.Fprint(m.Stdout, mutation.Table(results, m.Columns()))
	}
	fmt.Fprintln(m.Stdout, mutation.TruthTable(mutation.Compare(results, proofs), sampled).Fit(m.Columns()))
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
	fmt.Fprintf(m.Stdout, "\nresults  %s\n", filepath.Join(m.dir, mutation.ExploredFile))
}

// left reports whether a mutant that was explored is not known to be equivalent and not
// killed, by exploration or by programs.
func left(results []mutation.Result, proofs []mutation.Proof) bool {
	return slices.ContainsFunc(proofs, func(p mutation.Proof) bool { return p.Equivalent == "" && p.Truth != mutation.Refuted }) ||
		len(results) > 0 && len(mutation.Missed(results, proofs)) > 0
}
