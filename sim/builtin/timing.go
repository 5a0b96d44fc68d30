package builtin

import (
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

// Faithful is the runner with the latencies nearest to gem5's in place of those
// that explore, and how many seeds a failed run is worth there: nil if it has no
// coherence protocol in a file, or constant latencies already. It passes no steps on: those are
// of the run that was asked for.
func (r *Runner) Faithful() (runner sim.Runner, seeds int) {
	o := r.options.unobserved()
	constant := o.Latency.Jitter == 0 && o.Memory.Base != 0 && o.Memory.Jitter == 0
	if o.SLICC == "" || constant {
		return nil, 0
	}
	o.Latency, o.Occupancy, o.Memory, o.Order, o.staggered, o.EagerRepeats = faithfulNetwork, network.DefaultOccupancy, faithfulMemory, event.LIFO, true, false
	return &Runner{options: o, build: r.build, protocol: r.protocol}, o.LatencySeeds
}

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
