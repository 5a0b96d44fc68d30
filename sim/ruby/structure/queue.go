package structure

// Queue is gem5's TriggerQueue (mem/ruby/common) of single words, in words
// itself: the number of elements, then these, the first one first. The lowest
// bit of an element says that it does not block.
type Queue []uint64

// MaxTriggers is the number of elements that a Queue has room for, and
// QueueWords that of its words. Transactions of gem5's CHI have about ten.
const (
	MaxTriggers = 31
	QueueWords  = MaxTriggers + 1
)

// Len is the number of elements.
func (q Queue) Len() int { return int(q[0]) }

// Push adds an element at the front or at the end.
func (q Queue) Push(value uint64, blocks, front bool) error {
	n := q.Len()
	if n+1 >= len(q) {
		return Fault("trigger queue: more elements than there is room for")
	}
	element := value<<1 | 1
	if blocks {
		element = value << 1
	}
	q[0]++
	if !front {
		q[n+1] = element
		return nil
	}
	copy(q[2:n+2], q[1:n+1])
	q[1] = element
	return nil
}

// At gives an element and whether it does not block: the first, or the last.
func (q Queue) At(front bool) (value uint64, free bool, err error) {
	n := q.Len()
	if n == 0 {
		return 0, false, Fault("trigger queue: there is no element")
	}
	e := q[n]
	if front {
		e = q[1]
	}
	return e >> 1, e&1 != 0, nil
}

// Pop takes the first element away.
func (q Queue) Pop() error {
	n := q.Len()
	if n == 0 {
		return Fault("trigger queue: there is no element")
	}
	copy(q[1:n], q[2:n+1])
	q[n] = 0
	q[0]--
	return nil
}
