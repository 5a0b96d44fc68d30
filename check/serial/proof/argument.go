package proof

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// checker checks arguments about one history.
type checker struct {
	h  *parse.History
	sc bool
	// thread, transaction and buffered are by operation: the transaction is given by
	// its first; buffered is a read that its thread's store buffer may forward to.
	thread      []int32
	transaction []parse.OpID
	buffered    []bool
	writes      [][]parse.OpID // by location
}

func newChecker(h *parse.History, m model.Model) *checker {
	n := len(h.Ops)
	c := &checker{
		h: h, sc: m.Name == model.SC.Name, thread: make([]int32, n), transaction: make([]parse.OpID, n),
		buffered: make([]bool, n), writes: make([][]parse.OpID, len(h.Locations)),
	}
	for t := range h.Threads() {
		stored := map[int32]bool{} // since the last fence
		for tx := range h.Blocks(t) {
			for id := tx.First; id < tx.End; id++ {
				c.thread[id], c.transaction[id] = int32(t), tx.First
				op := &h.Ops[id]
				switch {
				case c.drains(id):
					clear(stored)
				case op.Kind == parse.Write:
					stored[op.Loc] = true
				case op.Kind == parse.Read:
					c.buffered[id] = stored[op.Loc]
				}
				if op.Writes() {
					c.writes[op.Loc] = append(c.writes[op.Loc], id)
				}
			}
		}
	}
	return c
}

// drains reports whether an operation empties the store buffer.
func (c *checker) drains(id parse.OpID) bool {
	op := &c.h.Ops[id]
	return op.Kind == parse.RMW || op.Kind == parse.Fence && op.Mask&parse.StoreLoad != 0
}

// argument checks an argument about executions in which what before reports of writes to
// one location holds; their order in one thread needs no report.
func (c *checker) argument(a *Argument, before func(a, b parse.OpID) bool) error {
	known := func(a, b parse.OpID) bool {
		return a != b && (c.thread[a] == c.thread[b] && a < b || before(a, b))
	}
	switch {
	case len(a.Cycle) > 0 && len(a.Transactions) > 0:
		return errors.New("both a cycle and an order of transactions")
	case len(a.Cycle) > 0:
		return c.cycle(a.Cycle, known)
	default:
		return c.order(a.Transactions, known)
	}
}

func (c *checker) cycle(cycle [][2]parse.OpID, before func(a, b parse.OpID) bool) error {
	for i, e := range cycle {
		next := cycle[(i+1)%len(cycle)]
		for _, id := range append(e[:], next[0]) {
			if id < 0 || int(id) >= len(c.h.Ops) {
				return fmt.Errorf("conflict %d: there is no operation %d", i, id)
			}
		}
		switch {
		case !c.conflict(e[0], e[1], before):
			return fmt.Errorf("conflict %d: nothing says that operation %d conflicts with a later %d", i, e[0], e[1])
		case c.transaction[e[0]] == c.transaction[e[1]]:
			return fmt.Errorf("conflict %d is inside a transaction", i)
		case c.transaction[e[1]] != c.transaction[next[0]]:
			return fmt.Errorf("conflict %d ends where the next does not begin", i)
		}
	}
	return nil
}

// conflict reports whether operation a conflicts with b, which comes later.
func (c *checker) conflict(a, b parse.OpID, before func(a, b parse.OpID) bool) bool {
	x, y := &c.h.Ops[a], &c.h.Ops[b]
	switch {
	case c.thread[a] == c.thread[b]:
		return a < b && c.inThread(a, b)
	case x.Kind == parse.Fence || y.Kind == parse.Fence || x.Loc != y.Loc:
		return false
	case x.Writes() && y.Reads() && y.RF == a:
		return true
	case !y.Writes():
		return false
	case x.Writes():
		return before(a, b)
	default:
		return x.RF == parse.Init || x.RF != b && before(x.RF, b)
	}
}

// inThread reports whether an operation conflicts with a later one of its thread.
func (c *checker) inThread(a, b parse.OpID) bool {
	x, y := &c.h.Ops[a], &c.h.Ops[b]
	switch {
	case c.sc || c.drains(a) || c.drains(b):
		return true
	case x.Kind == parse.Fence || y.Kind == parse.Fence:
		return false
	default:
		return y.Kind == parse.Write || x.Loc == y.Loc || x.Kind == parse.Read && !c.buffered[a]
	}
}

// order checks that an order of all transactions keeps every conflict, and that the
// order of all writes to a location is known.
func (c *checker) order(list []parse.OpID, before func(a, b parse.OpID) bool) error {
	rank := make([]int32, len(c.h.Ops)) // by first operation, from 1
	for i, tx := range list {
		if tx < 0 || int(tx) >= len(rank) || c.transaction[tx] != tx || rank[tx] > 0 {
			return fmt.Errorf("entry %d of the order begins no transaction, or one that stands there twice", i)
		}
		rank[tx] = int32(i) + 1
	}
	for id, tx := range c.transaction {
		if rank[id] = rank[tx]; rank[id] == 0 {
			return fmt.Errorf("the order lacks the transaction of operation %d", tx)
		}
	}
	for t := range c.h.Threads() {
		if err := c.threadKept(t, rank); err != nil {
			return err
		}
	}
	next := make([]parse.OpID, len(c.h.Ops)) // write → the next to its location
	first := slices.Repeat([]parse.OpID{parse.NoOp}, len(c.h.Locations))
	for x, writes := range c.writes {
		writes = slices.Clone(writes)
		slices.SortFunc(writes, func(a, b parse.OpID) int {
			return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(a, b))
		})
		for i, w := range writes {
			next[w] = parse.NoOp
			if i == 0 {
				first[x] = w
			} else if next[writes[i-1]] = w; !before(writes[i-1], w) {
				return fmt.Errorf("nothing says that write %d precedes %d", writes[i-1], w)
			}
		}
	}
	for id := range parse.OpID(len(c.h.Ops)) {
		op := &c.h.Ops[id]
		if !op.Reads() {
			continue
		}
		after := first[op.Loc]
		if op.RF != parse.Init {
			after = next[op.RF]
			if rank[op.RF] > rank[id] {
				return fmt.Errorf("operation %d reads from a later transaction", id)
			}
		}
		if after != parse.NoOp && rank[after] < rank[id] {
			return fmt.Errorf("operation %d reads a value that an earlier transaction overwrote", id)
		}
	}
	return nil
}

// threadKept checks that ranks keep the conflicts inside a thread.
func (c *checker) threadKept(t int, rank []int32) error {
	var all, strong int32 // the highest of all, and of those that conflict with every later one
	accesses := map[int32]int32{}
	for id := c.h.Start[t]; id < c.h.Start[t+1]; id++ {
		op := &c.h.Ops[id]
		drains := c.drains(id)
		if op.Kind == parse.Fence && !drains && !c.sc {
			continue
		}
		least := all
		if op.Kind == parse.Read && !c.sc {
			least = max(strong, accesses[op.Loc])
		}
		if rank[id] < least {
			return fmt.Errorf("operation %d stands before an earlier one of its thread that it conflicts with", id)
		}
		all = max(all, rank[id])
		if op.Kind != parse.Fence {
			accesses[op.Loc] = max(accesses[op.Loc], rank[id])
		}
		if drains || op.Kind == parse.Read && !c.buffered[id] {
			strong = max(strong, rank[id])
		}
	}
	return nil
}
