package event

import (
	"math/bits"

	"ordeal/gen/option"
)

// Order is the order of the events of one tick. All orders are deterministic.
type Order uint8

// The orders. An event that is scheduled for the current tick competes with
// those that are still waiting.
const (
	OrderUnknown Order = iota
	Shuffled           // any, by the seed
	FIFO               // the one scheduled first
	LIFO               // the one scheduled last, as gem5's event queue does
)

var orderNames = option.Names[Order]{"unknown", "shuffled", "fifo", "lifo"}

// String is the order's name on the command line.
func (o Order) String() string { return orderNames.Of(o) }

// ParseOrder reads the name of an order.
func ParseOrder(name string) (Order, error) { return orderNames.Parse("event order", name) }

// pop takes the next event out of the bucket of the current tick, which is
// not empty.
func (q *Queue) pop() item {
	b := &q.wheel[place(q.now)]
	at := b.front
	n := &q.nodes[at]
	it := item{n.arg, n.actor}
	if q.order == Shuffled && b.n > 1 {
		// Numbers count from the back.
		i, _ := bits.Mul64(q.random.Uint64(), uint64(b.n))
		chosen := n
		for skip := b.n - 1 - int32(i); skip > 0; skip-- {
			chosen = &q.nodes[chosen.next]
		}
		it = item{chosen.arg, chosen.actor}
		chosen.arg, chosen.actor = n.arg, n.actor
	}
	b.front = n.next
	b.n--
	n.next, q.spare = q.spare, at
	return it
}
