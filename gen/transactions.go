package gen

import (
	"fmt"
	"math/rand/v2"
)

// Transaction is a block of operations of one thread, from index First to
// before End. Transactions order nothing: they are what serializability is
// about. A fence as its last operation closes a transaction. An operation
// outside of all transactions is one of its own.
type Transaction struct{ First, End int32 }

// TransactionsOf lists the transactions of thread t in order.
func (p *Program) TransactionsOf(t ThreadID) []Transaction {
	if int(t) >= len(p.Transactions) {
		return nil
	}
	return p.Transactions[t]
}

func (p *Program) checkTransactions(report func(error)) {
	if len(p.Transactions) > len(p.Threads) {
		report(fmt.Errorf("transactions of %d threads, there are %d", len(p.Transactions), len(p.Threads)))
		return
	}
	for t, list := range p.Transactions {
		last := int32(0)
		for k, tx := range list {
			if tx.First < last || tx.End <= tx.First || int(tx.End) > len(p.Threads[t]) {
				report(fmt.Errorf("thread %d transaction %d: operations %d to %d of %d, after operation %d: want at least one, in order",
					t, k, tx.First, tx.End, len(p.Threads[t]), last))
				break
			}
			last = tx.End
		}
	}
}

// groupOps puts the operations of every thread into transactions of random
// lengths, and with fence closes each by a fence.
func (p *Program) groupOps(rng *rand.Rand, longest int, fence bool) {
	p.Transactions = make([][]Transaction, len(p.Threads))
	for t, ops := range p.Threads {
		var out []Op
		for len(ops) > 0 {
			n := min(1+rng.IntN(longest), len(ops))
			first := int32(len(out))
			out = append(out, ops[:n]...)
			if fence {
				out = append(out, Op{Kind: FullFence})
			}
			p.Transactions[t] = append(p.Transactions[t], Transaction{first, int32(len(out))})
			ops = ops[n:]
		}
		p.Threads[t] = out
	}
}
