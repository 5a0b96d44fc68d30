package trace

import (
	"fmt"
	"math"

	"ordeal/gen"
	"ordeal/parse"
)

// Finish makes a history of what was gathered. The error joins all faults,
// each as "name:line: …"; line is the trace's first, for those that no other
// line is to blame for.
func (t *Builder) Finish(name string, line int) (*parse.History, error) {
	total := 0
	for i := range t.threads {
		total += len(t.threads[i].ops)
	}
	if total > math.MaxInt32 {
		return nil, fmt.Errorf("%s:%d: %d operations, more than %d", name, line, total, math.MaxInt32)
	}
	f := &finisher{Builder: t}
	f.concatenate(total)
	f.writers = parse.NewWriters(f.h, f.report)
	f.writers.Link(func(id parse.OpID) {
		if len(t.faults) == maxFaults {
			t.more++
			return
		}
		f.report(f.writers.Missing(id, f.h.Ops[id].Loc, f.h.Ops[id].Read))
	})
	f.finals()
	f.storeOrders()
	f.dependencies()
	if err := t.Err(name); err != nil {
		return nil, err
	}
	if err := f.h.Validate(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return f.h, nil
}

type finisher struct {
	*Builder
	h        *parse.History
	lines    []int32 // of each operation
	position []int   // of each thread in h
	writers  *parse.Writers
}

func (f *finisher) concatenate(total int) {
	f.h = &parse.History{
		Ops:       make([]parse.Op, 0, total),
		Start:     make([]parse.OpID, 1, len(f.threads)+1),
		Locations: f.Locations.List,
	}
	f.lines = make([]int32, 0, total)
	f.position = make([]int, len(f.threads))
	for k, i := range f.sorted() {
		f.position[i] = k
		th := &f.threads[i]
		for _, tx := range th.txs {
			base := parse.OpID(len(f.h.Ops))
			f.h.Transactions = append(f.h.Transactions, parse.Transaction{First: base + tx.First, End: base + tx.End})
		}
		f.h.Ops = append(f.h.Ops, th.ops...)
		f.h.Times = append(f.h.Times, th.times...)
		f.lines = append(f.lines, th.lines...)
		f.h.Start = append(f.h.Start, parse.OpID(len(f.h.Ops)))
		f.h.ThreadNames = append(f.h.ThreadNames, f.Threads.List[i])
		th.ops = nil // halves the memory while the history is built
	}
}

func (f *finisher) at(id parse.OpID) string { return "line " + f.place(int(f.lines[id])) }

func (f *finisher) report(fault parse.Fault) {
	if len(f.faults) == maxFaults { // spare the formatting
		f.more++
		return
	}
	f.Faultf(int(f.lines[fault.Op]), "%s", f.text(fault))
}

// text says what is wrong with a value.
func (f *finisher) text(fault parse.Fault) string {
	text := fault.Text(f.h, f.at)
	if place, ok := f.aborted[aborted{fault.Loc, fault.Value}]; ok && fault.Kind == parse.UnwrittenValue {
		text += ", except in an aborted transaction, on line " + f.place(place)
	}
	return text
}

func (f *finisher) finals() {
	if len(f.final) == 0 {
		return
	}
	f.h.Final = make([]parse.OpID, len(f.h.Locations))
	for x := range f.h.Final {
		f.h.Final[x] = parse.NoOp
	}
	values := make(map[int32]gen.Value, len(f.final))
	for _, last := range f.final {
		if v, twice := values[last.loc]; twice && v != last.value {
			f.Faultf(last.line, "final M[%s] is %d and %d", f.h.Locations[last.loc], v, last.value)
			continue
		}
		values[last.loc] = last.value
		id := f.writers.Of(last.loc, last.value)
		if id == parse.NoOp {
			f.Faultf(last.line, "final %s", f.text(f.writers.Missing(parse.NoOp, last.loc, last.value)))
		}
		f.h.Final[last.loc] = id
	}
}

// storeOrders resolves the orders of writes: none, or of all locations with
// writes.
func (f *finisher) storeOrders() {
	if len(f.orders) == 0 {
		return
	}
	f.h.StoreOrder = make([][]parse.OpID, len(f.h.Locations))
	listed := make([]bool, len(f.h.Ops))
	for _, o := range f.orders {
		x := f.h.Locations[o.loc]
		if f.h.StoreOrder[o.loc] != nil {
			f.Faultf(o.line, "the order of M[%s] is given twice", x)
			continue
		}
		list := make([]parse.OpID, 0, len(o.values))
		for _, v := range o.values {
			id := f.writers.Of(o.loc, v)
			switch {
			case v == 0:
				f.Faultf(o.line, "the order of M[%s] lists 0, the initial value", x)
			case id == parse.NoOp:
				f.Faultf(o.line, "the order of M[%s]: %s", x, f.text(f.writers.Missing(parse.NoOp, o.loc, v)))
			case listed[id]:
				f.Faultf(o.line, "the order of M[%s] lists %d twice", x, v)
			default:
				listed[id] = true
				list = append(list, id)
			}
		}
		f.h.StoreOrder[o.loc] = list
	}
	for id := range f.h.Ops {
		if op := &f.h.Ops[id]; op.Writes() && op.Write != 0 && !listed[id] {
			f.Faultf(int(f.lines[id]), "the order of M[%s] does not list %d", f.h.Locations[op.Loc], op.Write)
		}
	}
}

// dependencies resolves the operations that dependencies name.
func (f *finisher) dependencies() {
	h := f.h
	for _, d := range f.deps {
		start, end := h.Start[f.position[d.thread]], h.Start[f.position[d.thread]+1]
		n := gen.Value(end - start)
		switch {
		case d.from < 1 || d.from > n || d.to < 1 || d.to > n:
			f.Faultf(d.line, "dependency %d -> %d: thread %s has %d operations", d.from, d.to, f.Threads.List[d.thread], n)
		case d.to <= d.from:
			f.Faultf(d.line, "dependency %d -> %d: want a later operation after ->", d.from, d.to)
		case !h.Ops[start+parse.OpID(d.from)-1].Reads():
			f.Faultf(d.line, "dependency %d -> %d: operation %d is no read", d.from, d.to, d.from)
		default:
			dep := parse.Dep{From: start + parse.OpID(d.from) - 1, To: start + parse.OpID(d.to) - 1, Kind: d.kind}
			if dep.Kind&parse.DepPair != 0 && !h.Pairs(dep) {
				f.Faultf(d.line, "dependency %d -> %d: no load and conditional store of one location that read the same", d.from, d.to)
			}
			h.Deps = append(h.Deps, dep)
		}
	}
	h.Deps = parse.MergeDeps(h.Deps)
}
