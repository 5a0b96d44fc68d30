package agent

import (
	"strings"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// lines is a memory whose lines are found unless they are missing.
type lines map[memory.Addr]memory.Block

func (l lines) FunctionalRead(line memory.Addr) (b memory.Block, where sim.Failure, found bool) {
	b, found = l[line]
	if found {
		where.Text = "a cache"
	}
	return b, where, found
}

func TestReader(t *testing.T) {
	q := event.New(event.FIFO, 0)
	system := lines{0: {1, 2}}
	r := NewReader(q, system, []memory.Addr{0, 64}, 10, 1)
	r.Wrote(0, 1)
	r.Wrote(8, 2)
	r.Wrote(64, 9) // of a line that is on its way
	if err := q.Run(50); err != nil || r.Found == 0 || r.Missed == 0 {
		t.Fatalf("%v: %d lines found, %d not", err, r.Found, r.Missed)
	}
	r.Wrote(8, 3)
	r.Ignore(8)
	if err := q.Run(50); err != nil {
		t.Fatal(err)
	}
	r.Wrote(0, 4)
	if err := q.Run(50); err == nil || !strings.Contains(err.Error(), "functional read finds an old value: a cache: word 0x0 holds 1 there") {
		t.Errorf("an old value: %v", err)
	}
}

// lost is a memory that knows where data should be, and has none.
type lost struct{}

func (lost) FunctionalRead(memory.Addr) (b memory.Block, where sim.Failure, found bool) {
	return b, sim.Failure{Text: "a directory"}, false
}

func TestNoData(t *testing.T) {
	q := event.New(event.FIFO, 0)
	NewReader(q, lost{}, []memory.Addr{64}, 10, 1)
	if err := q.Run(50); err == nil || !strings.Contains(err.Error(), "functional read finds no data: a directory: of line 0x40") {
		t.Errorf("no data: %v", err)
	}
}

func TestStop(t *testing.T) {
	q := event.New(event.FIFO, 0)
	r := NewReader(q, lines{0: {1}}, []memory.Addr{0}, 10, 1)
	r.Stop()
	if err := q.Run(50); err != nil || q.Waiting() > 0 {
		t.Errorf("a stopped reader goes on: %v", err)
	}
}
