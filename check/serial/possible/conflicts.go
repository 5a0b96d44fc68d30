package possible

import (
	"context"
	"sort"

	"ordeal/check/model"
	"ordeal/check/procedures/precedence"
	"ordeal/check/saturate"
	"ordeal/check/search"
	"ordeal/check/serial"
	"ordeal/check/serial/internal/orders"
	"ordeal/parse"
	"ordeal/parse/formats/events"
)

// pair is two writes to one location that saturation does not order.
type pair struct{ first, second parse.OpID }

// conflicts are the conflicts between operations of different threads that
// executions of a history may have.
type conflicts struct {
	h      *parse.History
	model  model.Model
	graph  *saturate.Graph
	thread []int32 // of each operation
	// writes lists, by location and thread, the writes in program order.
	writes [][]parse.OpID
	pairs  []pair
	index  map[pair]orders.Literal
	// arcs are the conflicts, but for those that others and the order of the
	// threads imply.
	arcs   []orders.Arc
	limits search.Limits
	// before reports whether write a precedes b in every execution, as far as
	// saturation tells.
	before func(a, b parse.OpID) bool
}

const (
	// ownBudget bounds the memory when the caller does not.
	ownBudget = 2 << 30
	// arcBytes and pairBytes are about what an arc and a pair need, the
	// solver's part included.
	arcBytes  = 64
	pairBytes = 256
)

// newConflicts saturates a history that the model allows, and finds the
// conflicts that every execution has. Time and memory are those of saturation
// and linear in the operations times the threads.
func newConflicts(ctx context.Context, h *parse.History, m model.Model, limits search.Limits) (*conflicts, error) {
	limits = limits.WithDefault(ownBudget)
	g, ok, err := search.Saturated(ctx, h, m, limits, nil)
	if err != nil {
		return nil, err
	}
	if !ok {
		panic("possible: saturation refutes a history that has an execution")
	}
	c := &conflicts{h: h, model: m, graph: g, index: make(map[pair]orders.Literal), limits: limits}
	c.before = func(a, b parse.OpID) bool { return g.HB(g.Node(a), g.Node(b)) }
	c.list()
	return c, c.eachOperation()
}

// split makes open pairs of the writes that saturation leaves open, and adds
// the conflicts that depend on them.
func (c *conflicts) split() error {
	for x := range c.h.Locations {
		if err := c.openPairs(int32(x)); err != nil {
			return err
		}
	}
	if len(c.pairs) == 0 {
		return nil
	}
	c.arcs = nil
	return c.eachOperation()
}

// eachOperation adds the conflicts of all operations: before split those that
// every execution has.
func (c *conflicts) eachOperation() error {
	for id := range c.h.Ops {
		c.operation(parse.OpID(id))
		if err := c.limits.Check(int64(len(c.pairs))*pairBytes + int64(len(c.arcs))*arcBytes); err != nil {
			return err
		}
	}
	return nil
}

// list finds the thread of each operation, and the writes.
func (c *conflicts) list() {
	h := c.h
	n := h.Threads()
	c.thread = make([]int32, len(h.Ops))
	c.writes = make([][]parse.OpID, n*len(h.Locations))
	for t := range n {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			c.thread[id] = int32(t)
			if op := &h.Ops[id]; op.Writes() {
				at := &c.writes[int(op.Loc)*n+t]
				*at = append(*at, id)
			}
		}
	}
}

// writesOf are the writes of a thread to a location.
func (c *conflicts) writesOf(x, thread int32) []parse.OpID {
	return c.writes[int(x)*c.h.Threads()+int(thread)]
}

// open is the range of the writes of another thread that a write is not
// ordered with: those before it come first, those after it last.
func (c *conflicts) open(a parse.OpID, others []parse.OpID) (from, to int) {
	from = sort.Search(len(others), func(i int) bool { return !c.before(others[i], a) })
	return from, from + sort.Search(len(others)-from, func(i int) bool { return c.before(a, others[from+i]) })
}

