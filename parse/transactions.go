package parse

import (
	"cmp"
	"iter"
	"slices"

	"ordeal/gen"
)

// Transaction is a block of operations of one thread, from First to before
// End. Operations outside of all transactions are one of their own each.
type Transaction struct{ First, End OpID }

// Blocks yields the transactions of thread t in program order, each operation
// outside of all transactions as one of its own.
func (h *History) Blocks(t int) iter.Seq[Transaction] {
	return func(yield func(Transaction) bool) {
		next, _ := slices.BinarySearchFunc(h.Transactions, h.Start[t], func(tx Transaction, id OpID) int {
			return cmp.Compare(tx.First, id)
		})
		for id := h.Start[t]; id < h.Start[t+1]; {
			block := Transaction{First: id, End: id + 1}
			if next < len(h.Transactions) && h.Transactions[next].First == id {
				block = h.Transactions[next]
				next++
			}
			if !yield(block) {
				return
			}
			id = block.End
		}
	}
}

// group finds the transactions of a history of Native for p: those of
// every round, as far as their operations are in the history.
func (h *History) group(p *gen.Program, origins *Origins) {
	if len(p.Transactions) == 0 {
		return
	}
	for t, index := range origins.index {
		// The transactions by places in a round, delays left out.
		var round []Transaction
		k := OpID(0)
		for _, tx := range p.TransactionsOf(gen.ThreadID(t)) {
			for int(k) < len(index) && index[k] < tx.First {
				k++
			}
			first := k
			for int(k) < len(index) && index[k] < tx.End {
				k++
			}
			if first < k {
				round = append(round, Transaction{first, k})
			}
		}
		end := h.Start[t+1]
		for base := h.Start[t]; base < end; base += OpID(len(index)) {
			for _, tx := range round {
				if tx = (Transaction{base + tx.First, min(base+tx.End, end)}); tx.First < end {
					h.Transactions = append(h.Transactions, tx)
				}
			}
		}
	}
}
