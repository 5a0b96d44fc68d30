package ruby

import (
	"strings"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/latency"
	"ordeal/sim/builtin/ruby/cache"
)

// settings are the parameters that gem5's configurations set, by machine and
// parameter; others have the protocol's own defaults.
var settings = map[string]uint64{
	"L1Cache.send_evictions":        1,
	"L1Cache.l2_select_num_bits":    0, // one bank
	"L1Cache.enable_prefetch":       0,
	"CorePair.send_evictions":       1,
	"CorePair.issue_latency":        15,
	"CorePair.l2_hit_latency":       18,
	"Directory.TCC_select_num_bits": 0,
	"Directory.L2isWB":              0,
}

// pairSettings are those of a directory of pairs of cores.
var pairSettings = map[string]uint64{
	"response_latency": 30,
	"l3_hit_latency":   20,
	"CPUonly":          1,
}

// recycleLatency is that of all controllers.
const recycleLatency = 10

// Transitions that a controller runs in one cycle, as gem5's configurations
// have them: few for those with cores, except pairs of cores.
const (
	coreTransitions = 4
	homeTransitions = 32
)

// hasPairs tells whether controllers have more than one core.
func (p *program) hasPairs() bool {
	for _, code := range p.codes {
		if code.cores > 1 {
			return true
		}
	}
	return false
}

// configure sets the parameters and the names of a controller.
func (s *System) configure(c *controller, number int) {
	m := c.code.machine
	for _, v := range m.Params {
		if shapeOf(v.Type) != word {
			continue
		}
		at := c.code.place[v]
		if value, ok := settings[m.Name+"."+v.Name]; ok {
			c.words[at] = value
		}
		if value, ok := pairSettings[v.Name]; ok && c.code.home && s.program.hasPairs() {
			c.words[at] = value
		}
	}
	for name, value := range map[string]uint64{
		"machineID": c.id, "version": uint64(number), "clusterID": 0, "recycle_latency": recycleLatency,
	} {
		if at, ok := c.code.globals[name]; ok {
			c.words[at] = value
		}
	}
}

// transitionsPerCycle is how many transitions a wake-up runs.
func (p *program) transitionsPerCycle(code *machineCode) int {
	if code.home || p.hasPairs() {
		return homeTransitions
	}
	return coreTransitions
}

// mandatoryLatency is the time from a core to its controller.
func mandatoryLatency(code *machineCode) event.Tick {
	if code.cores > 1 {
		return 2
	}
	return 1
}

// geometry is the size of a cache. A second level is larger than a first.
func (o *Options) geometry(code *machineCode, name string) cache.Geometry {
	if code.cores == 0 || strings.HasPrefix(name, "L2") {
		return o.Shared
	}
	return o.Private
}

// latencies is the latency of each virtual network. gem5's MOESI_AMD_Base
// relies on requests to its directory to be not much slower than everything
// else, since nothing stops a victim whose data a probe has already taken;
// the jitter of requests of such protocols is short.
func (p *program) latencies(m latency.Model, networks int) []latency.Model {
	list := make([]latency.Model, networks)
	for i := range list {
		list[i] = m
	}
	if p.hasPairs() && networks > 0 {
		list[0].Jitter = min(m.Jitter, 1)
	}
	return list
}
