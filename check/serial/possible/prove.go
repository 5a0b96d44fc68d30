package possible

import (
	"context"
	"errors"
	"slices"

	"ordeal/check/closure"
	"ordeal/check/saturate"
	"ordeal/check/serial"
	"ordeal/check/serial/internal/orders"
	"ordeal/check/serial/proof"
	"ordeal/check/witness"
	"ordeal/parse"
)

// maxProof bounds the edges of a proof, and maxCases the cases that are looked at.
const (
	maxProof = 1 << 20
	maxCases = 1 << 12
	// maxWork bounds the cases times the operations.
	maxWork = 1 << 25
)

// errLong says that a proof would be longer than that.
var errLong = errors.New("the proof is too long")

// Prove makes the evidence of an answer that Decide gave about serializability, not
// about robustness: its executions, and where they are of one kind the cases that show
// that there is no other. Proof.Cases is nil then if that would be too long. The
// time is that of assuming the opposite of the order of two writes, for each that it
// needs, times the cases. An error is that of ctx, or an internal one; what proof.Check does not
// accept is no answer.
func Prove(ctx context.Context, h *parse.History, q Question, a Answer) (*proof.Proof, error) {
	p := &proof.Proof{}
	known := &conflicts{h: h}
	known.list()
	for _, order := range []*witness.Order{a.FailsOrder, a.HoldsOrder} {
		if order == nil {
			continue
		}
		place := make([]int32, len(h.Ops))
		for at, id := range order.Ops {
			place[id] = int32(at)
		}
		known.before = func(a, b parse.OpID) bool { return place[a] < place[b] }
		p.Executions = append(p.Executions, proof.Execution{Order: order, Argument: known.argument(q.relation())})
	}
	if !a.Searched || len(p.Executions) != 1 {
		return p, nil
	}
	r := prover{conflicts: a.conflicts, relation: q.relation(), arguments: map[*witness.Node]*proof.Argument{}, holds: a.HoldsOrder != nil}
	switch root, _, err := r.node(ctx); {
	case errors.Is(err, errLong):
	case err != nil:
		return nil, err
	default:
		p.Cases, p.Arguments = &witness.Refutation{Lemmas: r.lemmas, Root: root}, r.arguments
	}
	return p, nil
}

// argument is what the known order of writes shows: a cycle of transactions that
// it makes, or else an order of them.
func (c *conflicts) argument(rel serial.Relation) (a proof.Argument) {
	d := &conflicts{h: c.h, thread: c.thread, writes: c.writes, before: c.before}
	for id := range c.h.Ops {
		d.operation(parse.OpID(id))
	}
	transaction, count := c.transactions()
	g := closure.Graph[[2]parse.OpID]{Nodes: count}
	add := func(a orders.Arc) {
		if from, to := transaction[a.From], transaction[a.To]; from != to {
			g.Add(from, to, [2]parse.OpID{parse.OpID(a.From), parse.OpID(a.To)})
		}
	}
	c.programOrder(rel, add)
	for _, a := range d.arcs {
		add(a)
	}
	order := g.Sort()
	if len(order) < count {
		for _, arc := range g.Cycle() {
			a.Cycle = append(a.Cycle, arc.Label)
		}
		return a
	}
	first := make([]parse.OpID, count)
	for id := range slices.Backward(transaction) {
		first[transaction[id]] = parse.OpID(id)
	}
	for _, tx := range order {
		a.Transactions = append(a.Transactions, first[tx])
	}
	return a
}

// prover makes cases, and the arguments of their leaves.
type prover struct {
	*conflicts
	relation  serial.Relation
	holds     bool // the claim is that all executions are serializable
	lemmas    []witness.Lemma
	arguments map[*witness.Node]*proof.Argument
	edges     int
	cases     int
}

// set is the assumptions that a case uses: orders of two writes.
type set map[pair]bool

// node makes the cases of what is assumed now, and says which of that they use.
func (r *prover) node(ctx context.Context) (*witness.Node, set, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if r.cases++; r.cases > maxCases || r.cases > 1 && r.cases*len(r.h.Ops) > maxWork {
		return nil, nil, errLong
	}
	a := r.argument(r.relation)
	switch p, open := r.anyOpen(); {
	case len(a.Cycle) > 0 && r.holds, len(a.Cycle) == 0 && !r.holds && !open:
		return nil, nil, errors.New("internal error: an execution of the other kind")
	case len(a.Cycle) > 0 || !open:
		leaf := &witness.Node{}
		r.arguments[leaf] = &a
		return r.chain(r.needs(&a), leaf)
	default:
		return r.split(ctx, p)
	}
}

