// Package plain holds what the writers of formats share that know nothing but
// reads and writes.
package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"ordeal/gen"
	"ordeal/parse"
)

// Check reports the first operation of a history that is neither a read nor a
// write, and the first value above the limit.
func Check(h *parse.History, limit gen.Value) error {
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Kind != parse.Read && op.Kind != parse.Write {
			return fmt.Errorf("%s is a %s: the format has only reads and writes", Place(h, parse.OpID(i)), kindName(op.Kind))
		}
		if v := max(op.Read, op.Write); v > limit {
			return fmt.Errorf("%s: value %d exceeds %d", Place(h, parse.OpID(i)), v, limit)
		}
	}
	return nil
}

func kindName(k parse.Kind) string {
	if k == parse.Fence {
		return "fence"
	}
	return "read-modify-write"
}

// Place names an operation for people; operations count from 1.
func Place(h *parse.History, id parse.OpID) string {
	t := h.Thread(id)
	return fmt.Sprintf("thread %s operation %d", Threads(h)[t], id-h.Start[t]+1)
}

// Threads are the names of the threads: their numbers where they have none.
func Threads(h *parse.History) []string {
	if len(h.ThreadNames) == h.Threads() {
		return h.ThreadNames
	}
	return Numbers(h.Threads())
}

// Numbers are the names 0, 1, … of n things.
func Numbers(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strconv.Itoa(i)
	}
	return list
}

// Numbered are the given names if all are decimal numbers below 2⁶³ without
// leading zeros, and their indices otherwise.
func Numbered(names []string) []string {
	for _, name := range names {
		if v, err := strconv.ParseInt(name, 10, 64); err != nil || strconv.FormatInt(v, 10) != name || v < 0 {
			return Numbers(len(names))
		}
	}
	return names
}

// Blocks calls each for every transaction of thread t in program order, an
// operation outside of all transactions being one.
func Blocks(h *parse.History, t int, each func(parse.Transaction) error) error {
	next, _ := slices.BinarySearchFunc(h.Transactions, h.Start[t], func(tx parse.Transaction, id parse.OpID) int {
		return cmp.Compare(tx.First, id)
	})
	for id := h.Start[t]; id < h.Start[t+1]; {
		block := parse.Transaction{First: id, End: id + 1}
		if next < len(h.Transactions) && h.Transactions[next].First == id {
			block = h.Transactions[next]
			next++
		}
		if err := each(block); err != nil {
			return err
		}
		id = block.End
	}
	return nil
}
