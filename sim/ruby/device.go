package ruby

import (
	"slices"

	"ordeal/sim/builtin/memory"
)

// deviceFields are the offsets in a SequencerMsg and the values that matter.
// Its layout is nil in a protocol without such messages.
type deviceFields struct {
	layout                          *layout
	line, physical, kind, len, data int
	load, store                     uint64
}

// resolve finds them; missing names what a protocol with devices lacks.
func (f *deviceFields) resolve(p *program, missing func(format string, args ...any)) {
	if p.protocol.Type("SequencerMsg") == nil {
		return
	}
	kind := p.protocol.Type("SequencerRequestType")
	f.layout = p.layout(p.protocol.Type("SequencerMsg"))
	for _, v := range []struct {
		name string
		at   *int
	}{
		{"LineAddress", &f.line}, {"PhysicalAddress", &f.physical}, {"Type", &f.kind}, {"Len", &f.len}, {"DataBlk", &f.data},
	} {
		if *v.at = f.layout.find(v.name); *v.at < 0 {
			missing("field %s of SequencerMsg", v.name)
		}
	}
	for _, v := range []struct {
		name string
		at   *uint64
	}{{"LD", &f.load}, {"ST", &f.store}} {
		if kind == nil || kind.Enum(v.name) == nil {
			missing("SequencerRequestType:%s", v.name)
			continue
		}
		*v.at = uint64(kind.Enum(v.name).Ordinal)
	}
}

// deviceIssuer puts the transfers of a device into the mandatory queue of its
// controller: as a SequencerMsg if that has a DMASequencer, and else, as gem5's
// CHI_DMAController has a RubySequencer (configs/ruby/CHI_config.py), as the
// request of a core.
type deviceIssuer struct{ controller *controller }

// Start puts a transfer into the mandatory queue.
func (i deviceIssuer) Start(t memory.Transfer) {
	c := i.controller
	f := &c.system.program.device
	if len(c.code.deviceSequencers) == 0 { // a cache that allocates nothing
		r := &c.system.program.request
		kind := r.load
		if t.Write {
			kind = r.store
		}
		m := r.message(c.system, t.Addr.Line(), kind)
		m.words[r.physical], m.words[r.size] = uint64(t.Addr), uint64(t.Bytes)
		c.mandatory.enqueue(m, c.system.queue.Now()+1)
		return
	}
	m := c.system.pools[f.layout.index].get()
	m.words[f.line], m.words[f.physical] = uint64(t.Addr.Line()), uint64(t.Addr)
	m.words[f.len] = uint64(t.Bytes)
	m.words[f.kind] = f.load
	if t.Write {
		m.words[f.kind] = f.store
		*m.block(f.data) = t.Data
	}
	c.mandatory.enqueue(m, c.system.queue.Now()+1)
}

// addDevices makes the devices of a controller.
func (s *System) addDevices(c *controller) {
	n := min(max(s.options.Transfers, 1), s.options.Devices-len(s.devices))
	c.devices = memory.NewDeviceSequencers(s.queue, len(s.devices), n, deviceIssuer{c})
	s.devices = append(s.devices, c.devices...)
}

// serving is the device for which the controller has a transfer of a line under way; the
// first one if it has none.
func (c *controller) serving(line memory.Addr) *memory.DeviceSequencer {
	i := slices.IndexFunc(c.devices, func(d *memory.DeviceSequencer) bool { return d.Serves(line) })
	return c.devices[max(i, 0)]
}

// Device is the device of a number.
func (s *System) Device(number int) memory.Device { return s.devices[number] }

// Devices reports whether the protocol has a machine for devices.
func (p *Protocol) Devices() bool {
	return slices.ContainsFunc(p.program.roles(), func(r *role) bool { return r.device })
}

// writeUnique is the callback of a store that goes past the caches of whoever
// makes it: the data that it sends has the words of the transfer. gem5's
// Sequencer has it for cores too, whose sequencer here takes a store for one of a
// line that its cache has.
func writeUnique(c *controller, at int, line memory.Addr, data *memory.Block) {
	if !c.role.device {
		c.fail("store past the cache in "+c.role.name+", which is no device", "%s, line %#x", c.name(), int64(line))
	}
	d := c.serving(line)
	d.Fill(data)
	d.AckCallback(line)
}

// readData ends a read of a core or of a device.
func readData(c *controller, at int, line memory.Addr, data *memory.Block) {
	if c.role.device {
		c.serving(line).DataCallback(line, data)
		return
	}
	c.sequencer(at).ReadCallback(line, data)
}
