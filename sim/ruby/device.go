package ruby

import (
	"slices"

	"ordeal/sim"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
)

// devicePort puts the transfers of a device into the mandatory queue of its
// controller: as a SequencerMsg if that has a DMASequencer, and else, as gem5's
// CHI_DMAController has a RubySequencer (configs/ruby/CHI_config.py), as the
// request of a core.
type devicePort struct{ controller *controller }

// Start puts a transfer into the mandatory queue.
func (i devicePort) Start(t memory.Transfer) {
	c := i.controller
	f := &c.system.program.Device
	if len(c.code.DeviceSequencers) == 0 { // a cache that allocates nothing
		r := &c.system.program.Request
		kind := r.Load
		if t.Write {
			kind = r.Store
		}
		m := c.system.request(t.Addr.Line(), kind)
		m.words[r.Physical], m.words[r.Size] = uint64(t.Addr), uint64(t.Bytes)
		c.mandatory.enqueue(m, c.system.queue.Now()+c.system.portLatency(1))
		return
	}
	m := c.system.pools[f.Layout.Index].get()
	m.words[f.Line], m.words[f.Physical] = uint64(t.Addr.Line()), uint64(t.Addr)
	m.words[f.Len] = uint64(t.Bytes)
	m.words[f.Kind] = f.Load
	if t.Write {
		m.words[f.Kind] = f.Store
		*m.block(f.Data) = t.Data
	}
	c.mandatory.enqueue(m, c.system.queue.Now()+c.system.portLatency(1))
}

// addDevices makes the devices of a controller.
func (s *System) addDevices(c *controller) {
	n := min(max(s.options.Transfers, 1), s.options.Devices-len(s.devices))
	c.devices = memory.NewDeviceSequencers(s.queue, len(s.devices), n, devicePort{c})
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
	return slices.ContainsFunc(p.program.roles(), func(r *code.Role) bool { return r.Device })
}

// writeUnique is the callback of a store that goes past the caches of whoever
// makes it: the data that it sends has the words of the transfer. gem5's
// Sequencer has it for cores too, whose sequencer here takes a store for one of a
// line that its cache has.
func writeUnique(c *controller, at int, line memory.Addr, data *memory.Block) {
	if !c.role.Device {
		c.failWhole(sim.Failure{Kind: sim.KindUnsupplied, Text: "a store of a core past the cache in " + c.role.Name}, "%s, line %#x", c.name(), int64(line))
	}
	d := c.serving(line)
	d.Fill(data)
	d.AckCallback(line)
}

// readData ends a read of a core or of a device.
func readData(c *controller, at int, line memory.Addr, data *memory.Block) {
	if c.role.Device {
		c.serving(line).DataCallback(line, data)
		return
	}
	c.sequencer(at).ReadCallback(line, data)
}
