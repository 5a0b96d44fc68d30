package ruby

import (
	varint "encoding/binary"
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
)

func (s *Stepper) appendSequencer(dst []byte, seq *memory.Sequencer, perm *Permutation) []byte {
	s.requests = seq.Requests(s.requests[:0])
	dst = append(dst, byte(len(s.requests)))
	for l := range s.lines { // the order of accesses to different lines does not matter
		line := s.lines[slices.Index(perm.Lines, l)]
		for _, r := range s.requests {
			if r.Line == line {
				dst = append(dst, byte(l), byte(truth(r.Write)), byte(r.Lock), byte(r.Kind), r.Client)
				if s.data.Ages == 0 {
					dst = varint.AppendUvarint(dst, r.Tag)
				} else {
					dst = append(dst, byte(r.Tag>>1%uint64(s.words)))
				}
			}
		}
	}
	line, holds := seq.Locked()
	dst = append(dst, byte(truth(holds)))
	if holds {
		dst = s.appendAddress(dst, uint64(line), perm)
	}
	return dst
}

func (s *Stepper) readSequencer(d *decoder, seq *memory.Sequencer) {
	s.requests = s.requests[:0]
	for range d.byte() {
		l := d.below(len(s.lines))
		write, lock, kind, client, tag := d.byte() != 0, d.byte(), d.byte(), d.byte(), d.uvarint()
		if s.data.Ages > 0 {
			tag = s.Tag(l, int(tag), write)
		}
		s.requests = append(s.requests, memory.Request{
			Line: s.lines[l], Write: write, Lock: memory.Lock(lock), Kind: memory.Kind(kind), Client: uint8(client), Tag: tag,
		})
	}
	var line memory.Addr
	holds := d.byte() != 0
	if holds {
		line = memory.Addr(s.readAddress(d))
	}
	seq.Restore(s.requests, line, holds)
}

// raced says of a write of a device that a core has stored to a word that it
// writes, or another device has, since it began: which of them is the last is
// not known.
const raced = 1

func (s *Stepper) appendDevice(dst []byte, d *memory.DeviceSequencer, perm *Permutation) []byte {
	t, active := d.Current()
	if !active {
		return append(dst, 0)
	}
	line := s.lineOf(t.Addr.Line())
	dst = append(dst, 1, byte(1+perm.Lines[line]), byte(t.Addr.Word()), byte(t.Bytes), byte(truth(t.Write)))
	if !t.Write {
		return dst
	}
	for w := range s.words {
		dst = varint.AppendUvarint(dst, s.age(t.Data[w], line, w))
	}
	mark := byte(0)
	for w := range s.words {
		if written(&t, w) && s.stores[line*code.BlockWords+w] > 0 {
			mark = raced
		}
	}
	return append(dst, max(mark, s.races[d]))
}

func written(t *memory.Transfer, word int) bool {
	return t.Write && word >= t.Addr.Word() && word < t.Addr.Word()+t.Bytes/8
}

func (s *Stepper) readDevice(d *decoder, device *memory.DeviceSequencer) {
	var t memory.Transfer
	s.races[device] = 0
	if d.byte() == 0 {
		device.Restore(t, false)
		return
	}
	line := d.below(1 + len(s.lines))
	word, bytes, write := d.byte(), d.byte(), d.byte()
	if line == 0 {
		d.failed = true
		return
	}
	t.Addr = s.lines[line-1] + memory.Addr(8*word)
	t.Bytes, t.Write = bytes, write != 0
	if t.Write {
		for w := range s.words {
			t.Data[w] = d.uvarint()
		}
		s.races[device] = byte(d.byte())
	}
	device.Restore(t, true)
}

// Transfer starts a transfer of a device; false if one is under way, or if one
// before it is in its way.
func (s *Stepper) Transfer(device int, t memory.Transfer) (started bool, err error) {
	d := s.devices[device]
	c := s.all[s.DeviceHome(device)]
	if _, active := d.Current(); active || c.mandatory.ready(stepTick) {
		return false, nil
	}
	s.races[d] = 0
	s.start(func() bool {
		d.Transfer(t)
		return true
	})
	return true, s.run(c)
}

// DeviceHome is the controller of a device.
func (s *Stepper) DeviceHome(device int) int {
	for i, c := range s.all {
		if slices.Contains(c.devices, s.devices[device]) {
			return i
		}
	}
	return -1
}

// Transferring is the transfer of a device that is under way.
func (s *Stepper) Transferring(device int) (t memory.Transfer, active bool) {
	return s.devices[device].Current()
}

// DeviceValue is the value that a device writes, where states keep ages of values:
// which it is the last write, or an older one, is known when the write has
// ended.
func (s *Stepper) DeviceValue(device int) uint64 { return uint64(s.data.Ages + 1 + device) }

// Settle gives the value that a device wrote to a word of a line its age when the
// write has ended. If nothing else wrote the word meanwhile it is the last write; if
// something did, both are.
func (s *Stepper) Settle(device, line, word int) {
	n := settleAlone
	if s.races[s.devices[device]] == raced {
		n = settleRaced
	}
	s.stores[line*code.BlockWords+word] = n + device
}

// In the place of a number of stores: that the write of a device ended.
const (
	settleAlone = 1 << 8
	settleRaced = 1 << 9
)
