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
	b := &q.wheel[bucket(q.now)]
	switch q.order {
	case FIFO:
		it := (*b)[q.head]
		q.head++
		if q.head == len(*b) {
			*b, q.head = (*b)[:0], 0
		}
		return it
	case Shuffled:
		if n := len(*b); n > 1 {
			i, _ := bits.Mul64(q.random.Uint64(), uint64(n))
			(*b)[i], (*b)[n-1] = (*b)[n-1], (*b)[i]
		}
	}
	it := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return it
}
