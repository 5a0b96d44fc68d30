package agent

import (
	"fmt"
	"slices"
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// recorder is a device whose transfers take five ticks. It notes them; a read
// finds 100 in word 0, 101 in word 1 and so on.
type recorder struct {
	queue  *event.Queue
	self   event.Actor
	client memory.DeviceClient
	got    []string
}

func (r *recorder) Attach(c memory.DeviceClient) { r.client = c }

func (r *recorder) Oldest() (memory.Addr, event.Tick, bool) { return 0, 0, false }

func (r *recorder) Transfer(t memory.Transfer) {
	text := fmt.Sprintf("%d: read %d bytes at %d", r.queue.Now(), t.Bytes, t.Addr-memory.Base)
	if t.Write {
		text = fmt.Sprintf("%d: write %v to %d bytes at %d", r.queue.Now(), t.Data[:3], t.Bytes, t.Addr-memory.Base)
	}
	r.got = append(r.got, text)
	r.queue.At(r.queue.Now()+5, r.self, 0)
}

func (r *recorder) Handle(uint64) {
	var b memory.Block
	for i := range b {
		b[i] = 100 + uint64(i)
	}
	r.client.Transferred(&b)
}

// TestTransfers has one transfer at a time: of operations of one kind on one
// line in the order of addresses, of the whole line if they are all of its
// locations. z is alone on its line.
func TestTransfers(t *testing.T) {
	p, err := gen.Parse("test", []byte(`ordeal-program 1
layout pairs
locations x y z
thread 0 dma
store x 1
store y 2
store y 3
load y
load x
load x
load y
delay 7
load z
store x 4
store z 5
load y
`))
	if err != nil {
		t.Fatal(err)
	}
	q := event.New(event.FIFO, 0)
	r := &recorder{queue: q}
	r.self = q.Add(r)
	thread := core.NewThread(p, 0, 1, core.NewWriteOrder(p, 1))
	ended := 0
	NewDMA(q, thread, r, NewLayout(p), func() { ended++ })
	if err := q.Run(1000); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1: write [1 2 0] to 64 bytes at 0",
		"7: write [0 3 0] to 8 bytes at 8",
		"13: read 8 bytes at 8",
		"19: read 8 bytes at 0",
		"25: read 64 bytes at 0",
		"38: read 64 bytes at 64", // 7 ticks later
		"44: write [4 0 0] to 8 bytes at 0",
		"50: write [5 0 0] to 64 bytes at 64",
		"56: read 8 bytes at 8",
	}
	if !slices.Equal(r.got, want) {
		t.Errorf("transfers\n%q, want\n%q", r.got, want)
	}
	if reads := thread.Reads(); !slices.Equal(reads, []gen.Value{101, 100, 100, 101, 100, 101}) {
		t.Errorf("reads %v", reads)
	}
	if ended != 1 {
		t.Errorf("the end came %d times", ended)
	}
}

// TestGap has no transfer over a location that the thread leaves out.
func TestGap(t *testing.T) {
	p, err := gen.Parse("test", []byte("ordeal-program 1\nlayout packed\nlocations x y z\nthread 0 dma\nload x\nload z\n"))
	if err != nil {
		t.Fatal(err)
	}
	q := event.New(event.FIFO, 0)
	r := &recorder{queue: q}
	r.self = q.Add(r)
	NewDMA(q, core.NewThread(p, 0, 1, core.NewWriteOrder(p, 1)), r, NewLayout(p), func() {})
	if err := q.Run(1000); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1: read 8 bytes at 0", "7: read 8 bytes at 16"}; !slices.Equal(r.got, want) {
		t.Errorf("transfers %q, want %q", r.got, want)
	}
}
