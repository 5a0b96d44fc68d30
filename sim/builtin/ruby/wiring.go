package ruby

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/ruby/cache"
)

// settings are the parameters that gem5's configurations set, by machine and
// parameter; others have the protocol's own defaults.
var settings = map[string]uint64{
	"L1Cache.send_evictions":        1,
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

// bankBits is the parameter of a machine that chooses a bank of the shared
// cache by this number of bits of an address.
const bankBits = "l2_select_num_bits"

// oneDirectory reports whether the protocol deadlocks with several directories.
// In gem5's MI a forward that stalls at the head of its queue blocks those of
// other directories behind it, and each of two caches may wait for what the
// other has not seen. Ours puts forwards aside instead.
func (p *Protocol) oneDirectory() bool {
	if p.Name() != "MI_example" {
		return false
	}
	for _, code := range p.program.codes {
		for _, r := range code.rows {
			if code.cores > 0 && r.transition != nil && r.transition.Stall {
				return true
			}
		}
	}
	return false
}

// Check reports what the protocol cannot do of what the options, which are
// valid, ask for.
func (p *Protocol) Check(o Options) error {
	var errs []error
	name := p.Name()
	if o.Directories > 1 && p.oneDirectory() {
		errs = append(errs, fmt.Errorf("protocol %s with %d directories: it deadlocks with more than one, "+
			"because a stalled forward blocks those of other directories", name, o.Directories))
	}
	if o.Banks > 1 && !p.program.banked() {
		errs = append(errs, fmt.Errorf("protocol %s with %d banks: it has no shared cache", name, o.Banks))
	}
	return errors.Join(errs...)
}

// banked reports whether there is a shared cache, which lines choose a bank of:
// by bankBits of the address, or as they choose a directory.
func (p *program) banked() bool {
	return slices.ContainsFunc(p.codes, func(code *machineCode) bool { return code.cores == 0 && !code.home })
}

// recycleLatency is that of all controllers.
const recycleLatency = 10

// Transitions that a controller runs in one cycle, as gem5's configurations
// have them: few for those with cores, except pairs of cores.
const (
	coreTransitions = 4
	homeTransitions = 32
)

func (p *program) hasPairs() bool {
	return slices.ContainsFunc(p.codes, func(code *machineCode) bool { return code.cores > 1 })
}

// configure sets the parameters and the names of a controller.
func (s *System) configure(c *controller, number int) {
	m := c.code.machine
	for _, v := range m.Params {
		if shapeOf(v.Type) != word {
			continue
		}
		at := c.code.place[v]
		if v.Name == bankBits {
			c.words[at] = uint64(bits.TrailingZeros(uint(s.options.Banks)))
		}
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

func (p *program) transitionsPerCycle(code *machineCode) int {
	if code.home || p.hasPairs() {
		return homeTransitions
	}
	return coreTransitions
}

func mandatoryLatency(code *machineCode) event.Tick {
	if code.cores > 1 {
		return 2
	}
	return 1
}

// geometry is the size of a cache. A second level is larger than a first. The
// bits that choose a bank or a directory do not choose the set as well.
func (o *Options) geometry(code *machineCode, name string) cache.Geometry {
	if code.cores == 0 {
		g := o.Shared
		if n := o.instances(code); n&(n-1) == 0 {
			g.IndexBit += bits.TrailingZeros(uint(n))
		}
		return g
	}
	if strings.HasPrefix(name, "L2") {
		return o.Shared
	}
	return o.Private
}

// latencies is the latency of each virtual network. gem5's MOESI_AMD_Base
// relies on requests to its directory to be not much slower than everything
// else, since a victim's data comes with its announcement and nothing stops it
// once a probe has taken the data; the jitter of requests of such protocols is
// short.
func (p *program) latencies(m event.Latency, networks int) []event.Latency {
	list := make([]event.Latency, networks)
	for i := range list {
		list[i] = m
	}
	if networks > 0 && p.hasPairs() && p.requestsCarryData() {
		list[0].Jitter = min(m.Jitter, 1)
	}
	return list
}

// requestsCarryData reports whether the requests of pairs of cores have room for
// a line.
func (p *program) requestsCarryData() bool {
	t := p.protocol.Type("CPURequestMsg")
	return t != nil && t.Field("DataBlk") != nil
}
