package ruby

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/gen/option"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby/code"
)

// Check reports what the protocol cannot do of what the options, which are
// valid, ask for.
func (p *Protocol) Check(o Options) error {
	var errs []error
	name := p.Name()
	if n := p.program.coreTypes(); n > 1 && o.Layout == nil {
		errs = append(errs, option.Faultf("machine", "is missing: %d machines of protocol %s have sequencers, so a description says how many there are of each", n, name))
	}
	if o.Banks > 1 && !p.program.banked() {
		errs = append(errs, fmt.Errorf("protocol %s with %d banks: it has no shared cache", name, o.Banks))
	}
	if o.Sharing > 1 && !p.SecondLevels() {
		errs = append(errs, option.Faultf("l2-cores", "protocol %s has no second level that is a core's own", name))
	}
	return errors.Join(append(errs, p.program.checkParameters(&o), p.program.checkBounds(&o))...)
}

// SecondLevels reports whether cores have second levels that some may share: a
// machine with the role L2, as Cache of CHI.
func (p *Protocol) SecondLevels() bool {
	return slices.ContainsFunc(p.program.roles(), (*code.Role).Second)
}

// banked reports whether there is a shared cache, which lines choose a bank of:
// by bankBits of the address, or as they choose a directory.
func (p *program) banked() bool {
	return slices.ContainsFunc(p.roles(), func(r *code.Role) bool { return !r.Private && !r.Home && !r.Device })
}

func (p *program) hasPairs() bool {
	return slices.ContainsFunc(p.Codes, func(mc *code.Machine) bool { return mc.Cores > 1 })
}

func mandatoryLatency(mc *code.Machine) event.Tick {
	if mc.Cores > 1 {
		return 2
	}
	return 1
}

// latencies is the latency of each virtual network. gem5's MOESI_AMD_Base
// relies on requests to its directory to be not much slower than everything
// else, since a victim's data comes with its announcement and nothing stops it
// once a probe has taken the data; the jitter of requests of such protocols is
// short.
func (p *program) latencies(m event.Latency, networks int) []event.Latency {
	list := slices.Repeat([]event.Latency{m}, networks)
	if networks > 0 && p.hasPairs() && p.requestsCarryData() {
		list[0].Jitter = min(m.Jitter, 1)
	}
	return list
}

// requestsCarryData reports whether the requests of pairs of cores have room for
// a line.
func (p *program) requestsCarryData() bool {
	t := p.Protocol.Type("CPURequestMsg")
	return t != nil && t.Field("DataBlk") != nil
}
