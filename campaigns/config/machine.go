package config

import (
	"errors"
	"fmt"
	"reflect"

	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/ruby/cache"
)

// Machine describes what the embedded simulator simulates; other simulators
// take no notice of it. Its fields are keys of a campaign file and flags of
// the command line under the same names; builtin.Options says more.
type Machine struct {
	// Core is the kind of the cores; inorder promises SC, ooo TSO.
	Core string `yaml:"core" json:"core,omitempty" schema:"values=cores,empty=tso"`
	// Protocol is the memory system: a coherence protocol, or memory without
	// one. With gem5 it is the protocol that the binary ought to have.
	Protocol string `yaml:"protocol" json:"protocol,omitempty" schema:"suggest=protocols,empty=ideal"`
	// SLICC is the path of the root file of a coherence protocol in gem5's
	// language, as MI_example.slicc, to simulate instead of `protocol`.
	SLICC string `yaml:"slicc" json:"slicc,omitempty" expand:"env"`
	// Repair edits the known defects of gem5's files out of the protocol of
	// `slicc`.
	Repair bool `yaml:"repair" json:"repair,omitempty"`
	// Mutant is a fault planted in the protocol, as `ordeal mutate list` names
	// it; several are joined by " + ".
	Mutant string `yaml:"mutant" json:"mutant,omitempty"`
	// Cores is the number of cores, at least that of threads; of gem5, too.
	Cores int `yaml:"cores" json:"cores,omitempty" schema:"min=0,max=64,zero=as many as threads"`
	// L2Banks is the number of banks of a shared cache, a power of two; of gem5,
	// too.
	L2Banks int `yaml:"l2-banks" json:"l2-banks,omitempty" schema:"min=0,max=64,zero=1"`
	// Dirs is the number of directories; of gem5, too.
	Dirs int `yaml:"dirs" json:"dirs,omitempty" schema:"min=0,max=64,zero=1"`
	// PrivateCache is the size of the caches of a core, as SETSxWAYS in lines,
	// both powers of two.
	PrivateCache string `yaml:"private-cache" json:"private-cache,omitempty" schema:"form=cache,empty=2x2"`
	// SharedCache is the size of a cache of the second or a further level,
	// likewise.
	SharedCache string `yaml:"shared-cache" json:"shared-cache,omitempty" schema:"form=cache,empty=2x4"`
	// TBEs is the number of transactions that a controller has room for.
	TBEs int `yaml:"tbes" json:"tbes,omitempty" schema:"min=0,zero=256"`
	// StoreBuffer is the number of stores that a store buffer holds.
	StoreBuffer int `yaml:"store-buffer" json:"store-buffer,omitempty" schema:"min=0,unit=stores,zero=8"`
	// Window is the number of operations that an out-of-order core looks at.
	Window int `yaml:"window" json:"window,omitempty" schema:"min=0,unit=operations,zero=16"`
	// Latency is the least latency of messages or, without a coherence protocol,
	// of memory.
	Latency int64 `yaml:"latency" json:"latency,omitempty" schema:"min=0,unit=ticks,zero=that of the simulator"`
	// Jitter is the spread of that latency, with a heavy tail; it takes a
	// `latency`.
	Jitter int64 `yaml:"jitter" json:"jitter,omitempty" schema:"min=0,unit=ticks"`
	// MemoryLatency is the least latency of the memory behind a coherence
	// protocol.
	MemoryLatency int64 `yaml:"memory-latency" json:"memory-latency,omitempty" schema:"min=0,unit=ticks,zero=that of the simulator"`
	// MemoryJitter is the spread of that latency; it takes a `memory-latency`.
	MemoryJitter int64 `yaml:"memory-jitter" json:"memory-jitter,omitempty" schema:"min=0,unit=ticks"`
	// LockedRMW makes read-modify-writes pairs of accesses under a lock.
	LockedRMW bool `yaml:"locked-rmw" json:"locked-rmw,omitempty"`
	// Execution has the log tell when every store was committed, for `ordeal
	// check --serializability`.
	Execution bool `yaml:"execution" json:"execution,omitempty"`
	// EventOrder is the order of the events in a tick.
	EventOrder string `yaml:"event-order" json:"event-order,omitempty" schema:"values=orders,empty=shuffled"`
	// Watchdog is the age at which an access is taken for deadlocked.
	Watchdog int64 `yaml:"watchdog" json:"watchdog,omitempty" schema:"min=0,unit=ticks,zero=500000"`
	// StepBudget bounds the events of a run.
	StepBudget uint64 `yaml:"step-budget" json:"step-budget,omitempty" schema:"unit=events,zero=2000 for each operation and a million"`
	// CoreBugs are faults planted in the cores.
	CoreBugs []string `yaml:"core-bugs" json:"core-bugs,omitempty" schema:"values=bugs"`
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
		Latency: event.Latency{Base: event.Tick(m.Latency), Jitter: event.Tick(m.Jitter)},
		Memory:  event.Latency{Base: event.Tick(m.MemoryLatency), Jitter: event.Tick(m.MemoryJitter)},
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

// Coherent tells whether the machine runs a coherence protocol, on the
// embedded simulator.
func (m *Machine) Coherent() bool {
	return m.SLICC != "" || m.Protocol != "" && m.Protocol != builtin.Ideal && m.Protocol != builtin.IdealCached
}
