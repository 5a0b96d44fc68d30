package formats

import (
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/parse/formats/litmus"
	"ordeal/sim"
)

// NewNative makes a program and the log of a run of one round that give the
// history, without what format native cannot express (see Losses): partial
// fences and dependencies; final memory that is not known everywhere; names of
// threads. The error says what keeps the program from being valid.
func NewNative(h *parse.History) (*gen.Program, sim.Log, error) {
	f, _ := ByName("native")
	h = f.Without(h)
	p, value, err := litmus.Program(h)
	if err != nil {
		return nil, nil, fmt.Errorf("write native log: %w", err)
	}
	p.Transactions = transactions(h)
	if err := p.Validate(); err != nil {
		return nil, nil, fmt.Errorf("write native log: %w", err)
	}
	w := wire.NewWriter(p, 1)
	var log sim.Log
	for t := range h.Threads() {
		var reads []gen.Value
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			if op := &h.Ops[id]; op.Reads() {
				reads = append(reads, value(op.RF))
			}
		}
		log = w.AppendThread(log, gen.ThreadID(t), reads)
	}
	values := func(ids []parse.OpID) []gen.Value {
		list := make([]gen.Value, len(ids))
		for i, id := range ids {
			list[i] = value(id)
		}
		return list
	}
	if h.Final != nil && !slices.Contains(h.Final, parse.NoOp) {
		log = w.AppendFinal(log, values(h.Final))
	}
	for x, order := range h.StoreOrder {
		log = w.AppendOrder(log, gen.LocID(x), values(order))
	}
	return p, log, nil
}

// transactions are those of a history, by places in threads.
func transactions(h *parse.History) [][]gen.Transaction {
	if len(h.Transactions) == 0 {
		return nil
	}
	list := make([][]gen.Transaction, h.Threads())
	for _, tx := range h.Transactions {
		t := h.Thread(tx.First)
		list[t] = append(list[t], gen.Transaction{First: int32(tx.First - h.Start[t]), End: int32(tx.End - h.Start[t])})
	}
	return list
}
