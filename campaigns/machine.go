package campaigns

import (
	"errors"
	"fmt"
	"reflect"

	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/latency"
	"ordeal/sim/builtin/ruby/cache"
)

// Machine describes what the embedded simulator simulates; other simulators
// take no notice of it. Its fields are keys of a campaign file and flags of
// the command line under the same names; builtin.Options says more.
type Machine struct {
	// Core is the kind of the cores: core.Kinds. Empty means "tso".
	Core string `yaml:"core" json:"core,omitempty"`
	// Protocol is the memory system, or SLICC the root file of a coherence
	// protocol in gem5's language.
	Protocol string `yaml:"protocol" json:"protocol,omitempty"`
	SLICC    string `yaml:"slicc" json:"slicc,omitempty"`
	// Repair edits known defects out of the protocol.
	Repair bool `yaml:"repair" json:"repair,omitempty"`
	// Mutant is a fault planted in the protocol: package mutate.
	Mutant string `yaml:"mutant" json:"mutant,omitempty"`
	// Cores is the number of cores, at least that of threads; 0 means as many.
	// L2Banks and Dirs are the numbers of banks of a shared cache and of
	// directories; 0 means 1. gem5 takes notice of these three, too.
	Cores   int `yaml:"cores" json:"cores,omitempty"`
	L2Banks int `yaml:"l2-banks" json:"l2-banks,omitempty"`
	Dirs    int `yaml:"dirs" json:"dirs,omitempty"`
	// PrivateCache and SharedCache are the sizes of the caches of cores, and
	// of those of second and further levels, as SETSxWAYS; empty means small.
	PrivateCache string `yaml:"private-cache" json:"private-cache,omitempty"`
	SharedCache  string `yaml:"shared-cache" json:"shared-cache,omitempty"`
	// TBEs is the number of transactions that a controller has room for.
	TBEs int `yaml:"tbes" json:"tbes,omitempty"`
	// StoreBuffer and Window are sizes, in stores and operations.
	StoreBuffer int `yaml:"store-buffer" json:"store-buffer,omitempty"`
	Window      int `yaml:"window" json:"window,omitempty"`
	// Latency and Jitter are in ticks, of memory or of messages; Latency 0
	// leaves both to the simulator.
	Latency int64 `yaml:"latency" json:"latency,omitempty"`
	Jitter  int64 `yaml:"jitter" json:"jitter,omitempty"`
	// MemoryLatency and MemoryJitter are in ticks, of the memory behind a
	// coherence protocol; MemoryLatency 0 leaves both to the simulator.
	MemoryLatency int64 `yaml:"memory-latency" json:"memory-latency,omitempty"`
	MemoryJitter  int64 `yaml:"memory-jitter" json:"memory-jitter,omitempty"`
	// LockedRMW makes read-modify-writes pairs of accesses under a lock.
	LockedRMW bool `yaml:"locked-rmw" json:"locked-rmw,omitempty"`
	// Execution has the log tell when every store was committed.
	Execution bool `yaml:"execution" json:"execution,omitempty"`
	// EventOrder is the order of events in a tick: event.ParseOrder.
	EventOrder string `yaml:"event-order" json:"event-order,omitempty"`
	// Watchdog is the age in ticks at which an access is taken for deadlocked,
	// StepBudget bounds the number of events of a run; 0 means the default.
	Watchdog   int64  `yaml:"watchdog" json:"watchdog,omitempty"`
	StepBudget uint64 `yaml:"step-budget" json:"step-budget,omitempty"`
	// CoreBugs are faults planted in the cores: core.ParseBug.
	CoreBugs []string `yaml:"core-bugs" json:"core-bugs,omitempty"`
}

// Options are the simulator's options. The error lists what is wrong with the
// description.
func (m *Machine) Options() (builtin.Options, error) {
	o, faults := m.options()
	return o, joinFaults(faults)
}

// joinFaults makes an error of faults, nil of none.
func joinFaults(faults []fault) error {
	var errs []error
	for _, f := range faults {
		errs = append(errs, fmt.Errorf("%s: %s", f.key, f.message))
	}
	return errors.Join(errs...)
}

// options are the simulator's options. The faults are by field.
func (m *Machine) options() (builtin.Options, []fault) {
	o := builtin.Options{
		Protocol: m.Protocol, SLICC: m.SLICC, Repair: m.Repair, Mutant: m.Mutant, Core: core.TSO, Buffer: m.StoreBuffer, Window: m.Window,
		Latency: latency.Model{Base: event.Tick(m.Latency), Jitter: event.Tick(m.Jitter)},
		Memory:  latency.Model{Base: event.Tick(m.MemoryLatency), Jitter: event.Tick(m.MemoryJitter)},
		Cores:   m.Cores, Directories: m.Dirs, Banks: m.L2Banks, TBEs: m.TBEs,
		LockedRMW: m.LockedRMW, Execution: m.Execution, Watchdog: event.Tick(m.Watchdog), Budget: m.StepBudget,
	}
	var faults []fault
	note := func(key string, err error) {
		if err != nil {
			faults = append(faults, fault{key, err.Error()})
		}
	}
	var err error
	if m.Core != "" {
		o.Core, err = core.ParseKind(m.Core)
		note("core", err)
	}
	if m.Latency == 0 && m.Jitter != 0 {
		note("jitter", fmt.Errorf("%d without a latency", m.Jitter))
	}
	if m.MemoryLatency == 0 && m.MemoryJitter != 0 {
		note("memory-jitter", fmt.Errorf("%d without a memory-latency", m.MemoryJitter))
	}
	if m.PrivateCache != "" {
		o.Private, err = cache.ParseGeometry(m.PrivateCache)
		note("private-cache", err)
	}
	if m.SharedCache != "" {
		o.Shared, err = cache.ParseGeometry(m.SharedCache)
		note("shared-cache", err)
	}
	if m.EventOrder != "" {
		o.Order, err = event.ParseOrder(m.EventOrder)
		note("event-order", err)
	}
	for _, name := range m.CoreBugs {
		bug, err := core.ParseBug(name)
		note("core-bugs", err)
		if err == nil {
			o.Bugs = append(o.Bugs, bug)
		}
	}
	if len(faults) == 0 {
		note("core", o.Validate())
	}
	return o, faults
}

// Promise is the name of the strongest model that the cores keep on a memory
// system without faults.
func (m *Machine) Promise() string {
	switch m.Core {
	case "inorder":
		return "sc"
	case "pso", "rmo":
		return m.Core
	}
	return "tso"
}

// set reports whether any field is, and so whether the machine is meant to be
// simulated.
func (m *Machine) set() bool {
	described := *m
	if len(m.CoreBugs) == 0 {
		described.CoreBugs = nil
	}
	return !reflect.ValueOf(described).IsZero()
}

// faults lists what is wrong with the machine of a configuration that
// is run on a simulator.
func (m *Machine) faults(sim string) []fault {
	if sim != SimBuiltin {
		if m.set() {
			return []fault{{"core", fmt.Sprintf("the machine is described, but the simulator is %s: want sim: %s", sim, SimBuiltin)}}
		}
		return nil
	}
	_, faults := m.options()
	return faults
}
