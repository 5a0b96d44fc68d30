package config

import (
	"cmp"
	"fmt"

	"ordeal/gen"
	"ordeal/gen/background"
	"ordeal/gen/option"
	"ordeal/sim/gem5"
	"ordeal/sim/gem5/agent"
)

// Gem5 describes the gem5 binary to run and the machine that it simulates,
// beside what Machine has in common.
type Gem5 struct {
	Binary            string   `yaml:"gem5" json:"gem5,omitempty" sim:"gem5" schema:"env" help:"path of the gem5 binary, in which {protocol} stands for the protocol, or a folder with a binary for each"`
	Tree              string   `yaml:"gem5-tree" json:"gem5-tree,omitempty" sim:"gem5" schema:"env" help:"path of the source tree that the binary was built from"`
	Agent             string   `yaml:"agent" json:"agent,omitempty" sim:"gem5" schema:"values=agents,empty=CPUs" help:"run Ordeal's own tester in place of CPUs, with cores of this kind: the binary has to be built with it (ordeal gem5 agent)"`
	CPU               string   `yaml:"cpu" json:"cpu,omitempty" sim:"gem5" schema:"values=cpus,empty=timing" help:"kind of the cores"`
	L1DSize           Size     `yaml:"l1d-size" json:"l1d-size,omitzero" sim:"gem5" schema:"zero=512B" help:"size of the data cache of a core"`
	L1DAssoc          int      `yaml:"l1d-assoc" json:"l1d-assoc,omitempty" sim:"gem5" schema:"min=0,zero=2" help:"number of its ways, a power of two"`
	L1ISize           Size     `yaml:"l1i-size" json:"l1i-size,omitzero" sim:"gem5" schema:"zero=4KiB" help:"size of the instruction cache of a core"`
	L1IAssoc          int      `yaml:"l1i-assoc" json:"l1i-assoc,omitempty" sim:"gem5" schema:"min=0,zero=2" help:"number of its ways, a power of two"`
	L2Size            Size     `yaml:"l2-size" json:"l2-size,omitzero" sim:"gem5" schema:"zero=8KiB" help:"size of a bank of the second-level cache"`
	L2Assoc           int      `yaml:"l2-assoc" json:"l2-assoc,omitempty" sim:"gem5" schema:"min=0,zero=4" help:"number of its ways, a power of two"`
	Network           string   `yaml:"network" json:"network,omitempty" sim:"gem5" schema:"values=networks,empty=simple" help:"kind of gem5's network"`
	LinkLatency       int      `yaml:"link-latency" json:"link-latency,omitempty" sim:"gem5" schema:"min=0,unit=cycles,zero=1" help:"latency of a link of the network"`
	Randomization     bool     `yaml:"randomization" json:"randomization,omitempty" sim:"gem5" help:"let Ruby delay messages at random"`
	Evictions         bool     `yaml:"evictions" json:"evictions,omitempty" sim:"gem5" help:"have caches notify their cores of lines that they lose, as the tree's own scripts have it for X86 and Arm only"`
	Stagger           int      `yaml:"stagger" json:"stagger,omitempty" sim:"gem5" schema:"min=0,unit=iterations,zero=none" help:"bound of a delay, drawn from the seed, before each round of each thread"`
	Background        int      `yaml:"background" json:"background,omitempty" sim:"gem5" schema:"min=0,zero=none" help:"most accesses to further words before each operation, no part of the history, that keep caches and protocol busy"`
	BackgroundThreads int      `yaml:"background-threads" json:"background-threads,omitempty" sim:"gem5" schema:"min=0,zero=those of the program" help:"number of threads, those of the background after those of the program"`
	BackgroundLead    int      `yaml:"background-lead" json:"background-lead,omitempty" sim:"gem5" schema:"min=0,zero=none" help:"rounds of the background alone before those of the program"`
	BackgroundSeed    uint64   `yaml:"background-seed" json:"background-seed,omitempty" sim:"gem5" schema:"" help:"seed that draws the background"`
	DeadlockThreshold int      `yaml:"deadlock-threshold" json:"deadlock-threshold,omitempty" sim:"gem5" schema:"min=0,unit=cycles,zero=that of gem5" help:"age at which a request counts as deadlocked, and a run without accesses"`
	LivelockThreshold int      `yaml:"livelock-threshold" json:"livelock-threshold,omitempty" sim:"gem5" schema:"min=0,unit=cycles,zero=derived" help:"time without a store after which a run counts as livelocked"`
	MaxTicks          int64    `yaml:"max-ticks" json:"max-ticks,omitempty" sim:"gem5" schema:"min=0,unit=ticks,zero=no limit" help:"longest simulated time of a launch"`
	StoreOrder        bool     `yaml:"store-order" json:"store-order,omitempty" sim:"gem5" help:"log the order in which stores reach memory, for check --procedure conflict; slow"`
	Log               string   `yaml:"log" json:"log,omitempty" sim:"gem5" schema:"values=logs,empty=auto" help:"how values leave gem5: collected in its memory (memory), reported from registers by a pseudo-instruction (pseudo), or as the binary allows (auto)"`
	Lfence            int      `yaml:"lfence" json:"lfence,omitempty" sim:"gem5" schema:"min=0,unit=operations,zero=none" help:"operations of a round after which the code of a thread has an LFENCE, which no core executes past early"`
	TreeOptions       []string `yaml:"tree-options" json:"tree-options,omitempty" sim:"gem5" schema:"env" help:"options for the tree's own configuration, as --recycle-latency=3"`
	Rebuild           []string `yaml:"rebuild" json:"rebuild,omitempty" sim:"gem5" schema:"env" help:"command, word by word and without a shell, that rebuilds the binary in its tree after mutant changed it"`
	Batch             int      `yaml:"batch" json:"batch,omitempty" sim:"gem5" schema:"min=0,zero=1" help:"programs in one launch of gem5; one that fails is run again alone"`
}

