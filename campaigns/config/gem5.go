package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"ordeal/campaigns/internal/messages"
	"ordeal/gen/emit/elf"
	"ordeal/sim/gem5"
)

// Gem5 describes the gem5 binary to run and the machine that it simulates,
// together with Protocol (the coherence protocol that is expected), Mutant,
// Cores, L2Banks and Dirs of Machine; other simulators take no notice of it.
// Its fields are keys of a campaign file and flags of the command line under
// the same names; gem5.Options says more.
type Gem5 struct {
	// Binary is the path of the gem5 binary.
	Binary string `yaml:"gem5" json:"gem5,omitempty" expand:"env"`
	// Tree is the path of the source tree that the binary was built from.
	Tree string `yaml:"gem5-tree" json:"gem5_tree,omitempty" expand:"env"`
	// CPU is the kind of the cores.
	CPU string `yaml:"cpu" json:"cpu,omitempty" schema:"values=cpus,empty=timing"`
	// L1DSize is the size of the data cache of a core, in bytes, as 512B or 4kB.
	L1DSize string `yaml:"l1d-size" json:"l1d_size,omitempty" schema:"form=size,empty=512B"`
	// L1DAssoc is the number of its ways, a power of two.
	L1DAssoc int `yaml:"l1d-assoc" json:"l1d_assoc,omitempty" schema:"min=0,zero=2"`
	// L1ISize is the size of the instruction cache of a core, in bytes.
	L1ISize string `yaml:"l1i-size" json:"l1i_size,omitempty" schema:"form=size,empty=4kB"`
	// L1IAssoc is the number of its ways, a power of two.
	L1IAssoc int `yaml:"l1i-assoc" json:"l1i_assoc,omitempty" schema:"min=0,zero=2"`
	// L2Size is the size of a bank of the second cache, in bytes.
	L2Size string `yaml:"l2-size" json:"l2_size,omitempty" schema:"form=size,empty=8kB"`
	// L2Assoc is the number of its ways, a power of two.
	L2Assoc int `yaml:"l2-assoc" json:"l2_assoc,omitempty" schema:"min=0,zero=4"`

	// Network is the kind of gem5's network.
	Network string `yaml:"network" json:"network,omitempty" schema:"values=networks,empty=simple"`
	// LinkLatency is the latency of a link of the network.
	LinkLatency int `yaml:"link-latency" json:"link_latency,omitempty" schema:"min=0,unit=cycles,zero=1"`
	// Randomization lets Ruby shuffle messages.
	Randomization bool `yaml:"randomization" json:"randomization,omitempty"`
	// DeadlockThreshold is the age at which a request is taken for deadlocked.
	DeadlockThreshold int `yaml:"deadlock-threshold" json:"deadlock_threshold,omitempty" schema:"min=0,unit=cycles,zero=gem5's own bound"`
	// MaxTicks bounds the simulated time of a launch.
	MaxTicks int64 `yaml:"max-ticks" json:"max_ticks,omitempty" schema:"min=0,unit=ticks,zero=no bound"`
	// StoreOrder has the log tell the order of stores, for `ordeal check
	// --procedure conflict`; slow.
	StoreOrder bool `yaml:"store-order" json:"store_order,omitempty"`
	// TreeOptions are options for the tree's own configuration, as
	// --recycle-latency=3.
	TreeOptions []string `yaml:"tree-options" json:"tree_options,omitempty" expand:"env"`
	// Rebuild is the command, word by word and never a shell's, that rebuilds
	// the binary in its tree when `mutant` plants a fault there. It builds with
	// the user's options, so there is no default.
	Rebuild []string `yaml:"rebuild" json:"rebuild,omitempty" expand:"env"`
	// Batch is how many programs run in one launch; one that fails is made again
	// alone.
	Batch int `yaml:"batch" json:"batch,omitempty" schema:"min=0,zero=1"`
}

// Options are the options of the runner, but for the mutant, which plant adds.
// Emit says how programs are executed, m which protocol the binary is expected
// to have, and the numbers of things. No file is looked for: a campaign can be
// read where there is no gem5.
func (g *Gem5) Options(m *Machine, emit elf.Options) (gem5.Options, error) {
	o := gem5.Options{
		Binary: g.Binary, Tree: g.Tree, Protocol: m.Protocol, CPU: g.CPU, Cores: m.Cores,
		L1DSize: g.L1DSize, L1DAssoc: g.L1DAssoc, L1ISize: g.L1ISize, L1IAssoc: g.L1IAssoc, L2Size: g.L2Size, L2Assoc: g.L2Assoc,
		L2Banks: m.L2Banks, Dirs: m.Dirs, Network: g.Network, LinkLatency: g.LinkLatency, Randomization: g.Randomization,
		DeadlockThreshold: g.DeadlockThreshold, MaxTicks: g.MaxTicks, StoreOrder: g.StoreOrder, TreeOptions: g.TreeOptions,
		Emit: emit,
	}
	err := o.Validate()
	if m.Mutant != "" && len(g.Rebuild) == 0 {
		err = errors.Join(err, errors.New("a mutant without a command that rebuilds gem5: want --rebuild COMMAND"))
	}
	return o, err
}

// set reports whether any field is.
func (g *Gem5) set() bool {
	plain := *g
	if len(plain.TreeOptions)+len(plain.Rebuild) == 0 {
		plain.TreeOptions, plain.Rebuild = nil, nil
	}
	return !reflect.ValueOf(plain).IsZero()
}

// ValidateMachine reports everything that keeps a simulator from running the
// machine of c.
func (c *Config) ValidateMachine(sim string) error { return joinFaults(c.machineFaults(sim)) }

// machineFaults lists what is wrong with the machine of c, run on a simulator.
func (c *Config) machineFaults(sim string) []fault {
	if sim != SimGem5 {
		faults := c.Machine.faults(sim)
		if c.Cores > 0 && c.Threads > c.Cores {
			faults = append(faults, fault{"cores", fmt.Sprintf("%d for %s", c.Cores, messages.Plural(c.Threads, "thread"))})
		}
		if c.Gem5.set() {
			faults = append(faults, fault{"gem5", fmt.Sprintf("a gem5 is described, but the simulator is %s: want sim: %s", sim, SimGem5)})
		}
		return faults
	}
	machine := c.Machine
	machine.Protocol, machine.Mutant, machine.Cores, machine.L2Banks, machine.Dirs = "", "", 0, 0, 0
	var faults []fault
	if machine.set() {
		faults = append(faults, fault{"core", fmt.Sprintf("the machine of the embedded simulator is described, but the simulator is %s", sim)})
	}
	_, err := c.Gem5.Options(&c.Machine, c.EmitOptions())
	for _, err := range flatten(err) {
		key, message := "gem5", err.Error()
		if word, _, ok := strings.Cut(message, " "); ok && gem5Keys[word] {
			key = word
			message = strings.TrimPrefix(message, word+" ")
		}
		faults = append(faults, fault{key, message})
	}
	if c.Batch < 0 {
		faults = append(faults, fault{"batch", fmt.Sprintf("%d is negative", c.Batch)})
	}
	return faults
}

// gem5Keys are the keys with which messages of package gem5 begin.
var gem5Keys = map[string]bool{
	"l1d-size": true, "l1i-size": true, "l2-size": true, "l1d-assoc": true, "l1i-assoc": true, "l2-assoc": true, "l2-banks": true,
	"dirs": true, "cores": true, "link-latency": true, "deadlock-threshold": true, "max-ticks": true,
}
