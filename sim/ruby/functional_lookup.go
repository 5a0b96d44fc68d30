package ruby

import (
	"cmp"
	"slices"

	"ordeal/sim"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
)

// FunctionalRead is gem5's RubySystem::functionalRead: the copy of a line in the
// controller that may write it, or else in the first that may read it, or else in
// memory that backs caches which broadcast, if none of them has anything to do with
// the line, or else in a message, or else in the copy that is Maybe_Stale of the machine
// with the least functionalReadPriority (RubySystem.cc:557 of v24.1). Where protocols have parts of lines, these are put
// together, as with gem5's PROTOCOL_PARTIAL_FUNC_READS. Where names the controller and
// its state, or the message. Found is false where gem5 finds nothing, which ends its
// simulation; where is empty then if the protocol's messages cannot be read. A fault of
// the protocol ends the run.
func (s *System) FunctionalRead(line memory.Addr) (b memory.Block, where sim.Failure, found bool) {
	var write, backing, home *controller
	var least int64
	x := &lookup{System: s}
	var readers, busy, others []*controller
	for _, list := range s.controllers {
		for _, c := range list {
			if c.role.Device || c.role.Home && !s.isHome(c, line) {
				continue // another directory has the line
			}
			if c.role.Home {
				home = c
			}
			permission := s.program.permissionOf(c.accessOf(line))
			if permission == "Maybe_Stale" {
				if n := c.stalePriority(); n >= 0 && (x.stale == nil || n < least) {
					x.stale, least = c, n
				}
			}
			switch permission {
			case "Read_Write":
				write = cmp.Or(write, c)
			case "Read_Only":
				readers = append(readers, c)
			case "Backing_Store":
				backing = cmp.Or(backing, c)
			case "Backing_Store_Busy":
				backing = cmp.Or(backing, c)
				busy = append(busy, c)
			case "Invalid", "NotPresent":
				others = append(others, c)
			default:
				busy = append(busy, c)
			}
		}
	}
	if home == nil || s.queue.Err() != nil {
		return b, where, false
	}
	s.reading = reading{line: line}
	x.home = home
	if home.code.Functional.Read.Mask >= 0 {
		x.parts(write, backing, readers, busy, others)
	} else {
		x.whole(write, backing, readers, busy)
	}
	switch {
	case s.queue.Err() != nil:
		return b, where, false
	case ^s.reading.known != 0:
		if home.code.Functional.Messages == nil {
			return b, where, false
		}
		return b, home.place(line), false
	}
	return s.reading.block, x.where, true
}

// lookup is the search for the data of a line.
type lookup struct {
	*System
	home  *controller
	stale *controller // with the copy to read if there is no newer one; nil for none
	where sim.Failure // the last place of data
	mask  uint64
}

// whole finds a whole line, in one place.
func (x *lookup) whole(write, backing *controller, readers, busy []*controller) {
	from := write
	if from == nil && len(readers) > 0 {
		from = readers[0]
	}
	if from == nil && len(busy) == 0 {
		from = backing
	}
	if from != nil {
		x.read(from)
		return
	}
	if len(busy) > 0 && !x.messages(nil, true) && !x.messages(nil, false) && x.stale != nil {
		x.read(x.stale)
	}
}

// parts puts a line together, as gem5's RubySystem does with
// PROTOCOL_PARTIAL_FUNC_READS.
func (x *lookup) parts(write, backing *controller, readers, busy, others []*controller) {
	var stable []*controller
	if write != nil {
		x.read(write)
		if ^x.mask == 0 {
			return
		}
		stable = append(stable, write)
	}
	stable = append(stable, readers...)
	if backing != nil {
		stable = append(stable, backing)
	}
	for _, c := range stable {
		if c != write {
			x.read(c)
		}
	}
	if len(busy) == 0 && ^x.mask == 0 {
		return
	}
	for _, c := range stable {
		x.messages(c, true)
	}
	for _, c := range busy {
		x.read(c)
		x.messages(c, true)
	}
	x.messages(nil, false)
	for _, c := range others {
		x.read(c)
		x.messages(c, true)
	}
}

