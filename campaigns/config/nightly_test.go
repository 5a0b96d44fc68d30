package config

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
)

// TestNightly requires that the nightly campaign has each protocol with each
// kind of core on three machines, the processor, and canaries of every protocol
// that are those of the catalogue and execute enough operations to be missed.
func TestNightly(t *testing.T) {
	c, err := Ready("nightly.yaml")
	must.Succeed(t, err)
	catalogue, err := Ready("injected.yaml")
	must.Succeed(t, err)
	want := Campaign{Name: "nightly", Budget: Duration(8 * time.Hour), Reduce: Duration(time.Minute), Keep: KeepFindings}
	if diff := cmp.Diff(want, Campaign{Name: c.Name, Budget: c.Budget, Reduce: c.Reduce, Keep: c.Keep}); diff != "" {
		t.Errorf("campaign (-want +got):\n%s", diff)
	}
	machines, canaries := make(map[string]int), make(map[string]int)
	host, controls := 0, 0
	for i := range c.Configs {
		cfg := &c.Configs[i]
		switch {
		case c.SimOf(cfg) == SimHost:
			host++
		case cfg.Bug != nil:
			if cfg.ISA != gen.X86 {
				continue // of isa.yaml only
			}
			k := slices.IndexFunc(catalogue.Configs, func(b Config) bool { return b.Name == cfg.Name })
			if k < 0 {
				t.Errorf("no bug %s in the catalogue", cfg.Name)
				continue
			}
			mutant := func(c *Config) Config {
				bug := *c.Bug
				bug.Budget, bug.Known = 0, ""
				return Config{Expect: c.Expect, Bug: &bug, Machine: Machine{Mutant: c.Mutant, CoreBugs: c.CoreBugs, Core: c.Core, Protocol: c.Protocol}}
			}
			if diff := cmp.Diff(mutant(&catalogue.Configs[k]), mutant(cfg)); diff != "" {
				t.Errorf("%s is not that of the catalogue (-catalogue +nightly):\n%s", cfg.Name, diff)
			}
			if cfg.Bug.Equivalent != "" {
				controls++
				continue
			}
			canaries[cfg.Protocol]++
			if cfg.Bug.Budget < 50_000 {
				t.Errorf("%s: missed after %d operations", cfg.Name, cfg.Bug.Budget)
			}
			// At least nine of ten operations are reads and writes, without fences.
			if ops := cfg.Runs * cfg.Threads * cfg.Ops * cfg.Rounds; ops < 3*cfg.Bug.Budget/2 {
				t.Errorf("%s: %d operations, and missed after %d", cfg.Name, ops, cfg.Bug.Budget)
			}
		default:
			machines[cfg.Protocol+" "+cfg.Core]++
			if promise := cfg.Promise(); cfg.Expect != promise {
				t.Errorf("%s: expected %s, but the cores promise %s", cfg.Name, cfg.Expect, promise)
			}
			if cfg.Runs < 1000 {
				t.Errorf("%s: %d runs", cfg.Name, cfg.Runs)
			}
		}
	}
	for _, protocol := range protocols.Names() {
		if canaries[protocol] < 5 {
			t.Errorf("%s: %d canaries", protocol, canaries[protocol])
		}
		for _, kind := range core.Kinds() {
			if n := machines[protocol+" "+kind.String()]; n < 3 {
				t.Errorf("%s with %s cores on %d machines", protocol, kind, n)
			}
		}
	}
	if host < 4 || controls < 1 {
		t.Errorf("%d kinds of run on the processor, %d negative controls", host, controls)
	}
}
