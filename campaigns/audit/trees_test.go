package audit

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
)

// TestTrees has every CPU protocol of the gem5 trees that ORDEAL_GEM5_TREES names, as
// VERSION=FOLDER joined by colons, pass the checks of SLICC, run 2,000 operations on five kinds
// of core, and be audited for 20 s of CPU: whatever it does, it is simulated.
func TestTrees(t *testing.T) {
	trees := os.Getenv("ORDEAL_GEM5_TREES")
	if !*soak || trees == "" {
		t.Skip("-soak with ORDEAL_GEM5_TREES audits gem5's versions")
	}
	for entry := range strings.SplitSeq(trees, ":") {
		version, tree, _ := strings.Cut(entry, "=")
		roots := 0
		for _, pattern := range []string{"src/mem/ruby/protocol/*.slicc", "src/mem/ruby/protocol/chi/*.slicc", "src/learning_gem5/part3/*.slicc"} {
			files, err := filepath.Glob(filepath.Join(tree, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				name := strings.TrimSuffix(filepath.Base(file), ".slicc")
				if strings.HasPrefix(name, "GPU_") || name == "Garnet_standalone" || name == "RubySlicc_interfaces" {
					continue // no caches of CPUs
				}
				roots++
				t.Run(version+"/"+name, func(t *testing.T) { simulates(t, file) })
			}
		}
		if roots < 9 {
			t.Errorf("%s has %d protocols", tree, roots)
		}
	}
}

// simulates is TestTrees of one protocol.
func simulates(t *testing.T, root string) {
	file, err := protocols.LoadFile(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compiler.Check(file); err != nil {
		t.Fatal(err)
	}
	o := gen.Defaults()
	o.Threads, o.Ops = 4, 500
	program, err := gen.Random(rand.New(rand.NewPCG(1, 0)), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []core.Kind{core.InOrder, core.TSO, core.OOO, core.Arm, core.RISCV} {
		machine := builtin.Options{SLICC: root, Core: kind, Cores: 4}
		if kind == core.InOrder {
			machine.RMW = core.LinkedLoad
		}
		runner, err := builtin.New(machine)
		if err != nil {
			t.Fatal(err)
		}
		report, err := runner.Simulate(t.Context(), sim.Job{Program: program, Rounds: 1, Seed: 1})
		if err != nil || report.Outcome == sim.Infra {
			t.Errorf("%s cores: %s: %s, %v", kind, report.Outcome, report.Title, err)
		}
	}
	r, err := Run(t.Context(), Options{Machine: config.Machine{SLICC: root}, Seed: 1, CPU: 20 * time.Second})
	if err != nil || r.Operations == 0 {
		t.Errorf("audit: %d operations, %v", r.Operations, err)
		return
	}
	t.Logf("%d operations, %d findings", r.Operations, len(r.Findings))
}