// read reads the copy of a controller.
func (x *lookup) read(c *controller) {
	x.reading.changed = false
	if c.dataRead(c.code.Functional.Read, x.reading.line, nil, &x.mask) && x.reading.changed {
		x.where = c.place(x.reading.line)
	}
}

// messages reads those that have arrived at a controller, or left it for the network, or
// those in the network: of any controller, if it is nil, until one of them is all. It
// reports whether there is one.
func (x *lookup) messages(of *controller, arrived bool) bool {
	now := x.queue.Now()
	for _, list := range x.controllers {
		for _, c := range list {
			if of != nil && c != of {
				continue
			}
			for _, b := range c.buffers {
				for _, q := range b.items[b.head:] {
					if arrived == (q.at <= now || b.link != nil) && x.message(q.msg) {
						return true
					}
				}
				if !arrived {
					if b.throttle != nil && x.queued(b.throttle.held.items[b.throttle.held.head:]) {
						return true
					}
					continue
				}
				for i := range b.stalls {
					if x.queued(b.stalls[i].list) {
						return true
					}
				}
			}
		}
	}
	return false
}

func (x *lookup) queued(list []queued) bool {
	return slices.ContainsFunc(list, func(q queued) bool { return x.message(q.msg) })
}

// message reads a message. It reports whether that is all there is to read.
func (x *lookup) message(m *object) bool {
	list := x.home.code.Functional.Messages
	if m.layout.Index >= len(list) || list[m.layout.Index] == nil {
		return false
	}
	x.reading.changed = false
	x.home.dataRead(list[m.layout.Index], x.reading.line, m, &x.mask)
	if x.reading.changed {
		x.where = sim.Failure{Text: "a message of " + m.layout.Type.Name}
	}
	return ^x.reading.known == 0 && x.home.code.Functional.Read.Mask < 0
}

func (p *program) permissionOf(ordinal uint64) string {
	if ordinal >= uint64(len(p.PermissionType.Enums)) {
		return ""
	}
	return p.PermissionType.Enums[ordinal].Name
}

// accessOf is what the controller may do with a line.
func (c *controller) accessOf(line memory.Addr) uint64 {
	defer c.catch()
	f := c.code.Functional.Permission
	c.begin(line)
	c.words[f.Params[0]] = uint64(line)
	c.exec(f.Entry)
	return c.words[f.Result]
}

// stalePriority is the priority of a controller that may read a copy which is Maybe_Stale,
// the least one first; negative for others.
func (c *controller) stalePriority() int64 {
	f := c.code.Functional.Priority
	if f == nil {
		return -1
	}
	defer c.catch()
	c.exec(f.Entry)
	return int64(c.words[f.Result])
}

// dataRead runs a function that reads the data of a line, of a message if there is
// one; false if that is a fault.
func (c *controller) dataRead(f *code.DataRead, line memory.Addr, message *object, mask *uint64) bool {
	defer c.catch()
	c.begin(line)
	if message != nil {
		for _, x := range f.Fields {
			copy(c.words[x.Place:x.Place+x.Size], message.words[x.Offset:])
		}
	} else {
		c.words[f.Code.Params[0]] = uint64(line)
	}
	if f.Mask >= 0 {
		c.words[f.Mask], c.words[f.Mask+1] = *mask, 0 // no atomic access
	}
	c.exec(f.Code.Entry)
	if f.Mask >= 0 {
		*mask = c.words[f.Mask]
	}
	return true
}

// begin has what is not a transition be about a line.
func (c *controller) begin(line memory.Addr) {
	c.now, c.words[code.AddressWord] = c.system.queue.Now(), uint64(line)
}

// place is the machine of a controller and the state of a line in it.
func (c *controller) place(line memory.Addr) sim.Failure {
	var tbe, entry *object
	for _, t := range c.tables {
		tbe = cmp.Or(tbe, t.lookup(line))
	}
	for _, cached := range c.caches {
		entry = cmp.Or(entry, cached.Lookup(line))
	}
	for _, d := range c.directory {
		entry = cmp.Or(entry, d.lookup(line))
	}
	if state := c.peekState(tbe, entry, line); state != nil {
		return sim.Failure{Row: sim.Row{Machine: c.code.Decl.Name, State: state.Name}}
	}
	return sim.Failure{Row: sim.Row{Machine: c.code.Decl.Name}}
}
