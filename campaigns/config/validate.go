package config

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"ordeal/campaigns/internal/messages"
	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/gen/shapes"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/agent"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/explore/machine"
	"ordeal/sim/gem5"
	gem5agent "ordeal/sim/gem5/agent"
	"ordeal/sim/lazyregexp"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/network"
)

// MaxRuns bounds the runs of a campaign.
const MaxRuns = 10_000_000

// Rules are what the tags of options refer to by name.
var Rules = option.Rules{
	Values: map[string]func() []string{
		"sims":       Sims,
		"syncs":      func() []string { return []string{SyncAuto, SyncFree, SyncRound} },
		"models":     ModelNames,
		"classes":    func() []string { return append(ModelNames(), "all") },
		"keeps":      func() []string { return []string{string(KeepFindings), string(KeepAll)} },
		"policies":   func() []string { return []string{string(InfraContinue), string(InfraStop)} },
		"cores":      func() []string { return texts(core.Kinds()) },
		"reorders":   ruby.Reorders,
		"topologies": network.Topologies,
		"barriers":   agent.BarrierNames,
		"rmws":       core.RMWs,
		"orders":     func() []string { return texts([]event.Order{event.Shuffled, event.FIFO, event.LIFO}) },
		"fairness":   FairnessNames,
		"properties": machine.Properties,
		"isas":       func() []string { return texts(gen.ISAs()) },
		"layouts":    func() []string { return texts(append([]gen.Layout{gen.AnyLayout}, gen.Layouts()...)) },
		"protocols":  builtin.Protocols,
		"agents":     gem5agent.Models,
		"cpus":       gem5.CPUs,
		"networks":   gem5.Networks,
		"logs":       gem5.Logs,
		"bugs":       func() []string { return texts(core.AllBugs()) },
		"outcomes": func() []string {
			return texts([]sim.Outcome{sim.Violation, sim.Corrupt, sim.Crash, sim.Deadlock, sim.Livelock, sim.Starvation, sim.Timeout})
		},
		"shapes": func() []string {
			var names []string
			for _, s := range shapes.All() {
				names = append(names, s.Name)
			}
			return names
		},
	},
	Forms: map[string]func() *regexp.Regexp{
		"name":  lazyregexp.New(`^[a-z0-9][a-z0-9._+-]*$`),
		"cache": lazyregexp.New(`^[1-9][0-9]*x[1-9][0-9]*$`),
		"mix":   lazyregexp.New(`^(load|store|exchange|add|fence|pair)=[0-9]+(,(load|store|exchange|add|fence|pair)=[0-9]+)*$`),
	},
	Hint: messages.Hint,
}

// texts are the names of values.
func texts[T fmt.Stringer](values []T) []string {
	var names []string
	for _, v := range values {
		names = append(names, v.String())
	}
	return names
}

// faults collects faults, one for each option: the declarations and the rules
// of a layer below may agree.
type faults []option.Fault

func (f *faults) add(more ...option.Fault) {
	for _, fault := range more {
		if !slices.ContainsFunc(*f, func(known option.Fault) bool { return known.Name == fault.Name }) {
			*f = append(*f, fault)
		}
	}
}

// Validate reports everything that is wrong with p: an option.Fault for each.
func (p *Programs) Validate() error { return option.Join(p.faults()) }

func (p *Programs) faults() []option.Fault {
	var f faults
	f.add(Rules.Check(p)...)
	f.add(option.Faults(p.Options.Validate(), "ops")...)
	return f
}

// CheckSim lists the options of a struct, given by pointer, that are set and
// that the simulator does not have.
func CheckSim(options any, sim string) []option.Fault {
	var f faults
	value := reflect.ValueOf(options).Elem()
	for _, o := range option.Of(value.Type()) {
		if !o.Has(sim) && !isEmpty(value.FieldByIndex(o.Field.Index)) {
			f.add(option.Faultf(o.Name, "is no option of simulator %s, but of %s", sim, messages.Or(o.Sims)))
		}
	}
	return f
}