// Gem5Options returns the options of the runner on gem5, except for the mutant.
// It accesses no file: a campaign can be read where there is no gem5. The error
// joins an option.Fault for each unusable option.
func (c *Config) Gem5Options() (gem5.Options, error) {
	o := gem5.Options{
		Binary: c.Binary, Tree: c.Tree, Protocol: c.Protocol, CPU: c.CPU, Cores: c.Cores,
		L1DSize: inBytes(c.L1DSize), L1DAssoc: c.L1DAssoc, L1ISize: inBytes(c.L1ISize), L1IAssoc: c.L1IAssoc, L2Size: inBytes(c.L2Size), L2Assoc: c.L2Assoc,
		L2Banks: c.L2Banks, Dirs: c.Dirs, Network: c.Network, LinkLatency: c.LinkLatency, Randomization: c.Randomization, Evictions: c.Evictions,
		DeadlockThreshold: c.DeadlockThreshold, LivelockThreshold: c.LivelockThreshold, MaxTicks: c.MaxTicks, StoreOrder: c.StoreOrder, Log: c.Log, Lfence: c.Lfence, TreeOptions: c.TreeOptions,
		Emit: c.EmitOptions(),
	}
	o.Emit.Jitter = c.Stagger
	o.Agent = agent.Options{
		Model: c.Agent, Window: c.Window, Buffer: c.StoreBuffer, RMW: c.RMW, Flush: c.Flush, Prefetch: c.Prefetch, Functional: c.Functional, Stagger: c.Stagger,
	}
	o.Background = background.Options{Length: c.Background, Lead: c.BackgroundLead, Threads: c.BackgroundThreads, Seed: c.BackgroundSeed}
	faults := append(option.Faults(o.Validate(), "gem5"), c.agentFaults()...)
	if (c.Mutant != "" || c.Repair) && len(c.Rebuild) == 0 {
		faults = append(faults, option.Faultf("rebuild", "is missing: a mutant or repair needs a command that rebuilds gem5"))
	}
	return o, option.Join(faults)
}

// PromiseTo is the name of the strongest model that the cores keep, the tester's too.
func (c *Config) PromiseTo(isa gen.ISA) string {
	m := c.Machine
	m.Core = cmp.Or(c.Agent, m.Core)
	return m.PromiseTo(isa)
}

// agentFaults are options of the tester without it, and options of CPUs with it.
func (c *Config) agentFaults() (faults []option.Fault) {
	if c.Agent != "" && c.CPU != "" {
		faults = append(faults, option.Faultf("cpu", "%s with agent: the tester is in place of CPUs", c.CPU))
	}
	for _, o := range []struct {
		name  string
		given bool
	}{
		{"window", c.Window != 0}, {"store-buffer", c.StoreBuffer != 0}, {"rmw", c.RMW != ""},
		{"flush", c.Flush != 0}, {"prefetch", c.Prefetch != 0}, {"functional", c.Functional != 0},
	} {
		if o.given && c.Agent == "" {
			faults = append(faults, option.Faultf(o.name, "is an option of the tester inside of gem5: want agent, too"))
		}
	}
	return faults
}

// inBytes writes a size for gem5, whose kB has 1,024 bytes; empty for none.
func inBytes(s Size) string {
	if s == 0 {
		return ""
	}
	return fmt.Sprintf("%dB", int64(s))
}
