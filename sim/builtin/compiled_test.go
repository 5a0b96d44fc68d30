package builtin

import (
	"reflect"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/syntax"
)

// TestShared has machines of one protocol share what it is compiled to, but not
// with its mutants or with a file.
func TestShared(t *testing.T) {
	const mutant = "MI_example/L1Cache/(M,Fwd_GETX)/drop:forward_eviction_to_cpu"
	one := newRunner(t, Options{Protocol: "mi", Core: core.OOO})
	if other := newRunner(t, Options{Protocol: "mi", Core: core.TSO, Hardware: ruby.Hardware{Directories: 2}}); other.protocol != one.protocol {
		t.Error("two machines of a protocol do not share it")
	}
	mutated := newRunner(t, Options{Protocol: "mi", Core: core.OOO, Mutant: mutant})
	if mutated.protocol == one.protocol || mutated.options.Protocol == one.options.Protocol {
		t.Errorf("a mutant is shared with its protocol as %s", mutated.options.Protocol)
	}
	if other := newRunner(t, Options{Protocol: "mi", Core: core.TSO, Mutant: mutant}); other.protocol != mutated.protocol || other.options.Protocol != mutated.options.Protocol {
		t.Errorf("two machines of a mutant do not share it: %s, %s", mutated.options.Protocol, other.options.Protocol)
	}
	if a, b := newRunner(t, Options{SLICC: smallProtocol, Core: core.OOO}), newRunner(t, Options{SLICC: smallProtocol, Core: core.OOO}); a.protocol == b.protocol {
		t.Error("a file, which may have changed, is not read again")
	}
}

// TestEmbedded reads an embedded protocol once, and has mutants leave it as it is.
func TestEmbedded(t *testing.T) {
	tree, err := embedded("mi")
	if err != nil {
		t.Fatal(err)
	}
	newRunner(t, Options{Protocol: "mi", Core: core.OOO, Mutant: "MI_example/L1Cache/(M,Fwd_GETX)/drop:forward_eviction_to_cpu"})
	if again, err := embedded("mi"); again != tree || err != nil {
		t.Errorf("read again: %v", err)
	}
	read, err := protocols.Load("mi")
	if err != nil {
		t.Fatal(err)
	}
	if syntax.PrintAll(tree) != syntax.PrintAll(read) {
		t.Error("a mutant changed the protocol")
	}
}

// TestReleased runs a job on memory that other runs left behind, those that stop
// in the middle of everything included: it is the run on memory of its own.
func TestReleased(t *testing.T) {
	for _, name := range []string{"mi", "mesi-two-level", "moesi-hammer", "moesi-amd-base"} {
		tree, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		fresh := func() *ruby.Protocol {
			p, err := ruby.Compile(tree)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		o := Options{Protocol: name, Compiled: fresh(), Core: core.OOO, Cores: 4, Hardware: ruby.Hardware{Directories: 2}}
		job := sim.Job{Program: randomProgram(t, 1, 3), Rounds: 3, Seed: 7}
		want := ends(t, newRunner(t, o), job, sim.Passed, "")
		o.Compiled = fresh()
		limited := o
		limited.Budget = 900
		for seed := range uint64(3) {
			ends(t, newRunner(t, limited), sim.Job{Program: randomProgram(t, seed, 4), Rounds: 5, Seed: seed}, sim.Timeout, "step budget used up")
			ends(t, newRunner(t, o), sim.Job{Program: randomProgram(t, seed, 2), Rounds: 9, Seed: seed}, sim.Passed, "")
			got := ends(t, newRunner(t, o), job, sim.Passed, "")
			got.Elapsed = want.Elapsed
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: after other runs: %s, want %s", name, got.Statistics, want.Statistics)
			}
		}
	}
}
