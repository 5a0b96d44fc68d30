package builtin

import (
	"context"
	"math/bits"
	"math/rand/v2"

	"ordeal/sim"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby/network"
)

// The latencies nearest to those of gem5 with its simple network (a crossbar)
// and DRAM: constant, and with the order of events in a tick that its event
// queue has.
var (
	faithfulNetwork = event.Latency{Base: 6}
	faithfulMemory  = event.Latency{Base: 60}
)

// faithfulStart bounds by how many ticks the starts of the cores differ at
// faithful latencies: seeds differ in nothing else that all cores have.
const faithfulStart = 64

// startStream is the second word of the PCG that draws starts of cores.
const startStream = 0x7374617274 // "start"

// Faithful is the runner with the latencies nearest to gem5's in place of those that explore, which has
// runs on gem5's networks in turn, by their seeds; and how many seeds a failed run is worth there: nil
// if it has no coherence protocol in a file, or constant latencies already. It passes no steps on:
// those are of the run that was asked for.
func (r *Runner) Faithful() (runner sim.Runner, seeds int) {
	o := r.options.unobserved()
	constant := o.Latency.Jitter == 0 && o.Memory.Base != 0 && o.Memory.Jitter == 0
	if o.SLICC == "" || constant || o.Topology != network.Direct {
		return nil, 0
	}
	o.Latency, o.Occupancy, o.Memory, o.Order, o.staggered, o.EagerRepeats = faithfulNetwork, network.DefaultOccupancy, faithfulMemory, event.LIFO, true, false
	f := new(family)
	on := func(name string, t network.Topology, directories int) *Runner {
		o := o
		o.Topology, o.Directories = t, directories
		m := &Runner{options: o, build: r.build, protocol: r.protocol}
		if r.protocol.Check(o.ruby(size{cores: max(o.Cores, 1)}, 0)) == nil && t != network.Randomized {
			f.machines, f.names = append(f.machines, m), append(f.names, name)
		}
		return m
	}
	f.Runner = on("crossbar", network.Direct, o.Directories) // as one distance for all
	on("mesh", network.Mesh, o.Directories)
	on("point-to-point", network.PointToPoint, o.Directories)
	if o.Directories <= 1 {
		on("mesh with 4 directories", network.Mesh, 4)
	}
	f.tester = on("", network.Randomized, o.Directories)
	return f, o.LatencySeeds
}

// family are the machines of gem5's own that differ in their network.
type family struct {
	*Runner
	machines []*Runner
	names    []string
	tester   *Runner
}

// Run runs a job on the machine of its seed.
func (f *family) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	return f.machines[job.Seed%uint64(len(f.machines))].Run(ctx, job)
}

// On names the machine of a seed.
func (f *family) On(seed uint64) string { return f.names[seed%uint64(len(f.names))] }

// Tester is the machine with the random delays of gem5's testers.
func (f *family) Tester() sim.Runner { return f.tester }

// start is the tick at which a core starts.
func (o *Options) start(seed uint64, core int) event.Tick {
	if !o.staggered {
		return 0
	}
	at, _ := bits.Mul64(rand.NewPCG(agentSeed(seed, core), startStream).Uint64(), faithfulStart)
	return event.Tick(at)
}

// unobserved are the options of another run, without what receives the steps of one.
func (o Options) unobserved() Options {
	o.Trace, o.Messages, o.Notices, o.Accesses = nil, nil, nil, nil
	return o
}
