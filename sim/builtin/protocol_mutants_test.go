package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/syntax"
)

// TestMutantsEnd drops and swaps the actions of each transition of a protocol:
// no run ends in a fault of the simulator.
func TestMutantsEnd(t *testing.T) {
	outcomes := outcomesOf(t, smallProtocol, 1)
	t.Log(outcomes)
	for _, want := range []sim.Outcome{sim.Passed, sim.Crash, sim.Deadlock} {
		if outcomes[want] < 5 {
			t.Errorf("only %d mutants end with %s", outcomes[want], want)
		}
	}
}

// TestStockMutantsEnd is TestMutantsEnd with every seventh transition of the
// repaired protocols of a gem5 tree.
func TestStockMutantsEnd(t *testing.T) {
	tree := os.Getenv("ORDEAL_GEM5_TREE")
	if tree == "" {
		t.Skip("ORDEAL_GEM5_TREE names no gem5 tree")
	}
	for _, name := range []string{"MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"} {
		t.Log(name, outcomesOf(t, filepath.Join(tree, "src/mem/ruby/protocol", name+".slicc"), 7))
	}
}

// outcomesOf runs mutants of every step-th transition and counts how they end.
func outcomesOf(t *testing.T, path string, step int) map[sim.Outcome]int {
	t.Helper()
	file, err := syntax.Load(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	file, _ = mutate.Corrected(file)
	outcomes := map[sim.Outcome]int{}
	list := transitions(file)
	for n := 0; n < len(list); n += step {
		tr := list[n]
		actions := tr.Actions
		for i := range actions {
			tr.Actions = slices.Delete(slices.Clone(actions), i, i+1)
			outcomes[runMutant(t, file, tr, fmt.Sprintf("without action %d", i))]++
			if i > 0 {
				tr.Actions = slices.Clone(actions)
				tr.Actions[i-1], tr.Actions[i] = actions[i], actions[i-1]
				outcomes[runMutant(t, file, tr, fmt.Sprintf("with actions %d and %d swapped", i-1, i))]++
			}
		}
		tr.Actions = actions
	}
	return outcomes
}

// transitions lists the transitions of all machines.
func transitions(f *syntax.File) []*syntax.Transition {
	var list []*syntax.Transition
	for _, d := range machineDecls(f) {
		if tr, ok := d.(*syntax.Transition); ok {
			list = append(list, tr)
		}
	}
	return list
}

func runMutant(t *testing.T, file *syntax.File, tr *syntax.Transition, what string) sim.Outcome {
	t.Helper()
	p, err := ruby.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, Options{Compiled: p, Core: core.OOO, Budget: 40_000, Watchdog: 20_000})
	report, err := r.Simulate(t.Context(), sim.Job{Program: randomProgram(t, 3, 4), Rounds: 8, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if report.Outcome == sim.Infra {
		t.Errorf("transition at %s %s: %s\n%s", tr.Pos, what, report.Title, report.Detail)
	}
	return report.Outcome
}
