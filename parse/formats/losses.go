package formats

import (
	"fmt"
	"slices"
	"strconv"

	"ordeal/parse"
	"ordeal/parse/formats/dbcop"
	"ordeal/parse/formats/internal/trace"
	"ordeal/parse/formats/litmus"
)

// Loss is something of a history that a format cannot express.
type Loss struct {
	What string // with numbers: "2 fences"
	// Verdict says that a model may decide differently without it.
	Verdict bool
}

// Losses lists what of a history the format cannot express.
func (f *Format) Losses(h *parse.History) []Loss {
	var losses []Loss
	add := func(n int, verdict bool, one, many string) {
		switch {
		case n == 1:
			losses = append(losses, Loss{"1 " + one, verdict})
		case n > 1:
			losses = append(losses, Loss{fmt.Sprintf("%d %s", n, many), verdict})
		}
	}
	e := &f.Express
	var fences, rmws, empty, finals, attributes, kinds int
	for i := range h.Ops {
		op := &h.Ops[i]
		switch {
		case op.Kind == parse.Fence && !e.Fences.express(op.Mask):
			fences++
		case op.Kind == parse.RMW && !e.RMW:
			rmws++
		}
		if op.Attr&^parse.ISync != 0 && !e.Attributes {
			attributes++
		}
	}
	for _, d := range h.Deps {
		if d.Kind != 0 && e.Dependencies && !e.Attributes {
			kinds++
		}
	}
	for t := range h.Threads() {
		if h.Start[t] == h.Start[t+1] && !e.Empty {
			empty++
		}
	}
	for _, id := range h.Final {
		if id != parse.NoOp && (!e.Final || e.Whole && slices.Contains(h.Final, parse.NoOp)) {
			finals++
		}
	}
	add(fences, true, "fence", "fences")
	add(rmws, true, "read-modify-write's atomicity", "read-modify-writes' atomicity")
	add(attributes, true, "operation's attributes", "operations' attributes")
	add(kinds, true, "kind of a dependency", "kinds of dependencies")
	add(finals, true, "final value", "final values")
	// The order of a single write says nothing.
	if !e.StoreOrder && slices.ContainsFunc(h.StoreOrder, func(order []parse.OpID) bool { return len(order) > 1 }) {
		losses = append(losses, Loss{"the order of writes", true})
	}
	if !e.Dependencies {
		add(len(h.Deps), true, "dependency", "dependencies")
	}
	if !e.Times && h.Times != nil {
		losses = append(losses, Loss{"the times of calls and returns", true})
	}
	if !e.Transactions {
		add(len(h.Transactions), false, "transaction", "transactions")
	}
	add(empty, false, "thread without operations", "threads without operations")
	if !e.Threads.Keep(trace.Threads(h)) {
		losses = append(losses, Loss{"names of threads", false})
	}
	if !e.Locations.Keep(h.Locations) {
		losses = append(losses, Loss{"names of locations", false})
	}
	if !e.Values && litmus.Renumbers(h) {
		losses = append(losses, Loss{"values, which are renumbered", false})
	}
	return losses
}

func (f Fences) express(mask parse.FenceMask) bool {
	switch f {
	case AllFences:
		return true
	case FullOnly:
		return mask == parse.FullFence
	}
	return false
}

// Keep reports whether names survive.
func (n Names) Keep(names []string) bool {
	switch n {
	case Words:
		return true
	case Variables:
		return dbcop.Keeps(names)
	case Identifiers:
		return litmus.Keeps(names)
	case Numbers:
		return slices.Equal(trace.Numbered(names), names)
	}
	for i, name := range names {
		if name != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// Without is the history without what the format cannot express, as far as
// its writer would refuse it: fences, and read-modify-writes, which become a
// read and a write each (one transaction). A history of which nothing is
// lost is returned as it is.
func (f *Format) Without(h *parse.History) *parse.History {
	e := &f.Express
	drop := func(op *parse.Op) bool { return op.Kind == parse.Fence && !e.Fences.express(op.Mask) }
	split := func(op *parse.Op) bool { return op.Kind == parse.RMW && !e.RMW }
	if !slices.ContainsFunc(h.Ops, func(op parse.Op) bool { return drop(&op) || split(&op) }) {
		return h
	}
	r := &rebuilt{from: h, first: make([]parse.OpID, len(h.Ops)+1), to: &parse.History{
		Start: []parse.OpID{0}, ThreadNames: h.ThreadNames, Locations: h.Locations,
	}}
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			op := h.Ops[id]
			r.first[id] = parse.OpID(len(r.to.Ops))
			switch {
			case split(&op):
				r.to.Ops = append(r.to.Ops,
					parse.Op{Kind: parse.Read, Loc: op.Loc, RF: op.RF, Read: op.Read},
					parse.Op{Kind: parse.Write, Loc: op.Loc, RF: parse.NoOp, Write: op.Write})
			case !drop(&op):
				r.to.Ops = append(r.to.Ops, op)
			}
		}
		r.to.Start = append(r.to.Start, parse.OpID(len(r.to.Ops)))
	}
	r.first[len(h.Ops)] = parse.OpID(len(r.to.Ops))
	r.relations()
	return r.to
}

type rebuilt struct {
	from, to *parse.History
	first    []parse.OpID // of each operation of from, its first in to
}

func (r *rebuilt) write(id parse.OpID) parse.OpID {
	if id < 0 {
		return id
	}
	return r.first[id+1] - 1 // of a split operation the second
}

func (r *rebuilt) relations() {
	for i := range r.to.Ops {
		r.to.Ops[i].RF = r.write(r.to.Ops[i].RF)
	}
	for _, id := range r.from.Final {
		r.to.Final = append(r.to.Final, r.write(id))
	}
	for _, order := range r.from.StoreOrder {
		list := make([]parse.OpID, len(order))
		for i, id := range order {
			list[i] = r.write(id)
		}
		r.to.StoreOrder = append(r.to.StoreOrder, list)
	}
	for _, d := range r.from.Deps {
		if from, to := r.first[d.From], r.first[d.To]; to < r.first[d.To+1] { // not dropped
			r.to.Deps = append(r.to.Deps, parse.Dep{From: from, To: to, Kind: d.Kind})
		}
	}
	for t := range r.from.Threads() {
		for tx := range r.from.Blocks(t) {
			if first, end := r.first[tx.First], r.first[tx.End]; end > first+1 {
				r.to.Transactions = append(r.to.Transactions, parse.Transaction{First: first, End: end})
			}
		}
	}
}
