package ruby

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
)

// reference is a simple implementation of buffer: a list that is sorted whenever it is asked.
type reference struct {
	list   []queued
	stalls map[memory.Addr][]queued
	count  uint64
}

func (w *reference) enqueue(m *object, at event.Tick) {
	w.count++
	w.list = append(w.list, queued{msg: m, at: at, number: w.count})
}

func (w *reference) pop() queued {
	slices.SortFunc(w.list, func(a, b queued) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number))
	})
	q := w.list[0]
	w.list = w.list[1:]
	return q
}

// newBuffer makes a buffer whose owner only counts wake-ups.
func newBuffer() *buffer {
	q := event.New(event.FIFO, 0)
	c := &controller{wakeups: wakeups{queue: q, self: q.Add(idle{})}}
	return &buffer{owner: c, poller: &c.wakeups}
}

func TestBufferAgainstReference(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		b, w := newBuffer(), &reference{stalls: map[memory.Addr][]queued{}}
		now := event.Tick(0)
		for range 3000 {
			now += event.Tick(random.IntN(2))
			line := memory.Addr(random.IntN(3) * 64)
			switch random.IntN(8) {
			case 0, 1, 2:
				m, at := &object{}, now+event.Tick(random.IntN(6))
				b.enqueue(m, at)
				w.enqueue(m, at)
			case 3, 4:
				if b.ready(now) {
					if got, want := b.pop(), w.pop(); got != want {
						t.Fatalf("seed %d, tick %d: popped %v, want %v", seed, now, got, want)
					}
				}
			case 5:
				if b.ready(now) {
					b.recycle(now + 3)
					q := w.pop()
					q.at = now + 3
					q.recycled++
					w.list = append(w.list, q)
				}
			case 6:
				if b.ready(now) {
					b.stall(line)
					w.stalls[line] = append(w.stalls[line], w.pop())
				}
			default:
				if random.IntN(10) == 0 {
					b.reanalyzeAll(now)
					for l, list := range w.stalls {
						w.list = append(w.list, list...)
						delete(w.stalls, l)
					}
					break
				}
				if got, want := b.reanalyze(line, now), len(w.stalls[line]) > 0; got != want {
					t.Fatalf("seed %d, tick %d: messages for line %#x: %v, want %v", seed, now, line, got, want)
				}
				w.list = append(w.list, w.stalls[line]...)
				delete(w.stalls, line)
			}
			if got, want := b.stalledFor(line), len(w.stalls[line]); got != want {
				t.Fatalf("seed %d: %d messages stalled for line %#x, want %d", seed, got, line, want)
			}
			ready := slices.ContainsFunc(w.list, func(q queued) bool { return q.at <= now })
			if len(b.items)-b.head != len(w.list) || b.ready(now) != ready {
				t.Fatalf("seed %d: %d messages, ready %v, want %d, %v", seed, len(b.items)-b.head, b.ready(now), len(w.list), ready)
			}
		}
	}
}

// TestWakesMerge requires one wake-up of a controller in a tick, however often it
// was asked for.
func TestWakesMerge(t *testing.T) {
	b := newBuffer()
	for range 3 {
		b.enqueue(&object{}, 5)
		b.enqueue(&object{}, 7)
	}
	if n := b.owner.queue.Waiting(); n != 2 {
		t.Errorf("%d wake-ups, want 2", n)
	}
}

func TestStaleObjectsRest(t *testing.T) {
	l := &code.Layout{Init: []uint64{3}}
	p := &pool{layout: l}
	o := p.get()
	o.words[0] = 5
	p.kill(o)
	if !o.dead {
		t.Error("a killed object lives")
	}
	for range quarantine {
		other := p.get()
		if other == o {
			t.Fatal("a dead object comes back at once")
		}
		p.kill(other)
	}
	for range quarantine {
		if again := p.get(); again == o {
			if o.dead || o.words[0] != 3 {
				t.Error("an object comes back as it was")
			}
			return
		}
	}
	t.Error("a dead object never comes back")
}

// idle is an actor that does nothing.
type idle struct{}

func (idle) Handle(uint64) {}

// TestOvertakes finds what the network puts into a buffer between the edges of another clock: with a
// faster one what arrives a tick later, put in before the second edge, and with a slower one what arrives
// before the edge, put in after the head was put off.
func TestOvertakes(t *testing.T) {
	for _, c := range []struct {
		clock int
		at    event.Tick // of the second message; the head is put off from tick 10
		want  event.Tick
	}{
		{3, 11, 11}, {3, 10, 0}, {3, 12, 0}, {-4, 11, 0}, {-4, 12, 12}, {-4, 13, 13}, {-4, 14, 0},
	} {
		b := &buffer{clock: c.clock, items: []queued{{at: 10}, {at: c.at}}}
		if got := b.overtakes(10, max(11, 10-event.Tick(c.clock))); got != c.want {
			t.Errorf("clock %d: a message that arrives at %d is found at %d, want %d", c.clock, c.at, got, c.want)
		}
	}
}
