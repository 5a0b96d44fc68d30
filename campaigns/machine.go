package campaigns

import (
	"fmt"

	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/latency"
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
	// StoreBuffer and Window are sizes, in stores and operations.
	StoreBuffer int `yaml:"store-buffer" json:"store-buffer,omitempty"`
	Window      int `yaml:"window" json:"window,omitempty"`
	// Latency and Jitter are in ticks, of memory or of messages; Latency 0
	// leaves both to the simulator.
	Latency int64 `yaml:"latency" json:"latency,omitempty"`
	Jitter  int64 `yaml:"jitter" json:"jitter,omitempty"`
	// CoreBugs are faults planted in the cores: core.ParseBug.
	CoreBugs []string `yaml:"core-bugs" json:"core-bugs,omitempty"`
}

// options are the simulator's options. The faults are by field.
func (m *Machine) options() (builtin.Options, []fault) {
	o := builtin.Options{
		Protocol: m.Protocol, SLICC: m.SLICC, Repair: m.Repair, Mutant: m.Mutant, Core: core.TSO, Buffer: m.StoreBuffer, Window: m.Window,
		Latency: latency.Model{Base: event.Tick(m.Latency), Jitter: event.Tick(m.Jitter)},
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
	return m.Core != "" || m.Protocol != "" || m.SLICC != "" || m.Repair || m.Mutant != "" || m.StoreBuffer != 0 || m.Window != 0 ||
		m.Latency != 0 || m.Jitter != 0 || len(m.CoreBugs) > 0
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
