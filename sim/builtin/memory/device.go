package memory

import (
	"fmt"
	"io"
	"slices"

	"ordeal/gen"
	"ordeal/sim/builtin/event"
)

// Transfer is an access of a device to a line or a part of it.
type Transfer struct {
	Addr  Addr // of the first word
	Bytes int  // whole words within the line
	Write bool
	Data  Block // of a write, in the words that it writes
}

// Device connects a device to a memory system: it makes one transfer at a time.
type Device interface {
	// Attach sets the client, before the first Transfer.
	Attach(DeviceClient)
	// Transfer starts a transfer; none is under way.
	Transfer(Transfer)
	// Oldest is as that of Port.
	Oldest() (line Addr, since event.Tick, ok bool)
}

// DeviceClient is what a memory system sees of a device.
type DeviceClient interface {
	// Transferred ends the transfer under way, from inside an event of the
	// memory system: a write has taken effect; the block has the words of a
	// read, and is valid until Transferred returns.
	Transferred(b *Block)
}

// Devices is a System with devices.
type Devices interface {
	System
	// Device is the one of a number, from 0.
	Device(number int) Device
}

// DeviceController is the controller below a DeviceSequencer.
type DeviceController interface {
	// Start starts a transfer. The controller ends it some time after Start has
	// returned, by DataCallback or AckCallback.
	Start(Transfer)
}

// DeviceSequencer is a Device above a cache coherence protocol, like gem5's
// DMASequencer with one transfer at a time. Several may share a controller, which then has
// a transfer of each under way.
type DeviceSequencer struct {
	queue      *event.Queue
	number     int
	controller DeviceController
	client     DeviceClient
	transfer   Transfer
	since      event.Tick
	active     bool
	// waits says that the controller does not have the transfer yet: it has one of the same
	// line. Sharing are all sequencers of the controller.
	waits   bool
	sharing []*DeviceSequencer
}

var _ Device = (*DeviceSequencer)(nil)

// NewDeviceSequencers makes the sequencers of n devices, numbered from first on, that share a
// controller. As gem5's DMASequencer (dma_sequencer.cc, makeRequest, RequestStatus_Aliased)
// they have one transfer of a line under way at a time; others of it wait.
func NewDeviceSequencers(q *event.Queue, first, n int, c DeviceController) []*DeviceSequencer {
	list := make([]*DeviceSequencer, n)
	for i := range list {
		list[i] = &DeviceSequencer{queue: q, number: first + i, controller: c, sharing: list}
	}
	return list
}

// Reset makes the sequencer as it was made, with the events of another run.
func (s *DeviceSequencer) Reset(q *event.Queue) {
	*s = DeviceSequencer{queue: q, number: s.number, controller: s.controller, sharing: s.sharing}
}

// Attach sets the client.
func (s *DeviceSequencer) Attach(c DeviceClient) { s.client = c }

// Transfer starts a transfer.
func (s *DeviceSequencer) Transfer(t Transfer) {
	s.transfer, s.since, s.active = t, s.queue.Now(), true
	s.waits = slices.ContainsFunc(s.sharing, func(o *DeviceSequencer) bool { return o != s && o.Serves(t.Addr.Line()) })
	if !s.waits {
		s.controller.Start(t)
	}
}

// Serves reports whether the controller has a transfer of a line under way for this device.
func (s *DeviceSequencer) Serves(line Addr) bool {
	return s.active && !s.waits && s.transfer.Addr.Line() == line
}

// Oldest is the line of the transfer under way, and its tick.
func (s *DeviceSequencer) Oldest() (line Addr, since event.Tick, ok bool) {
	return s.transfer.Addr.Line(), s.since, s.active
}

// DataCallback ends a read with the line's data.
func (s *DeviceSequencer) DataCallback(line Addr, b *Block) { s.end(line, false, b) }

// Fill puts the words of the write under way into a line.
func (s *DeviceSequencer) Fill(b *Block) {
	first := s.transfer.Addr.Word()
	copy(b[first:], s.transfer.Data[first:first+s.transfer.Bytes/gen.WordBytes])
}

// AckCallback ends a write. As in gem5, a read may end so as well, without data:
// it is a fault here.
func (s *DeviceSequencer) AckCallback(line Addr) { s.end(line, true, &s.transfer.Data) }

func (s *DeviceSequencer) end(line Addr, write bool, b *Block) {
	if !s.Serves(line) || s.transfer.Write != write {
		s.queue.Fail(Failed(fmt.Sprintf("sequencer of a device: %s completed that was never issued", kind(write)), fmt.Sprintf("device %d, line %#x, tick %d", s.number, int64(line), s.queue.Now())))
		return
	}
	s.active = false
	for _, o := range s.sharing {
		if o.active && o.waits && o.transfer.Addr.Line() == line {
			o.waits = false
			o.controller.Start(o.transfer)
			break
		}
	}
	s.client.Transferred(b)
}

// Dump writes the transfer under way.
func (s *DeviceSequencer) Dump(w io.Writer) {
	if s.active {
		fmt.Fprintf(w, "device %d: %s of %d bytes from address %#x on under way since tick %d\n",
			s.number, kind(s.transfer.Write), s.transfer.Bytes, int64(s.transfer.Addr), s.since)
	}
}
