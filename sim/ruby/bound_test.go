package ruby

import (
	"math/rand/v2"
	"testing"

	"ordeal/sim/builtin/event"
)

// boundedReference is MessageBuffer of gem5 v24.0 as far as its size goes
// (areNSlotsAvailable, enqueue, dequeue, stallMessage and reanalyzeMessages of
// MessageBuffer.cc), with the names that it has there.
type boundedReference struct {
	prioHeap, stallMapSize                   int
	maxSize, sizeAtCycleStart, msgsThisCycle int
	stalledAtCycleStart                      int
	timeLastTimePop, timeLastTimeEnqueue     event.Tick
}

func (b *boundedReference) areNSlotsAvailable(n int, now event.Tick) bool {
	currentSize, currentStallSize := 0, 0
	if b.timeLastTimePop < now {
		currentSize, currentStallSize = b.prioHeap, b.stallMapSize
	} else {
		if b.timeLastTimeEnqueue < now {
			currentSize = b.sizeAtCycleStart
		} else {
			currentSize = b.sizeAtCycleStart + b.msgsThisCycle
		}
		currentStallSize = b.stalledAtCycleStart
	}
	return currentSize+currentStallSize+n <= b.maxSize
}

func (b *boundedReference) enqueue(now event.Tick) {
	if b.timeLastTimeEnqueue < now {
		b.msgsThisCycle, b.timeLastTimeEnqueue = 0, now
	}
	b.msgsThisCycle++
	b.prioHeap++
}

func (b *boundedReference) dequeue(now event.Tick) {
	if b.timeLastTimePop < now {
		b.sizeAtCycleStart, b.stalledAtCycleStart, b.timeLastTimePop = b.prioHeap, b.stallMapSize, now
	}
	b.prioHeap--
}

// TestRoomAgainstReference compares what a bounded buffer has room for with
// gem5's arithmetic, which counts a message twice that came in the tick of a pop
// before it.
func TestRoomAgainstReference(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := newBuffer()
		b.capacity = newCapacity(3)
		w := &boundedReference{maxSize: 3, timeLastTimePop: -1, timeLastTimeEnqueue: -1}
		waiter := &b.owner.wakeups
		step := func(now event.Tick) {
			for range random.IntN(5) {
				for n := 1; n <= 3; n++ {
					if got, want := b.fits(n, now, waiter), w.areNSlotsAvailable(n, now); got != want {
						t.Fatalf("seed %d, tick %d: room for %d: %v, want %v", seed, now, n, got, want)
					}
				}
				switch random.IntN(4) {
				case 0, 1:
					if w.areNSlotsAvailable(1, now) {
						b.enqueue(&object{}, now)
						w.enqueue(now)
					}
				case 2:
					if b.ready(now) {
						b.pop()
						w.dequeue(now)
					}
				default:
					switch {
					case b.stalledFor(64) > 0:
						w.prioHeap, w.stallMapSize = w.prioHeap+b.stalledFor(64), 0
						b.reanalyze(64, now)
					case b.ready(now):
						b.stall(64)
						w.dequeue(now)
						w.stallMapSize++
					}
				}
			}
		}
		q := b.owner.queue
		for now := range event.Tick(400) {
			q.At(now+1, q.Add(invoke(func() { step(q.Now()) })), 0)
		}
		if err := q.Run(1_000_000); err != nil {
			t.Fatal(err)
		}
	}
}

type invoke func()

func (f invoke) Handle(uint64) { f() }

func TestParseBound(t *testing.T) {
	for text, want := range map[string]Bound{
		"4": {Size: 4}, "network=2": {Buffer: "network", Size: 2}, "HNF.reqOut=0": {"HNF", "reqOut", 0},
	} {
		if got, err := ParseBound(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "-1", "=3", ".x=3", "L1.=3", "L1.x", "L1.x=", "L1=3", "network=x", "4=4"} {
		if got, err := ParseBound(text); err == nil {
			t.Errorf("%q is accepted: %v", text, got)
		}
	}
}