// ValidateMachine reports everything that keeps a simulator from running the
// machine of c: an option.Fault for each.
func (c *Config) ValidateMachine(sim string) error { return option.Join(c.machineFaults(sim)) }

func (c *Config) machineFaults(sim string) []option.Fault {
	var f faults
	f.add(Rules.Check(&c.Machine)...)
	f.add(Rules.Check(&c.Gem5)...)
	f.add(CheckSim(&c.Machine, sim)...)
	f.add(CheckSim(&c.Gem5, sim)...)
	switch {
	case sim == SimGem5:
		_, err := c.Gem5Options()
		f.add(option.Faults(err, "gem5")...)
	case sim == SimBuiltin && len(f) == 0:
		_, err := c.Machine.Builtin()
		f.add(option.Faults(err, "core")...)
	}
	if sim == SimBuiltin && c.Explore == nil && c.Cores > 0 && c.Threads > c.Cores {
		f.add(option.Faultf("cores", "%d for %s", c.Cores, messages.Plural(c.Threads, "thread")))
	}
	return f
}

// exploreFaults are what keeps the configuration from being explored.
func (c *Config) exploreFaults(sim string) []option.Fault {
	var f faults
	if sim != SimBuiltin {
		f.add(option.Faultf("explore", "simulator %s has no states to explore: want %s", sim, SimBuiltin))
	}
	if c.Runs != 1 {
		f.add(option.Faultf("explore", "%d runs: want one, which visits all states", c.Runs))
	}
	if len(f) == 0 {
		f.add(c.Explore.faults(&c.Machine)...)
		f.add(c.Explore.programFaults()...)
	}
	return f
}

// validate reports everything that keeps c from running. At turns the path of
// a value into its place for messages.
func (c *Campaign) validate(at func(path ...string) string) error {
	var errs []error
	report := func(list []option.Fault, path ...string) {
		for _, f := range list {
			errs = append(errs, fmt.Errorf("%s: %s: %s", at(append(slices.Clone(path), f.Name)...), f.Name, f.Message))
		}
	}
	report(Rules.Check(c))
	report(Rules.Check(&c.Stop), "stop")
	if c.Audit != nil {
		report(Rules.Check(c.Audit), "audit")
	}
	for i := range c.Known {
		report(Rules.Check(&c.Known[i]), "known", fmt.Sprint(i))
	}
	if len(c.Configs) == 0 {
		report([]option.Fault{option.Faultf("configs", "no configuration")})
	}
	if c.Total > c.once() && !slices.ContainsFunc(c.Configs, func(cfg Config) bool { return cfg.Explore == nil }) {
		report([]option.Fault{option.Faultf("runs", "%d: explorations are not repeated", c.Total)})
	}
	seen := make(map[string]bool)
	total := 0
	for i := range c.Configs {
		cfg := &c.Configs[i]
		path := []string{"configs", fmt.Sprint(i)}
		var f faults
		f.add(Rules.Check(cfg)...)
		f.add(cfg.Programs.faults()...)
		f.add(cfg.machineFaults(c.SimOf(cfg))...)
		if seen[cfg.Name] {
			f.add(option.Faultf("name", "%q names two configurations", cfg.Name))
		}
		seen[cfg.Name] = true
		if total <= MaxRuns {
			if total += max(0, cfg.Runs); total > MaxRuns {
				f.add(option.Faultf("runs", "%d: want at most %d in the whole campaign", cfg.Runs, MaxRuns))
			}
		}
		if slices.Contains(cfg.Classify, cfg.Expect) {
			f.add(option.Faultf("classify", "%q is the expected model already", cfg.Expect))
		}
		report(f, path...)
		if cfg.Explore != nil {
			report(cfg.exploreFaults(c.SimOf(cfg)), append(slices.Clone(path), "explore")...)
		}
		if cfg.Bug != nil {
			report(Rules.Check(cfg.Bug), append(path, "bug")...)
		}
	}
	return errors.Join(errs...)
}