// split makes the two cases of a pair. If one does not use what it assumes, it
// serves without the split.
func (r *prover) split(ctx context.Context, p pair) (*witness.Node, set, error) {
	first, used, err := r.under(ctx, p)
	if err != nil || !used[p] {
		return first, used, err
	}
	opposite := pair{p.second, p.first}
	second, more, err := r.under(ctx, opposite)
	if err != nil || !more[opposite] {
		return second, more, err
	}
	delete(used, p)
	delete(more, opposite)
	for q := range more {
		used[q] = true
	}
	return &witness.Node{From: p.first, To: p.second, First: first, Second: second}, used, nil
}

// under makes the cases of what is assumed now and that a pair has its order.
func (r *prover) under(ctx context.Context, p pair) (*witness.Node, set, error) {
	mark := r.graph.Mark()
	defer r.graph.Undo(mark)
	if !r.assume(p) {
		used := set{}
		n, err := r.refuted(used)
		return n, used, err
	}
	return r.node(ctx)
}

func (r *prover) assume(p pair) bool {
	return r.graph.Assume(r.graph.Node(p.first), r.graph.Node(p.second), witness.Assumed, saturate.NoNode)
}

// refuted is the leaf of assumptions that contradict each other.
func (r *prover) refuted(used set) (*witness.Node, error) {
	ref := r.graph.Refute()
	for e := range ref.Edges() {
		r.edges++
		if e.Lemma >= 0 {
			e.Lemma += int32(len(r.lemmas))
		}
		if e.Rule == witness.Assumed {
			used[pair{e.From, e.To}] = true
		}
	}
	r.lemmas = append(r.lemmas, ref.Lemmas...)
	if r.edges > maxProof {
		return nil, errLong
	}
	return ref.Root, nil
}

// chain puts before a leaf the splits on what it needs to know and what all
// executions have in which what is assumed now holds: the opposite is refuted.
func (r *prover) chain(needs []pair, leaf *witness.Node) (*witness.Node, set, error) {
	used := set{}
	for _, p := range needs {
		mark := r.graph.Mark()
		opposite := pair{p.second, p.first}
		if r.assume(opposite) {
			return nil, nil, errors.New("internal error: an order of two writes that is no fact")
		}
		second, err := r.refuted(used)
		r.graph.Undo(mark)
		if err != nil {
			return nil, nil, err
		}
		delete(used, opposite)
		leaf = &witness.Node{From: p.first, To: p.second, First: leaf, Second: second}
	}
	return leaf, used, nil
}

// needs lists the orders of two writes that an argument needs to know: those of its
// conflicts, or that of all writes to each location.
func (r *prover) needs(a *proof.Argument) (out []pair) {
	need := func(first, second parse.OpID) {
		if p := (pair{first, second}); r.thread[first] != r.thread[second] && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, e := range a.Cycle {
		x, y := &r.h.Ops[e[0]], &r.h.Ops[e[1]]
		switch {
		case r.thread[e[0]] == r.thread[e[1]] || y.Reads() && y.RF == e[0]:
		case x.Writes():
			need(e[0], e[1])
		case x.RF != parse.Init:
			need(x.RF, e[1])
		}
	}
	if len(a.Cycle) > 0 {
		return out
	}
	for x := range r.h.Locations {
		writes := r.sorted(int32(x))
		for i := range len(writes) - 1 {
			if p := (pair{writes[i], writes[i+1]}); r.thread[p.first] != r.thread[p.second] {
				out = append(out, p)
			}
		}
	}
	return out
}

// sorted is the writes to a location, in their order if that is known.
func (r *prover) sorted(x int32) []parse.OpID {
	n := r.h.Threads()
	writes := slices.Concat(r.writes[int(x)*n : (int(x)+1)*n]...)
	slices.SortFunc(writes, func(a, b parse.OpID) int {
		switch {
		case a == b:
			return 0
		case r.before(a, b):
			return -1
		default:
			return 1
		}
	})
	return writes
}

// anyOpen is two writes to one location that nothing orders.
func (r *prover) anyOpen() (pair, bool) {
	for x := range int32(len(r.h.Locations)) {
		for t := range int32(r.h.Threads()) {
			for _, a := range r.writesOf(x, t) {
				for u := range t {
					others := r.writesOf(x, u)
					if from, to := r.open(a, others); from < to {
						return pair{others[from], a}, true
					}
				}
			}
		}
	}
	return pair{}, false
}
