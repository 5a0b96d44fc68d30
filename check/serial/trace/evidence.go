package trace

import (
	"fmt"
	"sort"

	"ordeal/check/serial"
	"ordeal/parse/formats/events"
)

// CheckRank checks that in no execution of a trace a transaction conflicts
// with a later one of smaller rank, in time n·log n. Where ranks differ, they
// are an order of serialization for every execution. It knows of the trace
// but the definition: a write takes effect after its issue and before the next
// fence of its thread.
func CheckRank(s *events.Sequence, rank []int32) error {
	if len(rank) != len(s.Transactions) {
		return fmt.Errorf("%d ranks of %d transactions", len(rank), len(s.Transactions))
	}
	c := rankChecker{
		seq: s, rank: rank, later: make([][]peak, len(s.Threads)*len(s.Variables)),
		reads: make([][]int32, len(s.Variables)), writes: make([][]int32, len(s.Variables)),
		pending: make([][]int32, len(s.Threads)),
	}
	for x := range s.Variables {
		c.reads[x], c.writes[x] = make([]int32, len(s.Threads)), make([]int32, len(s.Threads))
		for t := range s.Threads {
			c.reads[x][t], c.writes[x][t] = none, none
		}
	}
	for i := range int32(len(s.Events)) {
		if err := c.event(i); err != nil {
			return err
		}
	}
	for t := range s.Threads {
		if err := c.fence(int32(t)); err != nil {
			return err
		}
	}
	return nil
}

// rankChecker is the state of one call of CheckRank.
type rankChecker struct {
	seq  *events.Sequence
	rank []int32
	// reads and writes are the greatest ranks so far, by variable and thread.
	reads, writes [][]int32
	// later are the accesses, by thread and variable, of greater rank than all
	// after them, in the order of the trace, ranks falling.
	later [][]peak
	// pending are the writes of a thread since its last fence.
	pending [][]int32
}

type peak struct{ event, rank int32 }

// event checks that accesses before event i that may take effect before it
// have no greater rank; what is pending may always.
func (c *rankChecker) event(i int32) error {
	e := &c.seq.Events[i]
	rank := c.rank[e.Tx]
	if e.Kind.Drains() {
		if err := c.fence(e.Thread); err != nil {
			return err
		}
	}
	if e.Var < 0 {
		return nil
	}
	for t := range c.seq.Threads {
		if int32(t) == e.Thread {
			continue
		}
		most := c.writes[e.Var][t]
		if e.Kind != events.Read {
			most = max(most, c.reads[e.Var][t])
		}
		if most > rank {
			return fmt.Errorf("event %d (%s) has rank %d, and an access of thread %s that may come before it has rank %d",
				i+1, c.seq.EventText(i), rank, c.seq.Threads[t], most)
		}
	}
	of := &c.writes
	if e.Kind == events.Read {
		of = &c.reads
	}
	(*of)[e.Var][e.Thread] = max((*of)[e.Var][e.Thread], rank)
	stack := &c.later[int(e.Thread)*len(c.seq.Variables)+int(e.Var)]
	for len(*stack) > 0 && (*stack)[len(*stack)-1].rank <= rank {
		*stack = (*stack)[:len(*stack)-1]
	}
	*stack = append(*stack, peak{i, rank})
	if e.Kind == events.Write {
		c.pending[e.Thread] = append(c.pending[e.Thread], i)
	}
	return nil
}

// fence checks that accesses of other threads since a pending write, which may
// come before it, have no greater rank.
func (c *rankChecker) fence(thread int32) error {
	for _, w := range c.pending[thread] {
		e := &c.seq.Events[w]
		for t := range c.seq.Threads {
			if int32(t) == thread {
				continue
			}
			stack := c.later[t*len(c.seq.Variables)+int(e.Var)]
			k := sort.Search(len(stack), func(k int) bool { return stack[k].event > w })
			if k < len(stack) && stack[k].rank > c.rank[e.Tx] {
				return fmt.Errorf("event %d (%s) has rank %d, and event %d (%s), which may come before it, has rank %d",
					w+1, c.seq.EventText(w), c.rank[e.Tx], stack[k].event+1, c.seq.EventText(stack[k].event), stack[k].rank)
			}
		}
	}
	c.pending[thread] = c.pending[thread][:0]
	return nil
}

// accept checks the evidence that a trace is serializable: the ranks between
// threads, and an order that agrees with them within.
func accept(s *events.Sequence, rank, order []int32) error {
	if err := CheckRank(s, rank); err != nil {
		return err
	}
	for i := 1; i < len(order); i++ {
		if rank[order[i-1]] > rank[order[i]] {
			return fmt.Errorf("transactions %d and %d stand in the order against their ranks", order[i-1], order[i])
		}
	}
	return serial.CheckOrder(serial.TSO, s, func(i int32) int32 { return s.Events[i].Tx }, order)
}