// openPairs finds the open pairs of a location.
func (c *conflicts) openPairs(x int32) error {
	for t := range int32(c.h.Threads()) {
		for _, a := range c.writesOf(x, t) {
			for u := range t {
				others := c.writesOf(x, u)
				from, to := c.open(a, others)
				for _, b := range others[from:to] {
					c.index[pair{b, a}] = orders.Literal(2 * len(c.pairs))
					c.pairs = append(c.pairs, pair{b, a})
				}
			}
			if err := c.limits.Check(int64(len(c.pairs)) * pairBytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// literal is the literal of a before b, which must be an open pair.
func (c *conflicts) literal(a, b parse.OpID) orders.Literal {
	if l, ok := c.index[pair{a, b}]; ok {
		return l
	}
	return c.index[pair{b, a}] | 1
}

// operation adds the conflicts from an operation on: to those of its readers
// that are in other threads, and from it, or as a read from what it reads, to
// the writes that come after.
func (c *conflicts) operation(id parse.OpID) {
	op := &c.h.Ops[id]
	if op.Kind == parse.Fence {
		return
	}
	if op.Reads() && op.RF != parse.Init {
		c.add(op.RF, id, orders.Always)
	}
	writer := id
	if op.Kind == parse.Read {
		writer = op.RF
	}
	for t := range int32(c.h.Threads()) {
		if t == c.thread[id] {
			continue
		}
		others := c.writesOf(op.Loc, t)
		from, to := 0, 0
		switch {
		case writer == parse.Init:
		case t == c.thread[writer]:
			from = sort.Search(len(others), func(i int) bool { return others[i] > writer })
			to = from
		default:
			from, to = c.open(writer, others)
		}
		for _, w := range others[from:to] {
			if len(c.pairs) > 0 {
				c.add(id, w, c.literal(writer, w))
			}
		}
		if to < len(others) {
			c.add(id, others[to], orders.Always)
		}
	}
}

func (c *conflicts) add(from, to parse.OpID, l orders.Literal) {
	if c.thread[from] != c.thread[to] {
		c.arcs = append(c.arcs, orders.Arc{From: int32(from), To: int32(to), Label: l})
	}
}

// modelGraph orders operations as the model does.
func (c *conflicts) modelGraph() *orders.Graph {
	p := precedence.New(c.h, c.model)
	g := &orders.Graph{Nodes: p.Nodes}
	for _, a := range p.Arcs() {
		g.Add(a.From, a.To, orders.Always)
	}
	return g.With(c.arcs)
}

// programGraph orders operations as SC does: threads, and conflicts.
func (c *conflicts) programGraph() *orders.Graph {
	g := &orders.Graph{Nodes: len(c.h.Ops)}
	for t := range c.h.Threads() {
		for id := c.h.Start[t]; id+1 < c.h.Start[t+1]; id++ {
			g.Add(int32(id), int32(id+1), orders.Always)
		}
	}
	return g.With(c.arcs)
}

// transactionGraph is the conflicts between transactions by a relation. An
// operation outside of transactions is one of its own.
func (c *conflicts) transactionGraph(rel serial.Relation) *orders.Graph {
	transaction, count := c.transactions()
	g := &orders.Graph{Nodes: count}
	add := func(a orders.Arc) {
		if transaction[a.From] != transaction[a.To] {
			g.Add(transaction[a.From], transaction[a.To], a.Label)
		}
	}
	c.programOrder(rel, add)
	for _, a := range c.arcs {
		add(a)
	}
	return g
}

// programOrder calls add with conflicts inside threads, by a relation, that imply
// all of them.
func (c *conflicts) programOrder(rel serial.Relation, add func(orders.Arc)) {
	order := serial.NewProgramOrder(c.h.Threads(), len(c.h.Locations))
	for id := range int32(len(c.h.Ops)) {
		if rel == serial.SC {
			if parse.OpID(id) > c.h.Start[c.thread[id]] {
				add(orders.Arc{From: id - 1, To: id, Label: orders.Always})
			}
			continue
		}
		op := &c.h.Ops[id]
		if kind, ok := serial.EventKind(op); ok {
			e := events.Event{Kind: kind, Thread: c.thread[id], Var: op.Loc}
			order.Add(id, &e, func(from, to int32) {
				if from != none {
					add(orders.Arc{From: from, To: to, Label: orders.Always})
				}
			})
		}
	}
}

const none = -1

// transactions numbers the transactions, and says of each operation which it
// belongs to.
func (c *conflicts) transactions() (of []int32, count int) {
	of = make([]int32, len(c.h.Ops))
	for t := range c.h.Threads() {
		for tx := range c.h.Blocks(t) {
			for id := tx.First; id < tx.End; id++ {
				of[id] = int32(count)
			}
			count++
		}
	}
	return of, count
}
