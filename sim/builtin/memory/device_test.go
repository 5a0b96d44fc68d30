package memory

import (
	"strings"
	"testing"

	"ordeal/sim/builtin/event"
)

type deviceMachine struct {
	started []Transfer
	ended   []Block
}

func (m *deviceMachine) Start(t Transfer)     { m.started = append(m.started, t) }
func (m *deviceMachine) Transferred(b *Block) { m.ended = append(m.ended, *b) }

func TestDeviceSequencer(t *testing.T) {
	q := event.New(event.FIFO, 0)
	m := new(deviceMachine)
	s := NewDeviceSequencers(q, 2, 1, m)[0]
	s.Attach(m)
	if _, _, busy := s.Oldest(); busy {
		t.Error("a transfer is under way before the first")
	}
	s.Transfer(Transfer{Addr: 136, Bytes: 8})
	if line, _, busy := s.Oldest(); !busy || line != 128 {
		t.Errorf("under way: %v, line %d", busy, line)
	}
	s.DataCallback(128, &Block{7, 8})
	s.Transfer(Transfer{Addr: 64, Bytes: 64, Write: true, Data: Block{9}})
	s.AckCallback(64)
	if len(m.started) != 2 || len(m.ended) != 2 || m.ended[0] != (Block{7, 8}) || q.Err() != nil {
		t.Errorf("started %v, ended %v, %v", m.started, m.ended, q.Err())
	}
}

// TestDeviceFill puts the words of a write into a line, and no others.
func TestDeviceFill(t *testing.T) {
	s := NewDeviceSequencers(event.New(event.FIFO, 0), 0, 1, new(deviceMachine))[0]
	s.Attach(new(deviceMachine))
	s.Transfer(Transfer{Addr: 64 + 2*8, Bytes: 2 * 8, Write: true, Data: Block{11, 12, 13, 14, 15}})
	b := Block{1, 2, 3, 4, 5, 6, 7, 8}
	if s.Fill(&b); b != (Block{1, 2, 13, 14, 5, 6, 7, 8}) {
		t.Errorf("the line is %v", b)
	}
}

// TestDeviceFaults has callbacks that complete something else than the transfer
// under way.
func TestDeviceFaults(t *testing.T) {
	read, write := Transfer{Addr: 64, Bytes: 8}, Transfer{Addr: 64, Bytes: 8, Write: true}
	for _, f := range []struct {
		name  string
		start *Transfer
		call  func(s *DeviceSequencer)
	}{
		{"nothing under way", nil, func(s *DeviceSequencer) { s.AckCallback(64) }},
		{"another line", &write, func(s *DeviceSequencer) { s.AckCallback(128) }},
		{"acknowledged read", &read, func(s *DeviceSequencer) { s.AckCallback(64) }},
		{"data of a write", &write, func(s *DeviceSequencer) { s.DataCallback(64, new(Block)) }},
	} {
		q := event.New(event.FIFO, 0)
		m := new(deviceMachine)
		s := NewDeviceSequencers(q, 0, 1, m)[0]
		s.Attach(m)
		if f.start != nil {
			s.Transfer(*f.start)
		}
		f.call(s)
		if err := q.Err(); err == nil || !strings.Contains(err.Error(), "that was never issued") || len(m.ended) > 0 {
			t.Errorf("%s: %v, %d ended", f.name, err, len(m.ended))
		}
	}
}

// TestDevicesShare has two devices make transfers through one controller: of two lines at a time,
// and of one line one after the other.
func TestDevicesShare(t *testing.T) {
	q := event.New(event.FIFO, 0)
	m := new(deviceMachine)
	clients := []*deviceMachine{{}, {}}
	list := NewDeviceSequencers(q, 0, 2, m)
	for i, s := range list {
		s.Attach(clients[i])
	}
	list[1].Transfer(Transfer{Addr: 64, Bytes: 8})
	list[0].Transfer(Transfer{Addr: 72, Bytes: 8}) // waits
	if list[0].Serves(64) || !list[1].Serves(64) || len(m.started) != 1 {
		t.Fatalf("started %v", m.started)
	}
	list[1].DataCallback(64, &Block{1})
	if len(clients[1].ended) != 1 || !list[0].Serves(64) || len(m.started) != 2 || m.started[1].Addr != 72 {
		t.Fatalf("after the first: started %v", m.started)
	}
	list[1].Transfer(Transfer{Addr: 128, Bytes: 8, Write: true})
	if len(m.started) != 3 {
		t.Errorf("another line waits: started %v", m.started)
	}
	list[1].AckCallback(128)
	list[0].DataCallback(64, &Block{1, 2})
	if len(clients[0].ended) != 1 || len(clients[1].ended) != 2 || q.Err() != nil {
		t.Errorf("ended %v and %v, %v", clients[0].ended, clients[1].ended, q.Err())
	}
	list[0].Transfer(Transfer{Addr: 64, Bytes: 8})
	list[1].Transfer(Transfer{Addr: 64, Bytes: 8})
	if list[1].DataCallback(64, &Block{}); q.Err() == nil {
		t.Error("a transfer that waits was completed")
	}
}
